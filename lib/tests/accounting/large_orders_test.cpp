// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/detail/large_orders.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::accounting;

namespace {

/// log of (1-p) N(0) + p N(mean) at x, up to log sqrt(2 pi).
double log_mixture(double x, double p, double mean) {
  const double a = std::log1p(-p) - 0.5 * x * x, b = std::log(p) - 0.5 * (x - mean) * (x - mean);
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

/// Renyi divergence of the pair of opposite gradients by the trapezoid rule on logarithms.
double replace_one_renyi(double p, double mu, double order) {
  const double step = 1e-3, reach = order * mu + 14.0;
  std::vector<double> terms;
  double largest = -std::numeric_limits<double>::infinity();
  for (double x = -reach; x <= reach; x += step) {
    terms.push_back(order * log_mixture(x, p, mu) + (1.0 - order) * log_mixture(x, p, -mu));
    largest = std::max(largest, terms.back());
  }
  double sum = 0.0;
  for (const double term : terms) {
    sum += std::exp(term - largest);
  }
  return (largest + std::log(sum * step / std::sqrt(2.0 * 3.14159265358979323846))) / (order - 1.0);
}

}  // namespace

TEST_CASE("the elementary ends of large orders enclose a direct integration", "[accounting][renyi]") {
  for (const double p : {0.01, 0.3, 0.9}) {
    for (const double mu : {0.3, 1.0, 3.0}) {
      for (const double order : {2.0, 10.0, 60.0}) {
        CAPTURE(p, mu, order);
        const double direct = replace_one_renyi(p, mu, order);
        const Enclosure ends = accounting::detail::large_order_renyi(Pair::poisson_replace_one, p, mu, order);
        CHECK(ends.lower <= direct * (1.0 + 1e-12) + 1e-12);
        CHECK(ends.upper >= direct * (1.0 - 1e-12) - 1e-12);
        const Enclosure found = renyi({0.0, {{p, mu, 1.0, Pair::poisson_replace_one}}}, order);
        CHECK(std::abs(found.middle() - direct) <= 1e-10 * direct + 1e-12 + found.width());
      }
    }
  }
}

TEST_CASE("every pair has a narrow bracket of its Renyi divergence at every order", "[accounting][renyi]") {
  test::Worst worst;
  for (const Pair pair : {Pair::poisson_replace_one, Pair::fixed_size_remove, Pair::fixed_size_add}) {
    for (const double p : {1e-3, 0.1, 0.9}) {
      for (const double mu : {0.2, 1.0, 3.0}) {
        double before = 0.0;
        for (const double order : {1.1, 2.0, 30.0, 1e3, 1e5, 1e7}) {
          CAPTURE(static_cast<int>(pair), p, mu, order);
          const Enclosure found = renyi({0.0, {{p, mu, 1.0, pair}}}, order);
          REQUIRE(std::isfinite(found.upper));
          worst.see(found.relative_width(), order);
          CHECK(found.upper >= before);  // divergences grow with the order
          before = found.lower;
        }
      }
    }
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1e-6);
}

TEST_CASE("only the loss of adding a record has an upper end", "[accounting][renyi]") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(renyi({0.0, {{0.25, 1.0, 3.0, Pair::poisson_add}}}, infinity).contains(-3.0 * std::log(0.75)));
  CHECK(renyi({0.0, {{0.25, 1.0, 3.0, Pair::poisson_remove}}}, infinity).lower == infinity);
  CHECK(renyi({0.1, {{0.25, 1.0, 3.0, Pair::poisson_add}}}, infinity).lower == infinity);
}
