// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Minima of functions of one variable.
#pragma once

#include <functional>

namespace dpcurves::numerics {

/// Where a function is smallest, and its value there.
struct Minimum {
  double at = 0.0;     ///< in [lo, hi]
  double value = 0.0;  ///< of the function there
};

/// A local minimum of `f` on [lo, hi] by Brent's method; the minimum if f is unimodal there.
///
/// The ends are candidates too. `at` has about half the digits of a double, as the problem allows; `value` is f(at).
/// Infinite values are allowed, NaN counts as +infinity. Cost: at most 100 evaluations, usually 20 to 40.
/// \throws DomainError  if lo > hi or an end is not finite.
[[nodiscard]] Minimum minimise(const std::function<double(double)>& f, double lo, double hi);

}  // namespace dpcurves::numerics
