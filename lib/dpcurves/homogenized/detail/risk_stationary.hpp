// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The limit of the risk at a constant step, the largest stable step, and the noise that a wanted plateau allows.
///
/// Source: Lin, Kolaczyk, Smith and Paquette, Theorem 4.2, at a constant gamma and t to infinity.
#pragma once

#include <dpcurves/models/least_squares.hpp>

namespace dpcurves::homogenized {

/// What a run at a constant step tends to.
struct StationaryRisk {
  double kernel_norm = 0.0;       ///< K_1 = gamma/(2d) sum lambda^2/alpha: the risk is bounded iff K_1 < 1
  double population_risk = 0.0;   ///< limit of P_t, infinity if K_1 >= 1
  double regularised_risk = 0.0;  ///< limit of R_t, infinity if K_1 >= 1
};

/// The limits at constant gamma = `rate` > 0, whatever problem.schedule says.
/// At K_1 = 1 the risk grows linearly unless every source of noise vanishes; the limit is infinity here too.
/// \throws DomainError  for an invalid problem or rate.
/// Accuracy: relative error below 1e-14/(1 - K_1) times the number of blocks' square root. Cost: O(blocks).
[[nodiscard]] StationaryRisk stationary_risk(const models::LeastSquares& problem, double rate);

/// gamma_max = 2d/sum(lambda^2/(lambda + delta)): below it the risk stays bounded; infinity if Sigma = 0. The step is
/// eta_max = gamma_max/d.
[[nodiscard]] double largest_stable_rate(const models::LeastSquares& problem);

/// The noise sigma at which P_t tends to `risk` at constant gamma = `rate`: the plateau is affine in sigma^2.
/// \throws DomainError  if K_1 >= 1, or `risk` is below the plateau without noise (the message gives it).
[[nodiscard]] double noise_for_plateau(const models::LeastSquares& problem, double rate, double risk);

}  // namespace dpcurves::homogenized
