// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/rigorous/refine.hpp>
#include <dpcurves/tradeoff/detail/gaussian_ball.hpp>
#include <dpcurves/tradeoff/detail/newton.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::tradeoff {
namespace {

using numerics::mills_drop;
using numerics::mills_ratio;
using numerics::normal_upper_tail;
using rigorous::Real;
using rigorous::refined;

// Unevaluated sum; tails multiply an error of their argument by the argument, so one double is not enough for it.
struct Pair {
  double high = 0.0;
  double low = 0.0;
};

Pair sum(double a, double b) {
  const double high = a + b;
  const double part = high - a;
  return {high, (a - (high - part)) + (b - part)};
}

// Phi(-x): one term of the Taylor series takes in the low part.
double tail(const Pair& x) {
  const double main = normal_upper_tail(x.high);
  return main == 0.0 || x.low == 0.0 ? main : main - x.low * numerics::normal_density(x.high);
}

// The x with Phi(-x) = q, q in (0, 1/2], by one Newton step from the rounded quantile.
Pair upper_quantile(double q) {
  const double x = numerics::normal_upper_quantile(q);
  return {x, (normal_upper_tail(x) / q - 1.0) * mills_ratio(x)};
}

// The x with Phi(-x) = q, q in (0, 1).
Pair quantile(double q) {
  if (q <= 0.5) {
    return upper_quantile(q);
  }
  const Pair x = upper_quantile(1.0 - q);  // the complement is exact
  return {-x.high, -x.low};
}

// Phi(-(sign (mu - x))), x the upper quantile of a.
double shifted_tail(const Pair& x, double mu, double sign) {
  Pair y = sum(mu, -x.high);
  y.low -= x.low;
  return tail({sign * y.high, sign * y.low});
}

// u = epsilon/mu - mu/2 for epsilon >= 0.
Pair distance(double epsilon, double mu) {
  const double quotient = epsilon / mu;
  Pair u = sum(quotient, -0.5 * mu);
  if (!std::isfinite(quotient)) {
    return {infinity, 0.0};
  }
  u.low += std::fma(-quotient, mu, epsilon) / mu;
  return u;
}

constexpr double far_left = -5.0;  // below it delta is near 1 and nothing cancels

// The low part of u moves delta by -low mu phi(u) R(v), the derivative at fixed mu. Where u is positive the low part
// may be large against 1/u: the same derivative is then split between the exponent of phi and the Mills ratios.
double exponent_correction(const Pair& u) { return u.high > 0.0 ? -u.high * u.low : 0.0; }

// (1 - delta) / phi(u) for epsilon >= 0, mu > 0, u <= 0, from 1 - delta = Phi(u) + phi(u) R(v).
double complement_over_density(const Pair& u, double mu) {
  return mills_ratio(-u.high) + mills_ratio(u.high + mu) * (1.0 + u.low * mu);
}

// 1 - delta for epsilon >= 0, mu > 0.
double complement(const Pair& u, double mu) {
  if (u.high <= 0.0) {
    return numerics::normal_density(u.high) * complement_over_density(u, mu);
  }
  if (u.high > 60.0) {
    return 1.0;
  }
  const double second = numerics::normal_density(u.high) * mills_ratio(u.high + mu);
  return numerics::normal_cdf(u.high) + second * (1.0 + u.low * mu);
}

double log_complement(const Pair& u, double mu) {
  if (u.high <= 0.0) {
    return numerics::log_normal_density(u.high) + std::log(complement_over_density(u, mu));
  }
  return std::log(complement(u, mu));
}

// delta / phi(u), but for the correction in the exponent.
double delta_over_density(const Pair& u, double mu) {
  const double v = u.high + mu;
  if (u.high > 0.0) {
    return mills_drop(u.high, mu) - u.low * (numerics::mills_slope(u.high) - numerics::mills_slope(v));
  }
  return mills_drop(u.high, mu) - u.low * mu * mills_ratio(v);
}

// delta for epsilon >= 0, mu > 0.
double delta_right(const Pair& u, double mu) {
  if (u.high > 60.0) {
    return 0.0;  // phi(u) is, and the low part of a huge u may be large
  }
  if (u.high < far_left) {
    return 1.0 - complement(u, mu);
  }
  return numerics::normal_density(u.high) * std::exp(exponent_correction(u)) * delta_over_density(u, mu);
}

double log_delta_right(const Pair& u, double mu) {
  if (std::isinf(u.high)) {
    return -infinity;
  }
  if (u.high < 0.0) {
    // Near 1 the logarithm is as small as what delta lacks, and keeps its digits only through it.
    const double missing = complement(u, mu);
    if (missing < 0.5) {
      return std::log1p(-missing);
    }
  }
  return numerics::log_normal_density(u.high) + exponent_correction(u) + std::log(delta_over_density(u, mu));
}

void check_profile(double epsilon, double mu) {
  require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
  require_domain(mu >= 0.0 && std::isfinite(mu), "mu", mu, "[0, inf)");
}

void check_interval(const Enclosure& mu) {
  require_domain(mu.lower >= 0.0 && mu.lower <= mu.upper, "mu.lower", mu.lower, "[0, mu.upper]");
}

// The log of delta or, past one half, of its complement: what the inverses drive to zero. Signed so that it falls
// with delta.
struct Target {
  explicit Target(double delta) : by_complement(delta > 0.5), log(std::log(by_complement ? 1.0 - delta : delta)) {}
  // log delta(epsilon, mu) - log delta or log(1 - delta) - log(1 - delta(epsilon, mu)): both rise with delta.
  double excess(const Pair& u, double mu) const {
    return by_complement ? log - log_complement(u, mu) : log_delta_right(u, mu) - log;
  }
  // (excess, slope in epsilon), with d delta / d epsilon = -phi(u) R(v).
  ValueAndSlope in_epsilon(double epsilon, double mu) const {
    const Pair u = distance(epsilon, mu);
    const double v = u.high + mu;
    const double size = by_complement ? ratio_of_complement(u.high, v) : drop(u.high, mu);
    return {excess(u, mu), -mills_ratio(v) / size};
  }
  // (excess, slope in log mu), with d delta / d mu = phi(u).
  ValueAndSlope in_log_mu(double epsilon, double log_mu) const {
    const double mu = std::exp(log_mu);
    const Pair u = distance(epsilon, mu);
    const double size = by_complement ? ratio_of_complement(u.high, u.high + mu) : drop(u.high, mu);
    return {excess(u, mu), mu / size};
  }

