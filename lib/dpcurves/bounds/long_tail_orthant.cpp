// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <dpcurves/bounds/detail/checks.hpp>
#include <dpcurves/bounds/long_tail_orthant.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/numerics/quadrature.hpp>
#include <dpcurves/numerics/roots.hpp>
#include <dpcurves/numerics/special.hpp>

namespace dpcurves::bounds {

using namespace checks;

namespace {

void check(double entries, double condition_squared, Where where = Where::current()) {
  require_count(entries, "entries", where);
  require_domain(entries <= 1e15, "entries", entries, "[1, 1e15]", where);
  require_domain(condition_squared >= 1.0 && condition_squared <= 1e30, "condition_squared", condition_squared,
                 "[1, 1e30]", where);
}

double log_cdf(double x) { return numerics::log_normal_upper_tail(-x); }

/// phi(x)/Phi(x)
double hazard(double x) { return 1.0 / numerics::mills_ratio(-x); }

/// log Phi(x + step) - log Phi(x). For small steps the difference of the logarithms would lose what m multiplies.
double log_cdf_change(double x, double step) {
  if (std::abs(step) > 0.25) {
    return log_cdf(x + step) - log_cdf(x);
  }
  const auto rule = numerics::gauss_legendre(12);
  double mean = 0.0;  // of exp(-x u - u^2/2) over u from 0 to step
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
    const double u = 0.5 * step * (1.0 + rule.nodes[i]);
    mean += 0.5 * rule.weights[i] * std::exp(-u * (x + 0.5 * u));
  }
  return std::log1p(hazard(x) * step * mean);
}

/// The distance from the peak at which a concave drop(t), 0 at 0, reaches `depth`; to a factor of 2.
double reach(const std::function<double(double)>& drop, double first, double depth) {
  double length = first;
  while (drop(length) > -depth) {
    length *= 2.0;
  }
  for (int i = 0; i < 200 && drop(0.5 * length) < -depth; ++i) {
    length *= 0.5;
  }
  return length;
}

constexpr double quantile_06 = 0.25334710313579977;  // Phi^{-1}(0.6)

}  // namespace

double log_one_factor_orthant(double entries, double condition_squared) {
  check(entries, condition_squared);
  const double m = entries, excess = condition_squared - 1.0;
  if (excess == 0.0) {
    return -m * std::numbers::ln2;
  }
  const double s = std::sqrt(excess / m);
  // The peak of log phi(z) + m log Phi(s z): x = s z solves x = (kappa^2 - 1) phi(x)/Phi(x).
  const double highest = std::min(0.8 * excess, 1.0 + std::sqrt(2.0 * std::log(condition_squared)));
  const double x = numerics::root([excess](double at) { return excess * hazard(at) - at; }, 0.0, highest).middle();
  const double z = x / s;
  const auto drop = [m, s, x, z](double t) { return -t * (z + 0.5 * t) + m * log_cdf_change(x, s * t); };
  const auto integrand = [&drop](double t) { return std::exp(drop(t)); };
  // Down to exp(-80) on either side; the double-exponential rule resolves what is short against the interval at the
  // peak's end (the edge of Phi^m at large s).
  constexpr double depth = 80.0;
  const double curvature = 1.0 + m * s * s * hazard(x) * (hazard(x) + x);
  const double first = 1.0 / std::sqrt(curvature);
  const double left = reach([&drop](double t) { return drop(-t); }, first, depth);
  const double right = reach(drop, first, depth);
  const double area =
      numerics::integrate(integrand, -left, 0.0, 1e-12).value + numerics::integrate(integrand, 0.0, right, 1e-12).value;
  return numerics::log_normal_density(z) + m * log_cdf(x) + std::log(area);
}

OrthantBound orthant_bound(double entries, double rank, double condition_squared, double delta) {
  check(entries, condition_squared);
  require_count(rank, "rank");
  require_domain(rank <= entries, "rank", rank, "[1, entries]");
  const double log_one = log_inverse(delta);
  OrthantBound bound;
  bound.log_one_factor = log_one_factor_orthant(entries, condition_squared);
  bound.one_factor = std::exp(bound.log_one_factor);
  bound.least_entries = 2.0 * (condition_squared - 1.0) * log_one / (quantile_06 * quantile_06);
  bound.premise_holds = {
      entries >= bound.least_entries,
      {"m >= 2 (kappa^2 - 1) log(1/delta)/Phi^{-1}(0.6)^2", shortest(entries) + " < " + rounded(bound.least_entries, 4),
       rounded(bound.least_entries * (1.0 + 5e-4), 4) + " entries or more"}};
  bound.corrected = std::min(1.0, std::pow(0.6, entries) + delta);
  bound.valid = bound.premise_holds.holds && rank == entries;
  bound.printed = std::pow(0.6, rank);
  bound.rank_two = std::atan(std::sqrt(condition_squared)) * std::numbers::inv_pi;
  return bound;
}

NegativeFraction negative_fraction(double entries, double condition_squared) {
  check(entries, condition_squared);
  const double s = 0.4 / (1.0 + std::sqrt(2.0 * (condition_squared - 1.0) * std::numbers::inv_pi));
  // The factor 2 is of two events; at kappa = 1 there is one.
  const double events = condition_squared > 1.0 ? 2.0 : 1.0;
  return {std::min(1.0, events * std::exp(-2.0 * entries * s * s)), std::exp(-entries / (202.0 * condition_squared)),
          std::exp(-0.07 * entries)};
}

double one_factor_negative_fraction(double entries, double condition_squared) {
  check(entries, condition_squared);
  require_domain(entries <= 1e6, "entries", entries, "[1, 1e6]");
  const double s = std::sqrt((condition_squared - 1.0) / entries);
  const double least = std::ceil(0.9 * entries * (1.0 - 1e-12));
  const auto integrand = [&](double z) {
    const double p = numerics::normal_cdf(s * z);
    // P(Binomial(m, p) >= k) = I_p(k, m - k + 1)
    const double tail = p > 0.0 ? numerics::beta_below(least, entries - least + 1.0, p) : 0.0;
    return numerics::normal_density(z) * tail;
  };
  // Split where Phi(s z) = 0.9: the tail of the binomial rises there, over a width of about 1/sqrt(m) in Phi.
  constexpr double quantile_09 = 1.2815515655446004;
  const double middle = s > 0.0 ? std::min(30.0, quantile_09 / s) : 0.0;
  constexpr double end = 38.0;
  return numerics::integrate(integrand, -end, middle, 1e-11).value +
         numerics::integrate(integrand, middle, end, 1e-11).value;
}

}  // namespace dpcurves::bounds
