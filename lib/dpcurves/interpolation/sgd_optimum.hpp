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

/// The least value over the ranked pairs and a compass search around the best of them.
///
/// Every pair is a guarantee, so the search needs no proof; in ordinary regimes it ends within 1 % of the least
/// value. Effort is counted in evaluations, so that the pair depends on the question alone; where the best of the ranked
/// pairs has a delta above 1 - 1e-9, it is the answer.
///
/// \param horizon  fixes N where it is given.
/// \throws DomainError       as ranked_horizons.
/// \throws ConvergenceError  if none of the ranked pairs can be certified.
/// Cost: that of ranked_horizons and at most 32 evaluations by accounting, of which at most 4 certify nothing.
[[nodiscard]] OptimisedSgd optimise(SgdBound bound, const NoisySgd& setting, const SgdTarget& target,
                                    std::optional<double> horizon = std::nullopt,
                                    const accounting::Accuracy& accuracy = {});

}  // namespace dpcurves::interpolation
