// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The horizon and the split of the noise that make a bound of noisy SGD small.
///
/// Every pair (N, alpha) is a valid guarantee, so that the search needs no certificate: pairs are ranked by the
/// Chernoff bound of their composition. sgd_optimum.hpp evaluates the few best with both ends certified.
#pragma once

#include <optional>

#include <dpcurves/interpolation/noisy_sgd.hpp>

namespace dpcurves::interpolation {

/// What the guarantee is wanted for: exactly one of the two.
struct SgdTarget {
  std::optional<double> epsilon;  ///< minimise delta here, >= 0
  std::optional<double> delta;    ///< minimise epsilon here, in (0, 1)
};

/// A horizon and a split with their composition.
struct SgdHorizon {
  double horizon = 0.0;                 ///< N: steps that are unrolled
  double split = 0.0;                   ///< alpha > 1; beta is other_split of it
  accounting::Composition composition;  ///< whose profile is the guarantee
};

/// The best few pairs by the Chernoff bound, best first, all different; at most `count`, at least one.
///
/// \param bound    two_process, constrained or one_process.
/// \param horizon  fixes N where it is given.
/// \throws DomainError  for values outside their range, or if violations(bound, setting) is not empty.
/// \throws ConvergenceError  if the noise is so small that no pair has a finite score.
/// Cost: about 0.1 s.
[[nodiscard]] std::vector<SgdHorizon> ranked_horizons(SgdBound bound, const NoisySgd& setting, const SgdTarget& target,
                                                      std::optional<double> horizon = std::nullopt,
                                                      std::size_t count = 3);

}  // namespace dpcurves::interpolation
