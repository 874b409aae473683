// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The part of dpcurves simulate about least squares: noisy SGD, clipped or not, and its diffusion limit.
#pragma once

#include <vector>

#include "support/leaves.hpp"

namespace dpcurves::tools {

/// noisy-sgd-least-squares and hsgd.
[[nodiscard]] std::vector<Leaf> least_squares_simulations();

/// conditional-noisy-sgd: no sampling, the exact law given the records of a problem file.
[[nodiscard]] Leaf conditional_simulation();

}  // namespace dpcurves::tools
