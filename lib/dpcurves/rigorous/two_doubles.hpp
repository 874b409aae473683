// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Complex numbers of two doubles a part, 31 digits, with a bound of what they are off by: linear recurrences as fast
/// as exponentials in doubles, where balls take a hundred times as long. Internal.
///
/// A step x a + b takes products (Dekker's, or with one rounding of a b + c) and Knuth's sums, which are exact. With S
/// = |x| |a| + |b| (moduli as sums of the parts'), low parts are below 5 2^-53 S, what is rounded of them and left out
/// below 2^-100 S in all, also where high parts cancel. 2^-98 S is counted. IEEE arithmetic of doubles without
/// contraction is trusted.
#pragma once

#include <span>
#include <vector>

#include <dpcurves/rigorous/ball.hpp>
#include <dpcurves/rigorous/width.hpp>

namespace dpcurves::rigorous {

/// A complex number within `error` (of the modulus) of (re + re_low) + i (im + im_low).
struct TwoDoubles {
  double re = 0.0;      ///< high part of the real part
  double re_low = 0.0;  ///< low part of it
  double im = 0.0;      ///< high part of the imaginary part
  double im_low = 0.0;  ///< low part of it
  double error = 0.0;   ///< at least the distance from the number that is meant
};

/// \param z  beyond the range of doubles the error is infinite.
[[nodiscard]] TwoDoubles two_doubles(const Complex& z);
/// The ball of what it may be.
[[nodiscard]] Complex ball_of(const TwoDoubles& v);

/// The sequences x_0 = first, x_{k+1} = x_k ratio + shift, side by side. x_k - limit = ratio^k (first - limit).
struct Sequences {
  std::vector<TwoDoubles> first;  ///< x_0 of each
  std::vector<TwoDoubles> ratio;  ///< what x_k is multiplied by
  std::vector<TwoDoubles> shift;  ///< what is added then: limit (1 - ratio)
  std::vector<TwoDoubles> limit;  ///< what is reached where |ratio| < 1
};
/// The sums over all sequences of x_k, for k = 0, ..., last. Sequences that have reached their limit to 1e-40 are not
/// continued. Cost: some 3 ns for each sequence and k before that, 8 with two lanes.
[[nodiscard]] std::vector<TwoDoubles> sums(const Sequences& sequences, long last, Width width = widest());

/// The polynomial with these coefficients at w, |w| <= 1 up to roundings, by Horner's scheme.
/// \param derivative  not null: that too, without its error.
[[nodiscard]] TwoDoubles polynomial(std::span<const TwoDoubles> coefficients, const TwoDoubles& w,
                                    TwoDoubles* derivative = nullptr);

}  // namespace dpcurves::rigorous
