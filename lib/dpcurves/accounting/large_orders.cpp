// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include <dpcurves/accounting/large_orders.hpp>
#include <dpcurves/accounting/subsampled_renyi.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// log(1 - share), or -infinity where nothing is left.
double log_rest(double log_share) { return log_share < 0.0 ? std::log1p(-std::exp(log_share)) : -infinity; }

/// log(e^x + 1), log(e^x - 1).
double log_plus_one(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
double log_minus_one(double x) { return x > 0.0 ? x + std::log(-std::expm1(-x)) : -infinity; }

}  // namespace

Enclosure large_order_renyi(Pair pair, double sampling_rate, double mu, double order) {
  const double p = sampling_rate;
  const double excess = order - 1.0;
  const double log_p = std::log(p), log_rest_p = std::log1p(-p);
  const double log_full = 0.5 * order * excess * mu * mu;
  double lower = 0.0, upper = infinity;  // of log M_a
  double sizes = log_full;               // of the terms that were added
  switch (pair) {
    case Pair::fixed_size_remove:
      upper = log_plus_one(log_full + log_p - log_rest_p) + log_rest_p;
      lower = log_p + log_full + log_rest(std::log(excess) + log_rest_p - log_p - order * mu * mu);
      sizes += std::abs(log_p) + std::abs(log_rest_p);
      break;
    case Pair::fixed_size_add: {
      const Enclosure symmetric = symmetrised_renyi(p, mu, order);
      upper = log_plus_one(excess * symmetric.upper);
      lower = log_minus_one(excess * symmetric.lower);
      sizes = excess * symmetric.upper;
      break;
    }
    default:
      upper = -excess * log_rest_p + excess * poisson_renyi(p, mu, order, Direction::remove).upper;
      lower = order * log_p - excess * log_rest_p + log_full +
              log_rest(std::log(excess) + log_p - log_rest_p - order * mu * mu);
      sizes += order * (std::abs(log_p) + std::abs(log_rest_p));
  }
  const double rounding = 4e-15 * (sizes + std::abs(std::log(excess)) + 1.0);
  return {std::max(0.0, (std::max(lower, 0.0) - rounding) / excess), (upper + rounding) / excess};
}

}  // namespace dpcurves::accounting::detail
