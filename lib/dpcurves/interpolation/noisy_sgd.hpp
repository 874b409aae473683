// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The last iterate of noisy SGD, each step on b of n records drawn without replacement: its privacy as a composition
/// of one Gaussian mechanism and subsampled ones, by accounting/composition.hpp.
///
/// With kappa = L/(b sigma), p = b/n, c the contraction, D the diameter in units of the iterate noise, N the horizon
/// t - tau, and a split of the noise 1/alpha^2 + 1/beta^2 = 1, alpha, beta > 1:
///
///     composition   C_p(G(kappa))^t                                                             (Theorem 4.8)
///     two_process   G(2 alpha kappa (c^(N+1) - c^t)/(1 - c)), C_p(G(2 beta kappa)), C_p(G(2 kappa))^N    (4.9)
///     constrained   G(alpha D/sqrt(N)), C_p(G(2 beta kappa))^N                                          (4.10)
///     one_process   G(alpha z Gamma), C_p(G(2 beta kappa))^N, z = min(D, kappa (1 - c^(t-N))/(1 - c)),
///                   Gamma = c^N sqrt((1 - c^2)/(1 - c^(2N)))                                     (derived-4)
///
/// The paper has alpha = beta = sqrt(2). Every (N, alpha) gives a valid guarantee.
///
/// Source: Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024), Theorems 4.8 to 4.10 and
/// C.13; one process: shifted-interpolation/derived-4.
#pragma once

#include <numbers>
#include <span>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/interpolation/descent.hpp>

namespace dpcurves::interpolation {

/// `steps` of noisy SGD. effective_sensitivity is L/(b sigma).
struct NoisySgd {
  NoisyDescent descent;        ///< losses, noise and constraint; kappa is that of one batch
  double sampling_rate = 1.0;  ///< p = b/n in (0, 1]
  double steps = 1.0;          ///< an integer >= 1, or infinite for any number of steps
};

/// Which of the four bounds above.
enum class SgdBound { composition, two_process, constrained, one_process };

/// The hypotheses of a bound that a setting does not satisfy.
/// \throws DomainError for numbers outside their range.
[[nodiscard]] std::vector<Violation> violations(SgdBound bound, const NoisySgd& setting);

/// The composition of a bound, its parameters rounded up by a relative 1e-14 and 4e-16 for each unit of the exponent
/// in c^N. Sampling rates below 1e-300 are raised to it.
///
/// \param horizon  N: 0 .. t - 1 for two_process, 1 .. t for constrained and one_process; not used by composition.
/// \param split    alpha > 1, finite; not used by composition.
/// \throws DomainError  outside, or if violations(bound, setting) is not empty.
[[nodiscard]] accounting::Composition sgd_composition(SgdBound bound, const NoisySgd& setting, double horizon = 0.0,
                                                      double split = std::numbers::sqrt2);

/// beta of a split: alpha/sqrt((alpha - 1)(alpha + 1)), rounded up.
[[nodiscard]] double other_split(double alpha);

/// Theorem C.13, free shift sequences for t = shifts.size() + 1 steps:
/// G(2 alpha c z_(t-1)) with C_p(G(2 a_k)) for 1 <= k < t and C_p(G(2 beta kappa)),
/// z_(t-1) = kappa (1 - c^(t-1))/(1 - c) - sum c^(t-1-k) a_k.
/// \param shifts  a_1 .. a_(t-1) in units of the iterate noise, each in [0, kappa].
[[nodiscard]] accounting::Composition sgd_composition_of_shifts(const NoisyDescent& descent, double sampling_rate,
                                                                std::span<const double> shifts,
                                                                double split = std::numbers::sqrt2);

/// A horizon from the central limit theorem: an approximation that no guarantee may rest on.
struct ApproximateHorizon {
  double horizon = 0.0;  ///< real N >= 0
  double mu = 0.0;       ///< approximate GDP parameter there
};
/// Proposition C.14 (alpha = beta = sqrt(2), t infinite) for two_process. \throws DomainError unless c is in (0, 1).
[[nodiscard]] ApproximateHorizon approximate_horizon_strongly_convex(const NoisySgd& setting);
/// Proposition C.15 (alpha = beta = sqrt(2)) for constrained. \throws DomainError unless the diameter is finite.
[[nodiscard]] ApproximateHorizon approximate_horizon_constrained(const NoisySgd& setting);

}  // namespace dpcurves::interpolation
