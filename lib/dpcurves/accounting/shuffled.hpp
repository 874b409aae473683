// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Shuffled batches: both ends of what a random order hides.
///
/// Of the t batches of an epoch each has a representative: the record in its own, a record drawn at random in the
/// others. Given all else, the representatives stand in the batches in a uniformly random order. A batch whose
/// representative is not the record behaves, with probability gamma = e^{-b}, as one whose representative has gradient
/// 0, whatever its gradients are and however they depend on the past, up to gamma delta_G(1/Z; b) in total variation:
/// min(1, gamma n / f) is the clone of the hiding argument. Among m or more such batches the record is at a random
/// place, so that
///
///     delta(eps) <= delta_allocation(m + 1 positions; eps) + (1 + e^eps) E (t - 1) gamma delta_G(1/Z; b)
///                   + E P(Bin(t - 1, gamma) < m).
///
/// With the same order in all epochs a batch must imitate all E releases at once, causally: E leaves the slack,
/// delta_G is replaced by the chance that the log ratio, a Brownian motion with drift, reaches b before variance E/Z^2,
/// and the allocation is that of balls in bins. Both are proved on the page. The lower end is attained for new orders:
/// the other gradients are opposite to that of the record, and the largest output of each epoch is looked at.
///
/// Source: derived in this project, docs/theory/accountant/positions.md; clones are those of Feldman, McMillan and
/// Talwar, "Hiding among the clones" (2021).
#pragma once

#include <dpcurves/accounting/privacy_curve.hpp>

namespace dpcurves::accounting {

/// What is compared; zero-out in both orders.
enum class ShuffledPair {
  remove,      ///< the run with the record against the run in which its gradient is 0
  add,         ///< the other order
  replace_one  ///< one record against another
};

/// Batches of one size in a random order.
struct Shuffled {
  double noise_multiplier = 1.0;             ///< Z in [0.1, 1e4]
  double batches = 1.0;                      ///< t of an epoch, a whole number from 1 to 1e6
  double epochs = 1.0;                       ///< E, a whole number from 1 to 1e5
  ShuffledPair pair = ShuffledPair::remove;  ///< and its order
  bool reshuffle = true;                     ///< a new order in every epoch
};

/// The parts of the bound at one choice of b and m.
struct ShuffledBound {
  double rate = 0.0;         ///< gamma
  double slack = 0.0;        ///< of the clones, rounded up
  double tail = 0.0;         ///< of too few clones, rounded up
  double allocation = 0.0;   ///< delta among m + 1 positions, its upper end
  double delta = 1.0;        ///< the sum; at most 1
  double unamplified = 1.0;  ///< delta of E releases of the record
};

/// \param log_inverse_rate  b > 0. \param hidden  m, a whole number from 0 to t - 1. \param epsilon  in [0, 200].
/// \throws DomainError  outside the ranges. A record that is replaced in several epochs that are shuffled anew is
/// removed and the other added: random_allocation_replaced_curve.
[[nodiscard]] ShuffledBound shuffled_bound(const Shuffled& run, double epsilon, double log_inverse_rate, double hidden);

/// Certified lower end of the attaining test: the largest output of each epoch. Orders drawn anew.
/// \throws DomainError  outside the ranges.
/// Accuracy: a relative 1e-6 of what the test gives down to deltas of 1e-9; farther down its window sees less, 5e-5 at
/// 2e-17. Cost: 1 ms for one epoch, 0.2 s for several.
[[nodiscard]] double shuffled_largest(const Shuffled& run, double epsilon);

/// Both ends as a curve: certified, and far apart. The lower end of one epoch is that of all its outputs under opposite
/// gradients. Of delta the upper end is that of the best m of a table.
/// \param other_direction  the curve of the same run with remove for add, whose law of outputs is shared.
/// \throws DomainError  outside the ranges, or for one order of several epochs. Cost of an epsilon: 0.1 s to 5 s.
[[nodiscard]] CurvePtr shuffled_curve(const Shuffled& run, const CurvePtr& other_direction = {});

}  // namespace dpcurves::accounting
