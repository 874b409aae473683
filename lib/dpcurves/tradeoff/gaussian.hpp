// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The Gaussian trade-off function G(mu), its (epsilon, delta) profile and the inverses of both.
///
/// G(mu)(a) = Phi(Phi^{-1}(1 - a) - mu) is the least type II error of any test between N(0, 1) and N(mu, 1) at type I
/// error a. A mechanism is mu-GDP when its trade-off function lies above G(mu).
///
/// Source: Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024), Definition 2.4,
/// Lemmas A.3 and A.4, Appendix D.4. All quantities are dimensionless. Accuracies are relative errors of results that
/// are normal doubles, for exact arguments.
#pragma once

#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::tradeoff {

/// Type II error of the optimal test between N(0, 1) and N(mu, 1).
///
/// \param type_one_error  a in [0, 1].
/// \param mu              separation in standard deviations, in [0, inf).
/// \return G(mu)(a) in [0, 1 - a]: 1 at a = 0 and 0 at a = 1, for every mu.
/// \throws DomainError    if an argument is outside its range or NaN.
/// Accuracy: 1e-14 for a in [1e-300, 1), mu up to 100. Cost: below 1 us.
[[nodiscard]] double gaussian(double type_one_error, double mu);

/// 1 - G(mu)(a), the power of the optimal test, without cancellation. Domain, errors, accuracy and cost as `gaussian`.
[[nodiscard]] double gaussian_power(double type_one_error, double mu);

/// Smallest delta for which mu-GDP implies (epsilon, delta)-DP.
///
/// delta = Phi(-u) - exp(epsilon) Phi(-v), u = epsilon/mu - mu/2, v = epsilon/mu + mu/2, evaluated as
/// phi(u) (R(u) - R(v)) with the Mills ratio R because the two terms cancel.
///
/// \param epsilon  any real number or an infinity.
/// \param mu       in [0, inf); 0 gives max(0, 1 - exp(epsilon)).
/// \throws DomainError  if an argument is outside its range or NaN.
/// Accuracy: 2e-14 for mu from 1e-12 to 1e4. Cost: below 1 us.
[[nodiscard]] double delta_of_epsilon(double epsilon, double mu);

/// log delta_of_epsilon, finite where delta underflows. Accuracy: 2e-14, also where delta is near 1.
[[nodiscard]] double log_delta_of_epsilon(double epsilon, double mu);

/// 1 - delta_of_epsilon without cancellation. Domain, errors, accuracy and cost as `delta_of_epsilon`.
[[nodiscard]] double one_minus_delta_of_epsilon(double epsilon, double mu);

/// Least epsilon >= 0 for which mu-GDP implies (epsilon, delta)-DP.
///
/// \param delta  in (0, 1).
/// \param mu     in [0, inf).
/// \throws DomainError  if an argument is outside its range or NaN.
/// Accuracy: 1e-12 for delta in [1e-300, 1 - 1e-3], mu in [1e-8, 100], while epsilon > 0.01 min(mu, 1); nearer to the
/// total variation distance, where epsilon vanishes, 1e-14 min(mu, 1) absolute. Cost: about 10 us.
[[nodiscard]] double epsilon_of_delta(double delta, double mu);

/// Largest mu for which mu-GDP implies (epsilon, delta)-DP.
///
/// \param epsilon  in [0, inf).
/// \param delta    in (0, 1).
/// \throws DomainError  if an argument is outside its range or NaN.
/// Accuracy: 1e-13 for epsilon in [0, 1e4], delta in [1e-300, 1 - 1e-3]. Cost: about 10 us.
[[nodiscard]] double mu_of_epsilon_delta(double epsilon, double delta);

/// The mu whose G(mu) passes through (type_one_error, type_two_error): -Phi^{-1}(a) - Phi^{-1}(b).
///
/// Both in [0, 1]; negative above the line a + b = 1, infinite on the border, 0 at (0, 1) and (1, 0).
/// \throws DomainError  if an argument is outside its range or NaN. Accuracy: 1e-15 of the larger quantile.
[[nodiscard]] double mu_of_point(double type_one_error, double type_two_error);

/// Least mu for which (epsilon, 0)-DP implies mu-GDP: -2 Phi^{-1}(1 / (1 + exp(epsilon))).
/// \param epsilon  in [0, inf]. \throws DomainError outside. Accuracy: 1e-14. Source: Appendix D.4.
[[nodiscard]] double pure_dp_to_gdp(double epsilon);

/// The inverse of pure_dp_to_gdp: log(Phi(mu/2) / Phi(-mu/2)). No statement that mu-GDP implies pure DP, which is
/// false. \param mu  in [0, inf]. \throws DomainError outside. Accuracy: 1e-14.
[[nodiscard]] double pure_dp_of_gdp(double mu);

// What follows is proved (ball arithmetic) and is what guarantees are made of; the functions above are faster, their
// accuracies are measured. Each encloses all values for mu in an interval, 0 <= mu.lower <= mu.upper <= inf; the ends
// belong to mu.lower and mu.upper, and are doubles next to the exact values there or, very rarely, next to those: for
// every argument of the domain, denormal numbers included. DomainError outside. Cost: about 20 us for one mu.

/// All values of delta_of_epsilon: `upper` may be promised. \param epsilon  any real number or an infinity.
[[nodiscard]] Enclosure delta_enclosure(double epsilon, Enclosure mu);

/// All values of epsilon_of_delta: `upper` may be promised. \param delta  in (0, 1).
[[nodiscard]] Enclosure epsilon_enclosure(double delta, Enclosure mu);

/// mu_of_epsilon_delta: `lower` may be used as a budget. \param epsilon  in [0, inf). \param delta  in (0, 1).
[[nodiscard]] Enclosure mu_enclosure(double epsilon, double delta);

/// All values of G(mu)(a): `lower` may be promised. \param type_one_error  a in [0, 1].
[[nodiscard]] Enclosure gaussian_enclosure(double type_one_error, Enclosure mu);

/// pure_dp_to_gdp: `upper` may be promised. \param epsilon  in [0, inf].
[[nodiscard]] Enclosure pure_dp_to_gdp_enclosure(double epsilon);

}  // namespace dpcurves::tradeoff
