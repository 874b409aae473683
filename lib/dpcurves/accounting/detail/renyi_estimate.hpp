// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Renyi divergences of subsampled Gaussian pairs in doubles: fast, error estimated. Internal.
///
/// Chooses orders and precisions; no guarantee rests on it. The proved values are those of subsampled_renyi.hpp.
///
/// With u(x) = q (exp(mu x - mu^2/2) - 1) = dQ/dP - 1, of mean 0 under P = N(0, 1),
///
///     exp((a - 1) D_a) = 1 + J,   J = E_P [ (1 + u)^b - 1 - b u ],   b = a or 1 - a.
///
/// The bracket is nonnegative by convexity and is evaluated as a sum of positive terms in l = log(1 + u), so nothing
/// cancels however small the divergence is; where it is large the sum is formed in the log domain.
#pragma once

namespace dpcurves::accounting::detail {

/// b = a (with the record against without it), b = 1 - a (the reverse), or the sum of both over u > 0, which is the
/// pair of C_q(G(mu)).
enum class SampledPair {
  remove,       ///< b = a
  add,          ///< b = 1 - a
  symmetrised,  ///< both, over u > 0 alone
  replaced      ///< a replaced record, which has an estimate of its own
};

/// log J, of the first three. \param sampling_rate  in (0, 1). \param mu  in (0, 100]. \param order  in (1, 1e12].
/// \throws ConvergenceError  past 4e6 evaluations of the integrand.
/// The trapezoid rule is halved until two levels agree to 1e-6 of J: the next would agree to the square of that, so
/// that only rounding is left, about 1e-12. Cost: 5 to 20 us for mu <= 1.
[[nodiscard]] double estimated_log_moment(SampledPair pair, double sampling_rate, double mu, double order);

/// log M of a replaced record, M = E_Q [(P/Q)^a], P and Q = (1 - q) N(0, 1) + q N(+-mu, 1):
///
///     M - 1 = integral over x > 0 of Q(x) (1 - e^{-(a - 1) l}) (e^{a l} - 1),   l = log P/Q,
///
/// which is what x and -x bring together. Nothing cancels.
/// \param sampling_rate  in (0, 1). \param mu  in (0, 100]. \param order  in (1, 1e12].
/// \throws ConvergenceError  past 4e6 evaluations of the integrand.
/// Accuracy: a relative 1e-9 of log M. Cost: about 30 us for mu <= 1.
[[nodiscard]] double estimated_replaced_log_moment(double sampling_rate, double mu, double order);

/// fixed_size_renyi_bound (subsampled_renyi.hpp) to about 1e-12, not rounded up.
/// \param order  an integer from 2 to 1e5.
/// Cost: about 0.1 us times the order.
[[nodiscard]] double estimated_fixed_size_bound(double sampling_rate, double mu, double order);

}  // namespace dpcurves::accounting::detail