  bool by_complement;
  double log;

 private:
  // delta / phi(u) and (1 - delta) / phi(u); only slopes, so a limit where they overflow will do.
  static double drop(double u, double mu) { return std::fmin(mills_drop(std::fmax(u, -38.0), mu), 1e300); }
  static double ratio_of_complement(double u, double v) {
    return std::fmin(mills_ratio(std::fmax(-u, -38.0)) + mills_ratio(v), 1e300);
  }
};

}  // namespace

double gaussian(double type_one_error, double mu) {
  require_domain(type_one_error >= 0.0 && type_one_error <= 1.0, "type_one_error", type_one_error, "[0, 1]");
  require_domain(mu >= 0.0 && std::isfinite(mu), "mu", mu, "[0, inf)");
  if (type_one_error == 0.0 || type_one_error == 1.0 || mu == 0.0) {
    return 1.0 - type_one_error;
  }
  return shifted_tail(quantile(type_one_error), mu, 1.0);
}

double gaussian_power(double type_one_error, double mu) {
  require_domain(type_one_error >= 0.0 && type_one_error <= 1.0, "type_one_error", type_one_error, "[0, 1]");
  require_domain(mu >= 0.0 && std::isfinite(mu), "mu", mu, "[0, inf)");
  if (type_one_error == 0.0 || type_one_error == 1.0 || mu == 0.0) {
    return type_one_error;
  }
  return shifted_tail(quantile(type_one_error), mu, -1.0);
}

double delta_of_epsilon(double epsilon, double mu) {
  check_profile(epsilon, mu);
  if (std::isinf(epsilon)) {
    return epsilon > 0.0 ? 0.0 : 1.0;
  }
  if (mu == 0.0) {
    return std::fmax(0.0, -std::expm1(epsilon));
  }
  if (epsilon < 0.0) {
    return -std::expm1(epsilon) + std::exp(epsilon) * delta_right(distance(-epsilon, mu), mu);
  }
  return delta_right(distance(epsilon, mu), mu);
}

