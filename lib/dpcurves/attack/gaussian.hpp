// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What an attacker can do against mu-GDP: the measures of measures.hpp in closed form.
///
/// G(mu) is symmetric, so every number holds in both directions. Each function encloses all values for mu in an
/// interval, 0 <= mu.lower <= mu.upper < inf; the ends belong to the ends of mu and are doubles next to the exact
/// values (ball arithmetic), for tiny mu, rates and priors too. DomainError outside the ranges. Cost: about 20 us.
///
/// Proofs: docs/theory/attack/measures.md. Source: Dong, Roth and Su, "Gaussian differential privacy" (2022).
#pragma once

#include <dpcurves/attack/measures.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::attack {

/// T = Phi(Phi^{-1}(a) + mu). \param false_positive_rate  a in [0, 1].
[[nodiscard]] Power gaussian_power(const Enclosure& mu, double false_positive_rate);
/// Phi(Phi^{-1}(r) - mu). \param recall  r in (0, 1]; 1 for r = 1 and mu finite.
[[nodiscard]] Enclosure gaussian_false_positive_rate(const Enclosure& mu, double recall);
/// A = erf(mu / (2 sqrt 2)).
[[nodiscard]] Advantage gaussian_advantage(const Enclosure& mu);
/// pi Phi(-mu/2 + c/mu) + (1 - pi) Phi(-mu/2 - c/mu), c = log((1 - pi) / pi). \param prior  pi in (0, 1).
[[nodiscard]] BayesError gaussian_bayes_error(const Enclosure& mu, double prior);
/// Phi(mu / sqrt 2).
[[nodiscard]] Enclosure gaussian_area(const Enclosure& mu);
/// min over h > 0 of delta_mu(odds - h) / (1 - e^-h), by the search of posterior_tail.
[[nodiscard]] Enclosure gaussian_posterior_tail(const Enclosure& mu, double odds);
/// Phi(mu/2 - odds/mu): how often the odds rise by e^odds for the Gaussian mechanism itself. Not a bound for others
/// that are mu-GDP: posterior_tail is. \param mu  lower end positive.
[[nodiscard]] Enclosure gaussian_pair_tail(const Enclosure& mu, double odds);

}  // namespace dpcurves::attack
