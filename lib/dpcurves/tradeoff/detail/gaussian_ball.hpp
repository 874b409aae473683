// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The Gaussian trade-off function and profile in ball arithmetic. Internal, not installed.
///
/// Every ball holds the exact value, whatever the precision (rigorous::Precision) of the caller; where it is too wide
/// call again with more (rigorous::refined). Proofs: docs/accuracy.md.
#pragma once

#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::tradeoff::detail {

/// R(x) = Phi(-x) / phi(x). \param x  at least -40. Loses about 2 log2 |x| bits below 2^12, none above.
[[nodiscard]] rigorous::Real mills_ball(const rigorous::Real& x);

/// G(mu) where the type I error is P(Z > upper_quantile).
[[nodiscard]] rigorous::Real tradeoff_ball(const rigorous::Real& upper_quantile, const rigorous::Real& mu);

/// delta(epsilon) of G(mu). \param epsilon  finite, of either sign. \param mu  positive.
[[nodiscard]] rigorous::Real delta_ball(const rigorous::Real& epsilon, const rigorous::Real& mu);

/// The bits with which delta_ball is narrow, nearly always.
[[nodiscard]] slong delta_bits(double epsilon, double mu);

/// max(0, the epsilon with delta_ball(epsilon, mu) = delta). \param delta  in (0, 1). \param mu  positive, finite.
[[nodiscard]] rigorous::Real epsilon_ball(double delta, double mu);

/// The mu with delta_ball(epsilon, mu) = delta. \param epsilon  in [0, inf). \param delta  in (0, 1).
[[nodiscard]] rigorous::Real mu_ball(double epsilon, double delta);

/// The x with P(Z > x) = tail. \param tail  in (0, 1).
[[nodiscard]] rigorous::Real upper_quantile_ball(double tail);

/// -2 Phi^{-1}(1 / (1 + exp(epsilon))). \param epsilon  a positive double or a ball of relative radius below 2^-20.
[[nodiscard]] rigorous::Real pure_dp_ball(const rigorous::Real& epsilon);

}  // namespace dpcurves::tradeoff::detail
