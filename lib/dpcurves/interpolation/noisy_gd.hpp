// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The GDP parameter of the last iterate of full-batch noisy gradient descent.
///
/// Every `..._mu` returns the parameter that its theorem gives, rounded outward by a relative 4e-15; `upper` may be
/// promised. With kappa the effective sensitivity, D the diameter and s = kappa the step sensitivity, both in units
/// of the iterate noise, c = exp(-h) the contraction and t the number of steps.
///
/// Source: Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024), Theorems 4.1, 4.2, 4.3
/// and C.7; constrained strongly convex losses: shifted-interpolation/derived-3.
///
/// \throws DomainError (all)  if a number is outside its range, or if `..._violations(setting)` is not empty.
/// Accuracy (all): `upper` is within a relative 5e-15 of the formula, for t up to 1e15 and 1 - c down to
/// 1e-300. Cost: a few elementary functions.
#pragma once

#include <dpcurves/interpolation/descent.hpp>

namespace dpcurves::interpolation {

/// `steps` of noisy gradient descent over the whole data set. effective_sensitivity is L/(n sigma).
struct NoisyGd {
  NoisyDescent descent;  ///< losses, noise and constraint; kappa is that of the whole data set
  double steps = 1.0;    ///< an integer >= 1, or infinite for any number of steps
};

/// Theorem 4.1, any losses of the sensitivity: kappa sqrt(t).
[[nodiscard]] std::vector<Violation> composition_violations(const NoisyGd& setting);
[[nodiscard]] Enclosure composition_mu(const NoisyGd& setting);  ///< grows without limit in t

/// Theorem 4.2, contraction c: kappa sqrt(tanh(th/2)/tanh(h/2)). Optimal if the step size is at most 2/(m + M).
[[nodiscard]] std::vector<Violation> strongly_convex_violations(const NoisyGd& setting);
[[nodiscard]] Enclosure strongly_convex_mu(const NoisyGd& setting);  ///< bounded in t for c < 1

/// Theorem 4.3 as printed, convex losses: sqrt(3 kappa D + kappa^2 ceil(D/s)), for t >= D/s.
[[nodiscard]] std::vector<Violation> constrained_violations(const NoisyGd& setting);
[[nodiscard]] Enclosure constrained_mu(const NoisyGd& setting);  ///< does not depend on t

/// Theorem C.7 at its best integer horizon N, kappa sqrt(N) + D/sqrt(N), or Theorem 4.1 where that is no worse.
[[nodiscard]] std::vector<Violation> constrained_best_violations(const NoisyGd& setting);
[[nodiscard]] BestHorizon constrained_best(const NoisyGd& setting);  ///< never above constrained_mu or composition_mu

/// Both a contraction and a diameter: the best integer horizon, or Theorem 4.2 where that is no worse.
[[nodiscard]] std::vector<Violation> constrained_strongly_convex_violations(const NoisyGd& setting);
[[nodiscard]] BestHorizon constrained_strongly_convex_best(const NoisyGd& setting);  ///< `horizon` counts steps
/// Its infimum over real horizons and t: sqrt((1 + c) D (2 s - (1 - c) D)); the limit of Theorem 4.2 if
/// D >= s/(1 - c). Not above constrained_strongly_convex_best for any t that a diameter helps.
[[nodiscard]] Enclosure constrained_strongly_convex_infimum(const NoisyDescent& descent);

/// Where Theorem 4.3 as printed becomes flat: its parameter, and the first number of steps at which composition
/// reaches it.
struct Plateau {
  Enclosure mu;        ///< Theorem 4.3's, for every larger number of steps
  double count = 0.0;  ///< steps (or epochs)
};
/// \throws DomainError unless the diameter is finite.
[[nodiscard]] Plateau constrained_plateau(const NoisyDescent& descent);

}  // namespace dpcurves::interpolation
