// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Poisson batches that are cut at a largest size: the pairs of their steps. Internal.
///
/// Source: docs/theory/accountant/samplers.md#truncated-poisson.
#pragma once

#include <dpcurves/accounting/mixture/pairs.hpp>

namespace dpcurves::accounting::mixture {

/// P(Bin(n, p) >= k). \param n, k  whole numbers. \param p  in [0, 1].
[[nodiscard]] rigorous::Real binomial_at_least(double n, double p, double k);
/// P(Bin(n, p) < k), its digits kept where it is small. Arguments as there.
[[nodiscard]] rigorous::Real binomial_below(double n, double p, double k);

/// Of `records`, each in the batch with chance `rate`; of a batch above `largest` a uniform choice is kept.
struct CutBatches {
  double records = 1.0;         ///< n, of the larger data set, the owner's among them
  double rate = 0.0;            ///< p
  double largest = 1.0;         ///< B
  double group = 1.0;           ///< k of one owner, at most n and largest_cut_group
  double log_least = log_rare;  ///< logarithm of a chance that is kept beyond larger ones
};

/// More records of an owner have too many numbers of free places to be told apart.
inline constexpr double largest_cut_group = 64.0;

/// What dominates a step, and what it dominates.
struct CutSteps {
  Step above, below;
};

/// Steps at distance mu. Above, it is revealed how many places the others leave free, up to k; below, the gradients of
/// all others are 0. \throws ConvergenceError  as hidden().
[[nodiscard]] CutSteps cut_steps(const CutBatches& batches, double mu, Direction direction);
/// Other steps above, each by itself: it is revealed how many of the others are kept. None where a loss would be
/// infinite.
[[nodiscard]] std::vector<Step> cut_steps_by_others(const CutBatches& batches, double mu, Direction direction);

}  // namespace dpcurves::accounting::mixture
