// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A bound of noisy SGD at its best horizon and split, evaluated with both ends certified.
#pragma once

#include <dpcurves/interpolation/sgd_horizon.hpp>

namespace dpcurves::interpolation {

/// A pair with its certified delta at target.epsilon, or epsilon at target.delta.
struct OptimisedSgd {
  SgdHorizon choice;  ///< the pair, for a report of what was chosen
  Enclosure value;    ///< delta or epsilon
};

/// The least value over horizons and splits, from the ranked pairs on.
///
/// Every pair is a guarantee, so the search needs no proof: it goes by estimates in doubles (sgd_estimate.hpp), and the
/// pair that it ends in is proved. Where that value is not what was estimated, or some pair on the way had no
/// estimate, a compass search asks proved values, which ends within 1 % of the least in ordinary regimes, and the
/// better is the answer. Effort is counted in evaluations,
/// so that the pair depends on the question alone; where the best of the ranked pairs has a delta above 1 - 1e-9, it is
/// the answer.
///
/// Accuracy of the search by estimates: 1e-8, relative to the least epsilon or delta near the ranked pairs.
///
/// \param horizon  fixes N where it is given.
/// \throws DomainError       as ranked_horizons.
/// \throws ConvergenceError  if none of the ranked pairs can be certified.
/// Cost: that of ranked_horizons, 100 estimates and one evaluation by accounting; without estimates at most 33, of
/// which at most 5 certify nothing.
[[nodiscard]] OptimisedSgd optimise(SgdBound bound, const NoisySgd& setting, const SgdTarget& target,
                                    std::optional<double> horizon = std::nullopt,
                                    const accounting::Accuracy& accuracy = {});

}  // namespace dpcurves::interpolation
