// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>
#include <numbers>

#include <dpcurves/core/error.hpp>
#include <dpcurves/divergence/renyi.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::divergence;

TEST_CASE("the Renyi divergence of normal laws is the integral that defines it", "[renyi]") {
  const double order = GENERATE(1.5, 2.0, 4.0);
  const Normal p{0.3, GENERATE(0.7, 1.0, 1.1)}, q{-0.2, 1.05};
  const auto log_density = [](const Normal& law, double x) {
    const double z = (x - law.mean) / law.standard_deviation;
    return -0.5 * z * z - std::log(law.standard_deviation * std::sqrt(2.0 * std::numbers::pi));
  };
  double moment = 0.0;
  const double step = 1e-3;
  for (int i = -40000; i <= 40000; ++i) {
    const double x = step * i;
    moment += step * std::exp(order * log_density(p, x) + (1.0 - order) * log_density(q, x));
  }
  CHECK(test::relative_error(renyi(order, p, q), std::log(moment) / (order - 1.0)) < 1e-11);
}

TEST_CASE("equal variances give a mu^2 / 2 and order 1 gives Kullback-Leibler", "[renyi]") {
  CHECK(test::relative_error(renyi(3.0, {1.0, 2.0}, {0.0, 2.0}), gaussian_renyi(3.0, 0.5)) < 1e-15);
  CHECK(test::relative_error(renyi(1.0, {1.0, 2.0}, {0.0, 3.0}), std::log(1.5) + (4.0 + 1.0) / 18.0 - 0.5) < 1e-14);
  CHECK(gaussian_renyi(1.0, 2.0) == 2.0);
}

TEST_CASE("nearly equal laws keep their digits", "[renyi]") {
  // a x^2 / 4 (1 + O(x)) for a variance ratio 1 + x.
  const double x = 1e-9;
  CHECK(test::relative_error(renyi(2.0, {0.0, 1.0 + 0.5 * x}, {0.0, 1.0}), 2.0 * x * x / 4.0) < 1e-6);
  CHECK(renyi(5.0, {0.0, 1.0}, {0.0, 1.0}) == 0.0);
}

TEST_CASE("the divergence is infinite where the moment is", "[renyi]") {
  CHECK(renyi(2.0, {0.0, 2.0}, {0.0, 1.0}) == std::numeric_limits<double>::infinity());
  CHECK(std::isfinite(renyi(1.3, {0.0, 2.0}, {0.0, 1.0})));
}

TEST_CASE("arguments of divergences outside their domains name themselves", "[renyi][errors]") {
  CHECK_THROWS_WITH(gaussian_renyi(0.5, 1.0), Catch::Contains("renyi_order = 0.5"));
  CHECK_THROWS_AS(renyi(2.0, {0.0, 0.0}, {0.0, 1.0}), DomainError);
  CHECK_THROWS_AS(renyi(std::nan(""), {0.0, 1.0}, {0.0, 1.0}), DomainError);
}
