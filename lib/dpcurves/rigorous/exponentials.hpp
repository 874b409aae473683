// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Exponentials of many doubles at once, with a proved error: a hundred times faster than balls. Internal.
///
/// x = k log 2 + r, y = k pi/2 + s by constants of two and three parts whose products with k are exact, then Taylor
/// polynomials by Horner's scheme on |r| <= 0.35 and |s| <= 0.79, with remainders below 1e-17. An error shrinks by |r|
/// or s^2 with each step, so that all roundings together stay below 12 units of 2^-53. For e^z - 1 near 0, p_k = 1/(k +
/// 1)! + z p_{k+1} with |z| <= 1/4: a complex product loses 2.24 units, so that p_1 <= 0.55 is off by less than 0.8,
/// p_0 <= 1.14 by 1.7 and p_0 z by 4.5 units of |z|; the remainder is below |z|^12 / 13! < 1e-17. IEEE arithmetic is
/// trusted, the C library is not asked.
#pragma once

#include <cstddef>

#include <dpcurves/rigorous/width.hpp>

namespace dpcurves::rigorous {

/// What exponentials() and polar_exponentials() are off by, relative to e^x.
inline constexpr double exponential_error = 2e-15;

/// out = e^x. \param x  at most 700; below -700 counts as -700. In place is allowed. Cost: 3 ns each.
void exponentials(std::size_t count, const double* x, double* out, Width width = widest());

/// re + i im = e^{x + i y}. \param x  as in exponentials(). \param y  |y| <= largest_angle. In place is allowed.
void polar_exponentials(std::size_t count, const double* x, const double* y, double* re, double* im,
                        Width width = widest());

/// What exponentials_less_one() is off by, relative to |z|.
inline constexpr double less_one_error = 1e-15;

/// re + i im = e^z - 1 where |x| + |y| <= largest_small, for z = x + i y; elsewhere anything. In place is allowed.
/// Cost: 10 ns each.
void exponentials_less_one(std::size_t count, const double* x, const double* y, double* re, double* im,
                           Width width = widest());

/// Taylor's polynomial is enough to here.
inline constexpr double largest_small = 0.25;

/// Beyond, the angle is not reduced exactly.
inline constexpr double largest_angle = 1e6;

}  // namespace dpcurves::rigorous
