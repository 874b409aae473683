// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Special functions of Boost.Math, compiled once: their templates cost every source that includes them ten seconds.
///
/// Domains and errors are Boost's (std::domain_error, std::overflow_error; root finding may give up with
/// boost::math::evaluation_error); callers check their own arguments. Accuracy: values a few units in the last place
/// of moderate arguments, inverses about 1e-11 relative; none of them is proved. Cost: 0.1 to 10 us.
#pragma once

namespace dpcurves::numerics {

/// I_x(a, b), the regularised incomplete beta function, for a, b > 0 and x in [0, 1].
[[nodiscard]] double beta_below(double a, double b, double x);
/// 1 - I_x(a, b), with its digits where it is small.
[[nodiscard]] double beta_above(double a, double b, double x);
/// The x with I_x(a, b) = p.
[[nodiscard]] double beta_below_inverse(double a, double b, double p);
/// The x with 1 - I_x(a, b) = p.
[[nodiscard]] double beta_above_inverse(double a, double b, double p);

/// Q(a, x) = Gamma(a, x)/Gamma(a), for a > 0 and x >= 0.
[[nodiscard]] double gamma_above(double a, double x);
/// The x with 1 - Q(a, x) = p.
[[nodiscard]] double gamma_below_inverse(double a, double p);

/// The probability of k among n draws, each of probability p.
[[nodiscard]] double binomial_probability(double n, double p, double k);
/// The probability of more than k.
[[nodiscard]] double binomial_above(double n, double p, double k);

/// The t that Student's law exceeds with probability `tail`.
[[nodiscard]] double student_above_inverse(double degrees, double tail);

/// log(1 + x) - x <= 0 without cancellation, x > -1.
[[nodiscard]] double log1p_less_argument(double x);

}  // namespace dpcurves::numerics
