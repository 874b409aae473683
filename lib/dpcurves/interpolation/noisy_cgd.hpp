// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The GDP parameter of the last iterate of noisy cyclic gradient descent: the same l batches in the same order,
/// epoch after epoch.
///
/// Every `..._mu` returns the parameter that its theorem gives, rounded outward by a relative 4e-15; `upper` may be
/// promised. With kappa the effective sensitivity, D the diameter and s = kappa the step sensitivity, both in units
/// of the iterate noise, c = exp(-h) the contraction, l batches and E epochs.
///
/// Source: Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024), Theorems 4.4, 4.5, 4.6
/// and C.17, Lemmas C.10 and C.11; the bound for c = 1: shifted-interpolation/derived-2; batch positions and the
/// constrained strongly convex bound: the shift problem, shifted-interpolation/derived-1.
///
/// \throws DomainError (all)  if a number is outside its range, or if `..._violations(setting)` is not empty.
/// Accuracy (all): `upper` is within a relative 5e-15 of the formula. Cost: a few elementary functions.
#pragma once

#include <dpcurves/interpolation/descent.hpp>
#include <dpcurves/interpolation/noisy_gd.hpp>

namespace dpcurves::interpolation {

/// `epochs` passes over `batches_per_epoch` fixed batches. effective_sensitivity is L/(b sigma).
struct NoisyCgd {
  NoisyDescent descent;            ///< losses, noise and constraint; kappa is that of one batch
  double batches_per_epoch = 1.0;  ///< l, an integer >= 1
  double epochs = 1.0;             ///< E, an integer >= 1, or infinite for any number of epochs
};

/// Theorem 4.4, any losses of the sensitivity: kappa sqrt(E).
[[nodiscard]] std::vector<Violation> composition_violations(const NoisyCgd& setting);
[[nodiscard]] Enclosure composition_mu(const NoisyCgd& setting);  ///< grows without limit in E

/// Theorem 4.5, contraction c, for the worst position of the differing batch, the last one:
/// kappa sqrt(1 + c^(2l-2) (1 - c^2)/(1 - c^l)^2 tanh(l(E-1)h/2)). With one batch this is Theorem 4.2 at t = E.
[[nodiscard]] std::vector<Violation> strongly_convex_violations(const NoisyCgd& setting);
[[nodiscard]] Enclosure strongly_convex_mu(const NoisyCgd& setting);  ///< bounded in E for c < 1
/// Theorem 4.5 as printed, which at l = 1 is looser.
[[nodiscard]] Enclosure strongly_convex_mu_printed_form(const NoisyCgd& setting);

/// The optimum for a known position 1 .. l of the differing batch; at l it is strongly_convex_mu.
[[nodiscard]] Enclosure batch_position_mu(const NoisyCgd& setting, double position);

/// Convex losses without constraint, the limit c = 1: kappa sqrt(1 + (E - 1)/l).
[[nodiscard]] std::vector<Violation> convex_violations(const NoisyCgd& setting);
[[nodiscard]] Enclosure convex_mu(const NoisyCgd& setting);  ///< the limit of the strongly convex parameter

/// Theorem 4.6 as printed, convex losses: sqrt(kappa^2 + 3 kappa D/l + kappa^2 ceil(D/s)/l), for E >= D/s.
[[nodiscard]] std::vector<Violation> constrained_violations(const NoisyCgd& setting);
[[nodiscard]] Enclosure constrained_mu(const NoisyCgd& setting);  ///< does not depend on E
/// The same proof at an integer horizon 1 <= N <= E - 1: sqrt(kappa^2 + (D + kappa N)^2/(l N)).
[[nodiscard]] Enclosure constrained_mu_at(const NoisyCgd& setting, double horizon);
/// Started right after a differing step: sqrt(kappa^2 + (D + kappa (N - 1))^2/(l N - 1)).
/// \throws DomainError  also unless l N >= 2 and (N = 1 or D >= s (l - 1)/l): outside, the formula is smaller than
///                      the optimum and no guarantee.
[[nodiscard]] Enclosure constrained_improved_mu_at(const NoisyCgd& setting, double horizon);

/// The least of constrained_improved_mu_at over its horizons, convex_mu and composition_mu (`shifted` is false for
/// the last two). With one batch this is constrained_best of noisy gradient descent.
[[nodiscard]] std::vector<Violation> constrained_best_violations(const NoisyCgd& setting);
[[nodiscard]] BestHorizon constrained_best(const NoisyCgd& setting);  ///< never above composition or convex_mu

/// Contraction (1 where none is given) and diameter together: the exact optimum over all starts of the
/// interpolation. Never above constrained_best or strongly_convex_mu.
[[nodiscard]] std::vector<Violation> constrained_strongly_convex_violations(const NoisyCgd& setting);
[[nodiscard]] BestHorizon constrained_strongly_convex_best(const NoisyCgd& setting);  ///< `horizon` counts epochs

/// Theorem C.17: no parameter below kappa sqrt((1 - c^(lE))/(1 + c^(lE)) (1 - c^2)/(1 - c^l)^2) holds for every loss
/// of this contraction. `lower` may be claimed.
[[nodiscard]] Enclosure strongly_convex_lower_bound(const NoisyCgd& setting);

/// Where Theorem 4.6 as printed becomes flat: its parameter, and the first number of epochs at which composition
/// reaches it, ceil(1 + 3 D/(s l) + ceil(D/s)/l).
[[nodiscard]] Plateau constrained_plateau(const NoisyDescent& descent, double batches_per_epoch);
/// The first number of epochs at which convex_mu reaches it: ceil(1 + 3 D/s + ceil(D/s)).
[[nodiscard]] Plateau constrained_plateau_from_convex(const NoisyDescent& descent, double batches_per_epoch);
/// The epochs of Tables 10 to 12 as published: a sum in the definition had become a product. Not a threshold.
/// \param sensitivity  L/b; \param step_size  eta; \param diameter  D: physical units, because the published
///                     expression is not dimensionally consistent.
[[nodiscard]] double plateau_epochs_printed_form(double sensitivity, double step_size, double diameter,
                                                 double batches_per_epoch);

}  // namespace dpcurves::interpolation
