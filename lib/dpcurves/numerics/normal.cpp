// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include <boost/math/special_functions/erf.hpp>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>

namespace dpcurves::numerics {
namespace {

constexpr double log_sqrt_two_pi = 0.91893853320467274178;
constexpr double sqrt_two_pi = 2.5066282746310005024;

// (1 + x) R(x) and (1 + x)^2 (1 - x R(x)) for x >= 0 in Chebyshev polynomials of (x - 5) / (x + 5); truncated below
// 2e-18. Generator: data/generate/mills_ratio.py.
constexpr std::array<double, 26> ratio_coefficients{
    1.1579976221305188,      -0.1633449388451398,     -0.013683136055781576,   0.03082200019810004,
    -0.016220073012046806,   0.005616691016460094,    -0.0014133933783549216,  0.0002502625460725661,
    -2.468907239728387e-05,  -1.0107964061837592e-06, 7.495419179740573e-07,   -7.600274268728337e-08,
    -1.1574771441328644e-08, 3.333386472599843e-09,   7.538039628171347e-11,   -1.1104247263727494e-10,
    3.509243776551059e-12,   3.6894953861750955e-12,  -2.3376697776383095e-13, -1.3271797523541405e-13,
    9.921706995888276e-15,   5.276004995455379e-15,   -3.373097694187922e-16,  -2.2804338776379946e-16,
    7.496330565808626e-18,   1.0328041877290668e-17};
constexpr std::array<double, 29> slope_coefficients{
    1.1786939013866438,      -0.10125727962799318,    -0.14865546208521888,   0.09816848778580152,
    -0.03171798898152607,    0.004118380306630206,    0.0013840174983079264,  -0.0009838340353495313,
    0.0002948950492045316,   -4.709260195140171e-05,  8.590029272920808e-07,  1.3554619080433912e-06,
    -2.3147555595831767e-07, -1.7075440607920013e-08, 9.949362873866235e-09,  -2.4106464654592276e-10,
    -3.5666175303257516e-10, 2.8945226947362402e-11,  1.3016100717797053e-11, -1.5524538138949635e-12,
    -5.220930630315194e-13,  6.950184611901334e-14,   2.345944460700038e-14,  -2.771885973444679e-15,
    -1.1544282194411682e-15, 9.116045274446133e-17,   5.955159763084838e-17,  -1.4216719997436313e-18,
    -3.0664098216468804e-18};

template <std::size_t terms>
double chebyshev(const std::array<double, terms>& coefficients, double t) {
  double current = 0.0, previous = 0.0;
  for (std::size_t k = terms - 1; k > 0; --k) {
    const double next = 2.0 * t * current - previous + coefficients[k];
    previous = current;
    current = next;
  }
  return t * current - previous + coefficients[0];
}

// The variable of the two expansions; x may be infinite.
double mapped(double x) { return 1.0 - 10.0 / (x + 5.0); }

double ratio_right(double x) { return chebyshev(ratio_coefficients, mapped(x)) / (1.0 + x); }

// exp(sign x^2 / 2) with one rounding in the exponent: x = high + low, high^2 exact.
double exp_half_square(double x, double sign) {
  if (std::abs(x) > 60.0) {
    return sign < 0.0 ? 0.0 : infinity;
  }
  const double high = std::nearbyint(x * 0x1p18) * 0x1p-18;  // 24 bits, so that high^2 is exact
  return std::exp(sign * 0.5 * high * high) * std::exp(sign * 0.5 * (x - high) * (x + high));
}

// log Phi(-x) for x >= 0.
double log_tail_right(double x) { return -0.5 * x * x - log_sqrt_two_pi + std::log(ratio_right(x)); }

}  // namespace

double normal_density(double x) {
  require_domain(!std::isnan(x), "x", x, "[-inf, inf]");
  return exp_half_square(x, -1.0) / sqrt_two_pi;
}

double log_normal_density(double x) {
  require_domain(!std::isnan(x), "x", x, "[-inf, inf]");
  return -0.5 * x * x - log_sqrt_two_pi;
}

double normal_cdf(double x) { return normal_upper_tail(-x); }

double normal_upper_tail(double x) {
  require_domain(!std::isnan(x), "x", x, "[-inf, inf]");
  if (x < 0.0) {
    return 1.0 - normal_upper_tail(-x);
  }
  return exp_half_square(x, -1.0) * (ratio_right(x) / sqrt_two_pi);
}

double log_normal_upper_tail(double x) {
  require_domain(!std::isnan(x), "x", x, "[-inf, inf]");
  if (x < 0.0) {
    return std::log1p(-normal_upper_tail(-x));
  }
  return std::isinf(x) ? -infinity : log_tail_right(x);
}

double normal_quantile(double p) {
  require_domain(p >= 0.0 && p <= 1.0, "p", p, "[0, 1]");
  return -normal_upper_quantile(p);
}

double normal_upper_quantile(double upper_tail) {
  require_domain(upper_tail >= 0.0 && upper_tail <= 1.0, "upper_tail", upper_tail, "[0, 1]");
  if (upper_tail == 0.0 || upper_tail == 1.0) {
    return upper_tail == 0.0 ? infinity : -infinity;
  }
  if (upper_tail > 0.5) {
    return -normal_upper_quantile(1.0 - upper_tail);  // the complement is exact here
  }
  return std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * upper_tail);
}

