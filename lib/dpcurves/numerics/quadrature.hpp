// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Integrals: fixed Gauss-Legendre rules and an adaptive integrator.
#pragma once

#include <functional>
#include <span>

#include <dpcurves/core/estimate.hpp>

namespace dpcurves::numerics {

/// Nodes and weights on [-1, 1], ascending, exact for polynomials of degree 2n - 1.
struct GaussRule {
  std::span<const double> nodes;    ///< in (-1, 1), ascending
  std::span<const double> weights;  ///< > 0, summing to 2
};

/// The Gauss-Legendre rule of `points` points, computed once; the spans stay valid. Nodes and weights are the
/// nearest doubles or their neighbours.
/// \param points  1 to 64.
/// \throws DomainError  otherwise.
[[nodiscard]] GaussRule gauss_legendre(int points);

/// The integral of `f` over [a, b] by one rule on [a, b].
[[nodiscard]] double gauss_legendre(const std::function<double(double)>& f, double a, double b, int points);

/// The integral of `f` over [a, b]; either end may be infinite. a > b changes the sign.
///
/// Double-exponential rules: end-point singularities are welcome, kinks and steps inside the interval are not (split
/// there). `error` is the difference of the last two refinements, an estimate and not a bound.
///
/// \param relative_tolerance  in (0, 1); 1e-13 is about the least that makes sense.
/// \throws DomainError       if an end is NaN or the tolerance is outside its range.
/// \throws ConvergenceError  if f is not finite inside the interval or the rule does not settle at all.
/// Cost: 50 to 500 evaluations for an analytic integrand.
[[nodiscard]] Estimate integrate(const std::function<double(double)>& f, double a, double b,
                                 double relative_tolerance = 1e-12);

}  // namespace dpcurves::numerics
