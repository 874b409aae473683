// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/bounds/detail/checks.hpp>
#include <dpcurves/bounds/long_tail_activation.hpp>
#include <dpcurves/numerics/special.hpp>

namespace dpcurves::bounds {

using namespace checks;

namespace {

constexpr double tie = 1.0 - 1e-12;  // a threshold that is a whole number but for rounding is that number
constexpr double most = 1e15;        // signs: half of a count is exact

/// P(Binomial(n, 1/2) <= k).
double fair_cdf(double k, double n) {
  if (k < 0.0) {
    return 0.0;
  }
  return k >= n ? 1.0 : numerics::beta_below(n - k, k + 1.0, 0.5);
}

}  // namespace

HalfActivationTail half_activation_tail(double filters, double fraction) {
  require_count(filters, "filters");
  require_domain(filters <= most, "filters", filters, "[1, 1e15]");
  require_domain(fraction > 0.0 && fraction < 0.5, "fraction", fraction, "(0, 1/2)");
  const double gap = 0.5 - fraction, rate = filters * gap * gap;
  return {fair_cdf(std::ceil(fraction * filters * tie) - 1.0, filters), std::exp(-32.0 * rate), std::exp(-2.0 * rate)};
}

SignFraction sign_fraction(double dimension, double t) {
  require_count(dimension, "dimension");
  require_domain(dimension <= most, "dimension", dimension, "[1, 1e15]");
  require_domain(t > 0.0 && t <= 0.5, "t", t, "(0, 1/2]");
  const double half = 0.5 * dimension, threshold = t * dimension * tie;
  // The largest k with d/2 - k >= threshold: d/2 - k is exact, the difference below is not.
  double k = std::floor(half - threshold);
  while (half - k < threshold) {
    k -= 1.0;
  }
  while (half - (k + 1.0) >= threshold) {
    k += 1.0;
  }
  const double rate = dimension * t * t;
  return {std::min(1.0, 2.0 * fair_cdf(k, dimension)), std::exp(-2.0 * rate),
          std::min(1.0, 2.0 * std::exp(-2.0 * rate))};
}

ActivationSizes activation_sizes(double classes, double filters, double records, double delta) {
  require_count(classes, "classes");
  require_count(filters, "filters");
  require_count(records, "records");
  const double log_one = log_inverse(delta);
  return {50.0 * (std::log(records) + log_one), 50.0 * (std::log(classes) + std::log(filters) + log_one)};
}

}  // namespace dpcurves::bounds