double normal_upper_quantile_from_log(double log_upper_tail) {
  require_domain(log_upper_tail <= 0.0, "log_upper_tail", log_upper_tail, "[-inf, 0]");
  if (log_upper_tail > -std::numbers::ln2) {
    return -normal_upper_quantile(-std::expm1(log_upper_tail));
  }
  if (log_upper_tail > -650.0) {
    return normal_upper_quantile(std::exp(log_upper_tail));  // |log| u relative in the tail is u/2 relative in x
  }
  if (std::isinf(log_upper_tail)) {
    return infinity;
  }
  // Newton for log Phi(-x); its slope is -1 / R(x). The start x^2 = -2 log tail is off by log x / x at most.
  double x = std::sqrt(-2.0 * log_upper_tail);
  for (int iteration = 0; iteration < 4; ++iteration) {  // 3 suffice at -650
    x += (log_tail_right(x) - log_upper_tail) * ratio_right(x);
  }
  return x;
}

double normal_central_mass(double x) {
  require_domain(!std::isnan(x), "x", x, "[-inf, inf]");
  return std::erf(x / std::numbers::sqrt2);
}

double normal_central_quantile(double mass) {
  require_domain(mass >= -1.0 && mass <= 1.0, "mass", mass, "[-1, 1]");
  if (std::abs(mass) == 1.0) {
    return mass * infinity;
  }
  return std::numbers::sqrt2 * boost::math::erf_inv(mass);
}

double mills_ratio(double x) {
  require_domain(!std::isnan(x), "x", x, "[-inf, inf]");
  if (x < 0.0) {
    return sqrt_two_pi * exp_half_square(x, 1.0) - ratio_right(-x);
  }
  return ratio_right(x);
}

double mills_slope(double x) {
  require_domain(!std::isnan(x), "x", x, "[-inf, inf]");
  if (x < 0.0) {
    return 1.0 - x * mills_ratio(x);
  }
  const double scale = 1.0 + x;
  return chebyshev(slope_coefficients, mapped(x)) / scale / scale;
}

double mills_drop(double x, double width) {
  require_domain(!std::isnan(x), "x", x, "[-inf, inf]");
  require_domain(width >= 0.0, "width", width, "[0, inf]");
  if (width == 0.0 || x == infinity) {
    return 0.0;
  }
  const double reach = x < 0.0 ? 1.0 / (1.0 - x) : std::fmax(0.5, x);
  if (width > reach) {
    return mills_ratio(x) - mills_ratio(x + width);  // the second is below 2/3 of the first
  }
  // Ten-point Gauss-Legendre on the positive -R'; on these widths its error is below 1e-15.
  constexpr std::array<double, 5> nodes{0.14887433898163122, 0.43339539412924719, 0.67940956829902441,
                                        0.86506336668898451, 0.97390652851717172};
  constexpr std::array<double, 5> weights{0.29552422471475287, 0.26926671930999636, 0.21908636251598204,
                                          0.14945134915058059, 0.06667134430868814};
  const double half = 0.5 * width;
  double sum = 0.0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    sum += weights[i] * (mills_slope(x + half * (1.0 - nodes[i])) + mills_slope(x + half * (1.0 + nodes[i])));
  }
  return half * sum;
}

}  // namespace dpcurves::numerics
