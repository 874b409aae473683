// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The table of deep networks and of the accounting of their training. For the tables only.
#pragma once

#include <numbers>
#include <vector>

#include <dpcurves/calculators/calculator.hpp>

namespace dpcurves::calculators {

/// To base 10.
[[nodiscard]] inline double log10_of(double natural) { return natural / std::numbers::ln10; }

/// Names without the paper, which is that on GLMs and networks.
[[nodiscard]] std::vector<Calculator> deep_networks();

}  // namespace dpcurves::calculators
