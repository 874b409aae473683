// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A mechanism summarised by one GDP parameter, and what the summary costs.
///
/// The regret of G(mu) for a trade-off function f is the least k >= 0 with f(a + k) - k <= G(mu)(a) for all a. It
/// equals max over priors of the Bayes error under f minus that under G(mu), which is max over x >= 1 of (D_mu(x) -
/// D(x)) / (1 + x) with D the larger profile of both directions. Proof: docs/theory/attack/regret.md.
///
/// Source: the definition of Gomez et al. (2025) and Kaissis et al. (2024); the theorem is derived in this project.
#pragma once

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/attack/profile.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::attack {

/// The regret, and where it is taken.
struct Regret {
  Enclosure regret;      ///< for the given mu
  double epsilon = 0.0;  ///< log x of the largest difference seen: the prior 1 / (1 + e^epsilon)
};

/// The regret of G(mu). True for every mu; where G(mu) lies above the profile somewhere it says nothing about that.
/// \param profile   of both directions: symmetric. \param mu  in (0, inf).
/// \param absolute  wanted width. \throws DomainError  outside. Cost: 100 to 300 questions.
[[nodiscard]] Regret regret(Profile& profile, double mu, double absolute = 1e-8);

/// For (epsilon, 0)-DP the smallest mu is that of pure_dp_to_gdp, and the regret delta_mu(epsilon) / (1 + e^epsilon).
/// \param epsilon  in [0, 700]. \throws DomainError  outside.
[[nodiscard]] Regret pure_dp_regret(double epsilon);

/// The least m with min(T(a), 1 - floor) <= T of G(m) for every a >= floor: then f is above G(m)(a + floor) - floor
/// everywhere. At most twice the upper quantile of `floor`, which is the answer where T(floor) is above 1 - floor.
/// \param profile   of both directions: symmetric. \param floor  in [1e-300, 1/2).
/// \param relative  wanted width. \throws DomainError  outside.
/// Accuracy: a bracket, wider where mu is nearly the same at many rates: up to 1e-3. Cost: 1000 questions, and
/// up to a second for a floor of 1e-10, ten for 1e-300.
[[nodiscard]] Enclosure gdp_parameter_above_rate(Profile& profile, double floor, double relative = 1e-5);

}  // namespace dpcurves::attack
