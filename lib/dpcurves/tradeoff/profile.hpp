// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The duality between trade-off functions and privacy profiles.
///
/// delta(epsilon) = sup over a of 1 - f(a) - exp(epsilon) a, for every real epsilon, is convex and non-increasing in
/// x = exp(epsilon), and f(a) = sup over epsilon of max(0, 1 - delta(epsilon) - exp(epsilon) a).
///
/// Source: Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024), Definition 2.1; Dong, Roth
/// and Su, "Gaussian differential privacy" (2022), Proposition 6.
#pragma once

#include <functional>

#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::tradeoff {

/// delta at one epsilon from the power 1 - f(a) of a trade-off function; error estimated, from that of `power`.
///
/// The objective is concave in a, so the chords of the last three points bound its maximum from above. The search runs
/// over quantiles of a and reaches type I errors of 1e-300.
/// \param power    concave, non-decreasing on [0, 1], relative error below 2e-12.
/// \param epsilon  finite. \throws DomainError otherwise.
/// Relative width about 1e-11 where power has relative accuracy. Cost: about 150 evaluations.
[[nodiscard]] Enclosure delta_of_power(const std::function<double(double)>& power, double epsilon);

/// A lower bound of f(a) from any profile: the best of the tangents at epsilon in [lowest, highest].
///
/// Every epsilon gives a valid bound, so the search (golden section after a scan) costs tightness at most; the tangent
/// it ends with is rounded down (ball arithmetic).
/// \param delta  upper bound of the profile at each epsilon. \param type_one_error  in [0, 1].
/// \throws DomainError  unless lowest <= highest are finite. Cost: about 200 evaluations.
[[nodiscard]] double tradeoff_of_profile(const std::function<double(double)>& delta, double type_one_error,
                                         double lowest, double highest);

/// delta(epsilon) = 1 - exp(epsilon) (1 - delta(-epsilon)): the profile of T(Q, P) from that of T(P, Q), and of a
/// symmetric pair at the opposite epsilon. Proved: each end is next to the exact value for its end of the argument.
/// \param epsilon  finite. \throws DomainError  otherwise.
[[nodiscard]] Enclosure mirrored_delta(const Enclosure& delta_at_opposite, double epsilon);

}  // namespace dpcurves::tradeoff
