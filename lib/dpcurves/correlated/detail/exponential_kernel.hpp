// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Inside the folder only: the hot loop of the forward recursions.
#pragma once

#include <cstddef>

namespace dpcurves::correlated {

/// weight[i] *= exp(slope x[i]) quadratic[i], and returns the sum of the weights.
///
/// The exponential is a polynomial of degree 8 on [-1/2, 1/2], of degree 6 where all |slope x| are below 0.19, squared
/// as often as the largest asks for: no branches, so that it runs in vector registers. Relative error below
/// 2e-8 |slope x|, much less where that is below the largest.
/// \param largest  at least every |x[i]|.
double multiply_exponentials(double* weight, const double* x, const double* quadratic, std::size_t count, double slope,
                             double largest);

/// weight[i] *= exp(slope x[i] - square x[i]^2 - shift), the shift such that the largest positive weight becomes 1, for
/// any slope and with quadratic[i] = exp(-square x[i]^2). Sets `shift` and returns the sum, 0 if no weight is positive.
/// Slow.
double multiply_any_exponentials(double* weight, const double* x, std::size_t count, double slope, double square,
                                 double& shift);

/// The sum of `count` numbers, in four running sums that fit a vector register.
double blocked_sum(const double* x, std::size_t count);

}  // namespace dpcurves::correlated
