// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Newton's method held inside a bracket, for the inverses of trade-off functions and profiles.
#pragma once

#include <cmath>
#include <limits>

namespace dpcurves::tradeoff {

/// A function value and its derivative.
struct ValueAndSlope {
  double value = 0.0;  ///< of the function at the point
  double slope = 0.0;  ///< its derivative there; the sign must be right
};

/// The root of a monotone function in [lower, upper], from `start`.
///
/// \param function  maps a double to ValueAndSlope; value and slope keep their signs apart from rounding.
/// \param rising    whether the function increases.
/// Newton steps that leave the bracket are replaced by bisection. Ends when a step is below one unit in the last
/// place, or after 200 steps, when the bracket has shrunk to neighbouring doubles.
template <typename Function>
double newton_in_bracket(const Function& function, double lower, double upper, double start, bool rising) {
  double x = start;
  double previous_step = upper - lower;
  for (int iteration = 0; iteration < 200; ++iteration) {
    const ValueAndSlope at = function(x);
    if (at.value == 0.0) {
      return x;
    }
    ((at.value < 0.0) == rising ? lower : upper) = x;
    const double step = -at.value / at.slope;
    double next = x + step;
    // Rounding noise at the root may push a converged step outside the bracket.
    if (std::abs(step) <= 2.0 * std::numeric_limits<double>::epsilon() * std::abs(x)) {
      return next >= lower && next <= upper ? next : x;
    }
    if (!(next > lower && next < upper) || std::abs(step) > 2.0 * std::abs(previous_step)) {
      next = 0.5 * (lower + upper);
    }
    if (next == x || next == lower || next == upper) {
      return next;
    }
    previous_step = step;
    x = next;
  }
  return x;
}

}  // namespace dpcurves::tradeoff
