// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Renyi, Kullback-Leibler and total variation divergences of normal laws, in nats.
///
/// The Renyi divergence of order a > 1 is D_a(P || Q) = log E_Q (dP/dQ)^a / (a - 1); order 1 is Kullback-Leibler. The
/// hockey-stick divergence of two normal laws with one variance is tradeoff::delta_of_epsilon.
///
/// Source: Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024), Definition A.1 and
/// Appendix A.1; the formula for different variances follows by completing the square.
#pragma once

namespace dpcurves::divergence {

/// D_a(N(mu, 1) || N(0, 1)) = a mu^2 / 2; a bound of the Renyi divergence of every mu-GDP mechanism.
/// \param renyi_order  a >= 1. \param mu  in [0, inf). \throws DomainError outside. Accuracy: 4e-16.
[[nodiscard]] double gaussian_renyi(double renyi_order, double mu);

/// N(mean, standard_deviation^2).
struct Normal {
  double mean = 0.0;                ///< any finite number
  double standard_deviation = 1.0;  ///< > 0, finite
};

/// D_a(P || Q) of two normal laws on the line; infinite if a sd(Q)^2 + (1 - a) sd(P)^2 <= 0.
/// \param renyi_order  a >= 1, finite. \throws DomainError outside.
/// Accuracy: 1e-14, also for nearly equal laws, while a sd(Q)^2 + (1 - a) sd(P)^2 is not a small difference.
[[nodiscard]] double renyi(double renyi_order, const Normal& p, const Normal& q);

/// The same for P = N(gap, 1 + excess) and Q = N(0, 1): infinite if 1 + (1 - a) excess <= 0 or excess <= -1.
/// \param gap_squared  the square of the gap, in [0, inf].
[[nodiscard]] double relative_renyi(double renyi_order, double excess, double gap_squared);

}  // namespace dpcurves::divergence
