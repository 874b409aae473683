// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Renyi moments of subsampled Gaussian pairs in ball arithmetic. Internal.
///
/// M = integral of phi r^A, r(x) = 1 - q + q exp(mu x - mu^2/2): A = a for D_a(Q || P), A = 1 - a for D_a(P || Q);
/// for the pair of C_q(G(mu)) M is its atom plus both integrals over x > mu/2; for a replaced record the integrand is
/// phi r^a s^(1 - a), s that of -mu. The trapezoidal rule has an
/// exponentially small error that the size of the integrand off the real line bounds; the ends are bounded by normal
/// tails. Proof: docs/accuracy.md.
#pragma once

#include <dpcurves/accounting/detail/renyi_estimate.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::accounting::detail {

/// log M at the working precision, relative to M within a few units of it; a ball that is not finite where that would
/// take more than 3e6 nodes, of a replaced record 3e4.
/// \param sampling_rate  in (0, 1). \param mu  in (0, 100]. \param order  in (1, 1e12].
/// \param log_moment     about log M; a wrong value costs accuracy, never validity.
[[nodiscard]] rigorous::Real log_moment_ball(SampledPair pair, double sampling_rate, double mu, double order,
                                             double log_moment);

}  // namespace dpcurves::accounting::detail
