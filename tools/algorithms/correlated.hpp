// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// DP-SGD with correlated noise: its calibration solves for the noise multiplier by methods of its own, and for lambda
/// and the noise multiplier together.
#pragma once

#include "algorithms/algorithm.hpp"
#include "support/leaves.hpp"

namespace dpcurves::tools {

[[nodiscard]] Leaf calibration_of_correlated();

}  // namespace dpcurves::tools
