// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The noise multiplier at which an estimated profile meets a target. An estimate, never a guarantee.
#pragma once

#include <span>

#include <dpcurves/correlated/likelihood_estimate.hpp>

namespace dpcurves::correlated {

/// An estimated noise multiplier with the standard error that its delta's makes.
struct NoiseEstimate {
  Estimate noise_multiplier;  ///< kappa with its standard error
  DeltaEstimate at;           ///< there
};
/// The noise multiplier at which the largest of `directions` meets (epsilon, delta), on common draws.
/// pair.multiples and pair.noise_multiplier are not used. \param directions  multiples, at least one.
/// \param rounding  of the chain. \param start  a noise multiplier of the right size, for example from same_batch.hpp.
/// \throws ConvergenceError  if no sign change is found between start/50 and 50 start.
[[nodiscard]] NoiseEstimate estimate_noise_multiplier(EstimatedPair pair, std::span<const MeanMultiples> directions,
                                                      double epsilon, double delta, Rounding rounding, double start,
                                                      const EstimateBudget& budget = {}, double resolution = 0.01);

}  // namespace dpcurves::correlated
