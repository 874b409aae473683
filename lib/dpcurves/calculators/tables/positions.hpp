// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The table of samplers in which a record stands at random positions of an epoch. For the tables only.
#pragma once

#include <vector>

#include <dpcurves/calculators/calculator.hpp>

namespace dpcurves::calculators {

/// Names without the paper, which is the accountant's.
[[nodiscard]] std::vector<Calculator> positions();

}  // namespace dpcurves::calculators
