// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What a picture shows, as numbers.
#pragma once

#include <string>

#include <dpcurves/io/plot.hpp>

namespace dpcurves::io {

/// CSV with a line per point: series, x, y, lower, upper; what a series has not is empty.
[[nodiscard]] std::string data(const Plot& plot);

}  // namespace dpcurves::io
