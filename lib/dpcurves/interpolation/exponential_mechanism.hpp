// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The GDP parameter of the exponential mechanism: one sample of the density proportional to exp(-F).
///
/// Source: Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024), Corollaries 5.2 and 5.4,
/// Remark 5.3 and Appendix D.4.
///
/// Two different inputs are called L in the paper: `lipschitz_of_difference` is the Lipschitz constant of F - F',
/// `lipschitz` that of F and of F' each.
///
/// \throws DomainError (all) for numbers outside their range. Accuracy (all): relative 1e-14, rounded outward.
#pragma once

#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::interpolation {

// All are proved (ball arithmetic); the ends are at most three doubles apart, those of the threshold a few more.

/// Corollary 5.2, F and F' m-strongly convex on the whole space: L/sqrt(m). Attained by shifted quadratics.
/// \param lipschitz_of_difference  >= 0, finite. \param strong_convexity  m > 0, finite.
[[nodiscard]] Enclosure exponential_mechanism_strongly_convex_mu(double lipschitz_of_difference,
                                                                 double strong_convexity);

/// Corollary 5.4, F and F' convex, on a convex body of diameter D: 2 sqrt(L D).
/// \param lipschitz  of F and of F', >= 0, finite. \param diameter  D >= 0, finite.
[[nodiscard]] Enclosure exponential_mechanism_convex_mu(double lipschitz, double diameter);

/// The epsilon of the classical (2 L D, 0)-DP bound for the same mechanism, rounded outward.
[[nodiscard]] Enclosure exponential_mechanism_pure_epsilon(double lipschitz, double diameter);

/// The parameter that (2 L D, 0)-DP implies: -2 Phi^{-1}(1/(1 + exp(2 L D))).
[[nodiscard]] Enclosure exponential_mechanism_pure_mu(double lipschitz, double diameter);

/// c*, the L D above which Corollary 5.4 beats the classical bound: the root of exp(2x) = Phi(sqrt x)/Phi(-sqrt x).
[[nodiscard]] Enclosure exponential_mechanism_threshold();

}  // namespace dpcurves::interpolation
