// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The GDP parameter of Langevin Monte Carlo, X <- Proj_K(X - eta grad F(X) + N(0, 2 eta I)): noisy gradient descent
/// on one record with noise sqrt(2/eta).
///
/// Source: Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024), Proposition 5.1,
/// Corollaries 5.2 and 5.4, Remark 5.3.
///
/// Two different inputs are called L in the paper. `lipschitz_of_difference` bounds the gradient of F - F' and is the
/// sensitivity; `lipschitz` bounds the gradients of F and of F' each, and the sensitivity is twice it.
///
/// Every `..._mu` is rounded outward by a relative 4e-15. \throws DomainError (all) for numbers outside their range
/// and where `..._violations(setting)` is not empty. Cost: a few elementary functions.
#pragma once

#include <optional>

#include <dpcurves/interpolation/noisy_gd.hpp>

namespace dpcurves::interpolation {

/// F and F' m-strongly convex, F - F' Lipschitz, not constrained.
struct Langevin {
  double lipschitz_of_difference = 0.0;  ///< >= 0, finite
  double strong_convexity = 0.0;         ///< m >= 0, finite
  double step_size = 0.0;                ///< eta in (0, 1/m]
  double steps = 1.0;                    ///< an integer >= 1, or infinite for the stationary law
  std::optional<double> smoothness;      ///< M >= m; eta at most 2/(m + M) is taken on trust where it is not given
};

/// Proposition 5.1: L sqrt((2 - eta m)/(2 m)) sqrt((1 - c^t)/(1 + c^t)), c = 1 - eta m; L sqrt(eta t/2) for m = 0.
/// Its factor without t is the parameter of the stationary law, Corollary 5.2.
[[nodiscard]] std::vector<Violation> langevin_violations(const Langevin& setting);
[[nodiscard]] Enclosure langevin_mu(const Langevin& setting);  ///< For finite steps or the stationary law.

/// The same algorithm as noisy gradient descent. \throws DomainError for numbers outside their range.
[[nodiscard]] NoisyGd as_noisy_gd(const Langevin& setting);

/// F and F' convex and Lipschitz each, projected on a convex set of finite diameter.
struct ProjectedLangevin {
  double lipschitz = 0.0;  ///< of F and of F', >= 0, finite
  double diameter = 0.0;   ///< D >= 0, finite
  double step_size = 0.0;  ///< eta > 0, at most 2/M for M-smooth functions (taken on trust)
  double steps = 1.0;      ///< an integer >= 1, or infinite for the stationary law
};

/// Corollary 5.4 as stated, for any number of steps: sqrt(4 L D + 2 eta L^2).
[[nodiscard]] Enclosure projected_langevin_mu(const ProjectedLangevin& setting);
/// The same with the ceiling kept: sqrt(3 L D + 2 eta L^2 ceil(D/(2 eta L))).
[[nodiscard]] Enclosure projected_langevin_ceiling_mu(const ProjectedLangevin& setting);
/// The same algorithm as noisy gradient descent, for Theorem C.7 at its best horizon.
[[nodiscard]] NoisyGd as_noisy_gd(const ProjectedLangevin& setting);

}  // namespace dpcurves::interpolation