double log_delta_of_epsilon(double epsilon, double mu) {
  check_profile(epsilon, mu);
  if (mu == 0.0 || epsilon < 0.0 || std::isinf(epsilon)) {
    const double delta = delta_of_epsilon(epsilon, mu);
    return delta > 0.5 ? std::log1p(-one_minus_delta_of_epsilon(epsilon, mu)) : std::log(delta);
  }
  return log_delta_right(distance(epsilon, mu), mu);
}

double one_minus_delta_of_epsilon(double epsilon, double mu) {
  check_profile(epsilon, mu);
  if (std::isinf(epsilon)) {
    return epsilon > 0.0 ? 1.0 : 0.0;
  }
  if (mu == 0.0) {
    return std::fmin(1.0, std::exp(epsilon));
  }
  if (epsilon < 0.0) {
    return std::exp(epsilon) * one_minus_delta_of_epsilon(-epsilon, mu);
  }
  const Pair u = distance(epsilon, mu);
  return std::isinf(u.high) ? 1.0 : complement(u, mu);
}

double epsilon_of_delta(double delta, double mu) {
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  require_domain(mu >= 0.0 && std::isfinite(mu), "mu", mu, "[0, inf)");
  const Target target(delta);
  if (mu == 0.0 || target.excess({-0.5 * mu, 0.0}, mu) <= 0.0) {
    return 0.0;  // delta is at least the total variation distance
  }
  // delta <= Phi(-u) <= exp(-u^2/2), which bounds u.
  const double upper = mu * (0.5 * mu + std::sqrt(-2.0 * std::log(delta))) * (1.0 + 1e-10);
  const double guess = mu * (0.5 * mu + numerics::normal_upper_quantile(delta));
  const double start = target.by_complement && guess > 0.0 ? std::fmin(guess, upper) : upper;
  return newton_in_bracket([&](double epsilon) { return target.in_epsilon(epsilon, mu); }, 0.0, upper, start, false);
}

double mu_of_epsilon_delta(double epsilon, double delta) {
  require_domain(epsilon >= 0.0 && std::isfinite(epsilon), "epsilon", epsilon, "[0, inf)");
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  const Target target(delta);
  // Two lower bounds: delta_mu(epsilon) <= delta_mu(0), and delta <= Phi(-u).
  const double by_variation = delta < 0.5 ? 2.0 * numerics::normal_central_quantile(delta)
                                          : 2.0 * numerics::normal_upper_quantile(0.5 * (1.0 - delta));
  if (epsilon == 0.0) {
    return by_variation;
  }
  const double z = numerics::normal_upper_quantile(delta);
  const double root = std::hypot(z, std::sqrt(2.0 * epsilon));
  const double by_tail = z > 0.0 ? 2.0 * (epsilon / (z + root)) : root - z;
  const double lowest = std::log(std::fmax(by_variation, by_tail)) - 1e-10;
  double highest = lowest + 1.0;
  while (target.in_log_mu(epsilon, highest).value < 0.0) {
    highest += 1.0;
  }
  const double log_mu =
      newton_in_bracket([&](double s) { return target.in_log_mu(epsilon, s); }, lowest, highest, lowest, true);
  // The logarithm is rounded in units of its own size: one more step on mu itself.
  const double mu = std::exp(log_mu);
  const ValueAndSlope at = target.in_log_mu(epsilon, std::log(mu));
  const Pair u = distance(epsilon, mu);
  const double step = target.excess(u, mu) / at.slope;
  return std::abs(step) < 1e-10 ? mu - mu * step : mu;
}

double mu_of_point(double type_one_error, double type_two_error) {
  require_domain(type_one_error >= 0.0 && type_one_error <= 1.0, "type_one_error", type_one_error, "[0, 1]");
  require_domain(type_two_error >= 0.0 && type_two_error <= 1.0, "type_two_error", type_two_error, "[0, 1]");
  const auto on_border = [](double p) { return p == 0.0 || p == 1.0; };
  if (on_border(type_one_error) || on_border(type_two_error)) {
    const double total = type_one_error + type_two_error;
    return on_border(type_one_error) && on_border(type_two_error) && total == 1.0 ? 0.0
           : type_one_error == 0.0 || type_two_error == 0.0                       ? infinity
                                                                                  : -infinity;
  }
  const Pair x = quantile(type_one_error);
  const Pair y = quantile(type_two_error);
  const Pair z = sum(x.high, y.high);
  return z.high + (z.low + x.low + y.low);
}

