// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Privacy curves as trade-off functions and back: the algebra of tradeoff/function.hpp for what a theorem promises.
///
/// Source: the duality of tradeoff/profile.hpp: f(a) = sup over epsilon of max(0, 1 - delta(epsilon) - exp(epsilon) a).
#pragma once

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/tradeoff/function.hpp>

namespace dpcurves::accounting {

/// What the curve promises, as a piecewise linear trade-off function: the largest of its tangents at `points` epsilons,
/// from where delta of the mirrored pair is 1e-12 to where delta is. It is never above the trade-off function of the
/// curve; compositions, subsampling and inverses of it are promises too.
///
/// \param points  in [2, 2000]; the composition of two functions of 2000 points is the largest that tensor() takes.
/// \throws DomainError  if points is outside its range; errors of the curve.
/// Accuracy: below the curve by at most 1e-15 where they touch; for G(1) and 400 points by less than 1e-4 between, for
/// 2000 by less than 4e-6. Cost: `points` evaluations of delta.
[[nodiscard]] tradeoff::TradeoffFunction tradeoff_function(const PrivacyCurve& curve, int points = 400);

/// The guarantee that f is one of T(P, Q) for neighbours P, Q: G(mu) as gaussian_curve, any other function by its
/// profile. Its epsilon is found by bisection to the last double, its Renyi divergence is not bounded.
/// \param f  may err below, as tables of Side::below do: what is promised then stays true. Cost of a delta:
/// O(vertices).
[[nodiscard]] CurvePtr function_curve(const tradeoff::TradeoffFunction& f);

}  // namespace dpcurves::accounting
