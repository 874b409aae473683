// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Tree aggregation: the running sums from noisy sums over dyadic blocks of steps.
///
/// Every block [j 2^h, (j + 1) 2^h) of steps that ends by T gets one unit of noise; the sum of the first t steps adds
/// the blocks of the binary digits of t. Honaker's estimate replaces the noise of a block by the best mean of its own
/// and of its two halves', which are known by then: variances v_0 = 1, 1/v_h = 1 + 1/(2 v_{h-1}).
///
/// Sources: Dwork, Naor, Pitassi and Rothblum, "Differential privacy under continual observation" (2010); Chan, Shi and
/// Song (2011); Honaker, "Efficient use of differentially private binary trees" (2015); Kairouz et al., "Practical and
/// private (deep) learning without sampling or shuffling" (2021).
#pragma once

#include <cstddef>

#include <dpcurves/correlated/participation.hpp>
#include <dpcurves/correlated/strategies.hpp>

namespace dpcurves::correlated {

/// How far a record that takes part by a rule moves the sums over all blocks. Exact for single and cyclic. Otherwise
/// lower is the best of the cyclic sets, upper fills the blocks of each level as full as the separation lets them be.
/// \param steps  T in [1, 1e7]. \throws DomainError outside. Cost: O(steps log(steps)).
[[nodiscard]] PatternSensitivity tree_sensitivity(std::size_t steps, const ParticipationPattern& pattern);

/// What one unit of noise becomes in the running sums. \param honaker  the estimate that uses all blocks so far.
/// Accuracy: relative 1e-13. Cost: O(steps log(steps)).
[[nodiscard]] StrategyError tree_error(std::size_t steps, bool honaker);

}  // namespace dpcurves::correlated
