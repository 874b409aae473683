// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/log1p.hpp>

#include <dpcurves/numerics/special.hpp>

namespace dpcurves::numerics {

double beta_below(double a, double b, double x) { return boost::math::ibeta(a, b, x); }
double beta_above(double a, double b, double x) { return boost::math::ibetac(a, b, x); }
double beta_below_inverse(double a, double b, double p) { return boost::math::ibeta_inv(a, b, p); }
double beta_above_inverse(double a, double b, double p) { return boost::math::ibetac_inv(a, b, p); }

double gamma_above(double a, double x) { return boost::math::gamma_q(a, x); }
double gamma_below_inverse(double a, double p) { return boost::math::gamma_p_inv(a, p); }

double binomial_probability(double n, double p, double k) { return boost::math::pdf(boost::math::binomial(n, p), k); }
double binomial_above(double n, double p, double k) {
  return boost::math::cdf(boost::math::complement(boost::math::binomial(n, p), k));
}

double student_above_inverse(double degrees, double tail) {
  return boost::math::quantile(boost::math::complement(boost::math::students_t(degrees), tail));
}

double log1p_less_argument(double x) { return boost::math::log1pmx(x); }

}  // namespace dpcurves::numerics
