// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Rows of the accountant whose steps are mixtures. For the tables only.
#pragma once

#include <vector>

#include <dpcurves/calculators/calculator.hpp>

namespace dpcurves::calculators {

/// mixture, multiplicity, truncation, schedule, adaptive-clipping.
[[nodiscard]] std::vector<Calculator> mixtures();

}  // namespace dpcurves::calculators
