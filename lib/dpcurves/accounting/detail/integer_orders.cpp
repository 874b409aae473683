// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <dpcurves/accounting/detail/integer_orders.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/sums.hpp>
#include <dpcurves/rigorous/refine.hpp>

namespace dpcurves::accounting {
namespace {

using rigorous::Real;

// log(exp(x) - 1) for x >= 0 that may be infinite.
double log_growth(double x) { return std::isinf(x) ? x : numerics::log_expm1(x); }

// The divergence as a ball.
Real binomial_sum(double sampling_rate, double noise_multiplier, double order) {
  const Real z(noise_multiplier), rho = Real(1) / scaled(z * z, 1), q(sampling_rate), a(order);
  if (sampling_rate == 1.0) {
    return a * rho;
  }
  return rigorous::refined([&] {
    const Real rest = Real(1) - q, odds = q / rest;
    Real weight = exp(a * log(rest)) * a * odds, sum;  // C(a, k) (1 - q)^(a - k) q^k, from k = 1
    for (double k = 2.0; k <= order; k += 1.0) {
      weight = weight * Real(order - k + 1.0) / Real(k) * odds;
      sum += weight * expm1(Real(k * (k - 1.0)) * rho);
    }
    return log1p(sum) / (a - Real(1));
  });
}

}  // namespace

double integer_order_renyi(double sampling_rate, double noise_multiplier, double order) {
  require_domain(sampling_rate > 0.0 && sampling_rate <= 1.0, "sampling_rate", sampling_rate, "(0, 1]");
  require_domain(noise_multiplier > 0.0 && std::isfinite(noise_multiplier), "noise_multiplier", noise_multiplier,
                 "(0, inf)");
  require_domain(order >= 2.0 && order <= 1e7 && order == std::floor(order), "order", order,
                 "whole numbers in [2, 1e7]");
  const double rho = 0.5 / noise_multiplier / noise_multiplier;
  if (sampling_rate == 1.0) {
    return order * rho;
  }
  if (std::isinf(order * (order - 1.0) * rho)) {
    return std::numeric_limits<double>::infinity();
  }
  const double log_q = std::log(sampling_rate), log_rest = std::log1p(-sampling_rate);
  std::vector<double> terms;
  terms.reserve(static_cast<std::size_t>(order));
  // log C(a, k) by its ratios, carried with compensation: lgamma would lose digits at large orders.
  numerics::CompensatedSum log_choose;
  log_choose += std::log(order);
  for (double k = 2.0; k <= order; k += 1.0) {
    log_choose += std::log((order - k + 1.0) / k);
    terms.push_back(log_choose.value() + (order - k) * log_rest + k * log_q + log_growth(k * (k - 1.0) * rho));
  }
  const double log_sum = numerics::log_sum_exp(terms);
  return (log_sum > 40.0 ? log_sum : std::log1p(std::exp(log_sum))) / (order - 1.0);
}

divergence::Conversion epsilon_by_integer_orders(double sampling_rate, double noise_multiplier, double steps,
                                                 double delta) {
  require_domain(steps >= 1.0 && std::isfinite(steps), "steps", steps, "[1, inf)");
  constexpr int largest = 511;
  std::vector<divergence::RenyiPoint> points;
  for (int order = 2; order <= largest; ++order) {
    points.push_back({double(order), steps * integer_order_renyi(sampling_rate, noise_multiplier, order)});
  }
  // The order is chosen by estimates; what is promised is the sum at that order in balls, rounded up.
  const double order = divergence::balle(points, delta).order;
  double proved = std::numeric_limits<double>::infinity();
  if (!std::isnan(order)) {
    proved = (Real(steps) * binomial_sum(sampling_rate, noise_multiplier, order)).upper();
  }
  const std::vector<divergence::RenyiPoint> chosen{{std::isnan(order) ? 2.0 : order, proved}};
  divergence::Conversion best = divergence::balle(chosen, delta);
  best.epsilon = std::max(best.epsilon, 0.0);
  return best;
}

}  // namespace dpcurves::accounting