double pure_dp_to_gdp(double epsilon) {
  require_domain(epsilon >= 0.0, "epsilon", epsilon, "[0, inf]");
  if (epsilon < 1.0) {
    return 2.0 * numerics::normal_central_quantile(std::tanh(0.5 * epsilon));
  }
  return 2.0 * numerics::normal_upper_quantile_from_log(-epsilon - std::log1p(std::exp(-epsilon)));
}

double pure_dp_of_gdp(double mu) {
  require_domain(mu >= 0.0, "mu", mu, "[0, inf]");
  if (mu < 1.0) {
    return 2.0 * std::atanh(numerics::normal_central_mass(0.5 * mu));
  }
  return numerics::log_normal_upper_tail(-0.5 * mu) - numerics::log_normal_upper_tail(0.5 * mu);
}

Enclosure delta_enclosure(double epsilon, Enclosure mu) {
  require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
  check_interval(mu);
  const auto at = [epsilon](double m) -> Enclosure {
    if (std::isinf(epsilon) || std::isinf(m)) {
      return exactly(epsilon == infinity ? 0.0 : 1.0);
    }
    if (m == 0.0) {
      return epsilon >= 0.0 ? exactly(0.0) : refined([&] { return -expm1(Real(epsilon)); }).enclosure();
    }
    const auto delta = [&] { return detail::delta_ball(Real(epsilon), Real(m)); };
    return refined(delta, detail::delta_bits(epsilon, m)).enclosure();
  };
  const Enclosure least = at(mu.lower);
  return clamp({least.lower, mu.lower == mu.upper ? least.upper : at(mu.upper).upper}, 0.0, 1.0);
}

Enclosure epsilon_enclosure(double delta, Enclosure mu) {
  check_interval(mu);
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  const auto at = [delta](double m) -> Enclosure {
    return m == 0.0 || std::isinf(m) ? exactly(m) : detail::epsilon_ball(delta, m).enclosure();
  };
  const Enclosure least = at(mu.lower);
  return clamp({least.lower, mu.lower == mu.upper ? least.upper : at(mu.upper).upper}, 0.0, infinity);
}

Enclosure mu_enclosure(double epsilon, double delta) {
  require_domain(epsilon >= 0.0 && std::isfinite(epsilon), "epsilon", epsilon, "[0, inf)");
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  return clamp(detail::mu_ball(epsilon, delta).enclosure(), 0.0, infinity);
}

Enclosure gaussian_enclosure(double type_one_error, Enclosure mu) {
  require_domain(type_one_error >= 0.0 && type_one_error <= 1.0, "type_one_error", type_one_error, "[0, 1]");
  check_interval(mu);
  if (type_one_error == 0.0 || type_one_error == 1.0) {
    return exactly(1.0 - type_one_error);
  }
  const double complement = 1.0 - type_one_error;  // exact above 1/2
  const bool small = type_one_error <= 0.5;
  const auto at = [&](double m) -> Enclosure {
    if (std::isinf(m)) {
      return exactly(0.0);
    }
    const auto value = [&]() -> Real {
      if (m == 0.0) {
        return Real(1) - Real(type_one_error);
      }
      const Real x = detail::upper_quantile_ball(small ? type_one_error : complement);
      return detail::tradeoff_ball(small ? x : -x, Real(m));
    };
    return refined(value).enclosure();
  };
  const Enclosure most = at(mu.lower);
  return clamp({mu.lower == mu.upper ? most.lower : at(mu.upper).lower, most.upper}, 0.0, 1.0);
}

Enclosure pure_dp_to_gdp_enclosure(double epsilon) {
  require_domain(epsilon >= 0.0, "epsilon", epsilon, "[0, inf]");
  if (epsilon == 0.0 || std::isinf(epsilon)) {
    return exactly(epsilon);
  }
  return refined([&] { return detail::pure_dp_ball(Real(epsilon)); }).enclosure();
}

}  // namespace dpcurves::tradeoff
