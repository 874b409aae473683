// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Random allocation: in every epoch each record takes part in a random few of the steps, not in each by a coin.
///
/// With one step out of t, noise multiplier Z and mu = 1 / Z, the pair P = (1/t) sum_i N(mu e_i, I_t), Q = N(0, I_t)
/// dominates the removal of a record, and (Q, P) its addition, also where steps depend on earlier outputs, and a
/// mechanism attains it. Its likelihood ratio is the mean of t independent lognormal variables of mean 1. Discrete laws
/// on either side of it in the convex order, and their products over the epochs, bracket every guarantee.
///
/// With k of the t steps, a random partition of the steps into k blocks of t/k (rounded up or down) with one step of
/// each is a uniform choice of k; the hockey-stick divergence is jointly convex, so the composition of the k blocks is
/// an upper bound. The lower end is then the better of the sum of all noisy outputs, N(k mu, t) against N(0, t), and of
/// a test on an additive statistic (additive_test.hpp).
///
/// Source: derived in this project, docs/theory/accountant/random-allocation.md.
#pragma once

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/accounting/subsampled_renyi.hpp>

namespace dpcurves::accounting {

/// A record is in `chosen` of the `steps` steps of an epoch, drawn anew in each of `epochs` epochs. Neighbours differ
/// in the presence of the record (or its contribution is zeroed out).
struct RandomAllocation {
  double noise_multiplier = 1.0;  ///< standard deviation of the noise over the clipping norm, in (0, 1e4]
  double steps = 1.0;             ///< of one epoch, a whole number from 1 to 1e7
  double chosen = 1.0;            ///< a whole number from 1 to steps
  double epochs = 1.0;            ///< whole ones, a whole number from 0 to 1e6
  double rest = 0.0;              ///< steps that were taken of one epoch more: below `steps`, from 1 without whole ones
  double spared_mu = 0.0;  ///< of the other steps of that epoch, where the same place was used before: balls in bins
};

/// The guarantee in both directions: `remove` has the record in the first law of the pair, `add` in the second.
struct AllocationCurves {
  CurvePtr remove;  ///< D(with the record || without it)
  CurvePtr add;     ///< D(without the record || with it)
};

/// Which ends of the profiles are asked for.
enum class AllocationEnds {
  both,  ///< as narrow as is said below
  upper  ///< those below are without any analysis of the round, at half the cost
};

/// The two curves share their laws and may be asked from several threads.
///
/// With chosen = 1 both ends are proved, as docs/accuracy.md says, and the bracket is tight: epsilon of one epoch at
/// delta 1e-5 and 1e-12 is known to a relative 1.1e-3 at worst and 2e-4 mostly (noise multipliers from 0.3 to 100, up
/// to 1e5 steps). Below 0.05 both ends are closed forms: nine digits of `remove`, 3 to 10 % of `add` (many rounds of
/// 100 steps). With more than 1 only the upper end is tight and proved, the method of an answer says "upper bound", and
/// the lower end is that of a test whose roundings are estimated. Renyi divergences of `remove` at whole orders up to
/// 512 have a closed form; between them and in the other direction they are brackets. \param fineness  in [0.1, 10]:
/// widths fall with its square, the cost rises with it. \throws DomainError  for values outside the ranges above. Cost
/// of the first epsilon in both directions: 0.05 s to 0.4 s for one epoch, 0.1 s to 0.4 s for several; of later ones
/// microseconds for one epoch, tens of milliseconds for several.
[[nodiscard]] AllocationCurves random_allocation_curves(const RandomAllocation& allocation, double fineness = 1.0,
                                                        AllocationEnds ends = AllocationEnds::both);
/// One of the two.
[[nodiscard]] CurvePtr random_allocation_curve(const RandomAllocation& allocation, Direction direction);

/// One record replaced by another. One step of one epoch is the pair of one_position_curve, exact, from noise
/// multiplier 0.35 on. With chosen = 1 and a noise multiplier of at least 0.8, laws of the two sums in the ratio of a
/// round bracket all guarantees: epsilon at 1e-5 to a relative 1e-3 at noise multiplier 2, 1e-4 at 20, 0.03 at 1, of
/// rounds of 100 steps. Otherwise, and for deltas below 1e-9, the upper end removes the one and adds the other, the
/// lower end is that of a test on an additive statistic. The roundings of these laws are estimated, and `method` says
/// so wherever an end rests on them. Renyi divergences are those without amplification. Ranges, errors as above. Cost
/// of an epsilon: 0.1 s to 0.6 s.
[[nodiscard]] CurvePtr random_allocation_replaced_curve(const RandomAllocation& allocation);

}  // namespace dpcurves::accounting
