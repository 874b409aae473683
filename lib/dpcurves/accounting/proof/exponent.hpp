// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Sizes of e^{z l + c} over boxes in doubles, rounded up. Internal.
#pragma once

#include <algorithm>
#include <cmath>

#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::accounting::proof {

inline constexpr slong box_bits = 64;  ///< of balls that only bound

/// x u - y v + c for the x, y, u, v of intervals, rounded up: five operations of doubles, each within 2^-53.
[[nodiscard]] inline double exponent(double x_low, double x_high, double y_low, double y_high, double re_low,
                                     double re_high, double im_low, double c) {
  const double a = std::max(std::max(x_low * re_low, x_low * re_high), std::max(x_high * re_low, x_high * re_high));
  const double b = im_low >= 0.0 ? -y_low * im_low : -y_high * im_low;
  const double size = std::abs(a) + std::abs(b) + std::abs(c);
  return a + b + c + 4e-15 * size;
}

/// |re + i im|, rounded up.
[[nodiscard]] inline double modulus(double re, double im) {
  return std::sqrt(re * re + im * im) * (1.0 + 1e-15) + 1e-300;
}

}  // namespace dpcurves::accounting::proof
