// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The table of strategies of correlated noise. For the tables only.
#pragma once

#include <vector>

#include <dpcurves/calculators/calculator.hpp>

namespace dpcurves::calculators {

/// Names without the paper, which is that on KANs.
[[nodiscard]] std::vector<Calculator> strategies();

}  // namespace dpcurves::calculators
