// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>
#include <dpcurves/tradeoff/table.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::tradeoff;

namespace {

Table sampled_gaussian(double mu, int cells) {
  Table samples;
  for (int i = 0; i <= cells; ++i) {
    const double a = static_cast<double>(i) / cells;
    samples.push_back({a, gaussian(a, mu)});
  }
  return samples;
}

}  // namespace

TEST_CASE("samples of a trade-off function are recognised and others are not", "[table]") {
  CHECK(is_tradeoff(sampled_gaussian(1.0, 100)));
  CHECK(is_tradeoff(Table{{0.0, 1.0}, {1.0, 0.0}}));
  CHECK_FALSE(is_tradeoff(Table{{0.0, 1.0}, {0.5, 0.6}, {1.0, 0.0}}));              // above 1 - a
  CHECK_FALSE(is_tradeoff(Table{{0.0, 0.2}, {0.5, 0.3}, {1.0, 0.0}}));              // rises
  CHECK_FALSE(is_tradeoff(Table{{0.0, 0.5}, {0.3, 0.4}, {0.4, 0.1}, {1.0, 0.0}}));  // not convex
  CHECK_FALSE(is_tradeoff(Table{{0.5, 0.1}, {0.2, 0.3}}));                          // not sorted
  CHECK_FALSE(is_tradeoff(Table{{0.0, std::nan("")}}));
}

TEST_CASE("the minimum of f_p and its inverse without the segment is not convex and is rejected", "[table]") {
  const double p = 0.25, mu = 2.5;
  Table mixed, both;
  for (int i = 0; i <= 1000; ++i) {
    const double a = 0.001 * i;
    mixed.push_back({a, p * gaussian(a, mu) + (1.0 - p) * (1.0 - a)});
  }
  Table mirror;
  for (auto point = mixed.rbegin(); point != mixed.rend(); ++point) {
    mirror.push_back({point->type_two_error, point->type_one_error});
  }
  for (int i = 0; i <= 1000; ++i) {
    const double a = 0.001 * i;
    both.push_back({a, std::min(interpolate(mixed, a), interpolate(mirror, a))});
  }
  CHECK_FALSE(is_tradeoff(both, 1e-9));
  CHECK(is_tradeoff(convex_minorant(both)));
}

TEST_CASE("tangent tables lie below the curve and close to it", "[table][property]") {
  const double mu = GENERATE(0.3, 1.0, 4.0);
  const Table samples = sampled_gaussian(mu, 400);
  const Table below = tangent_table(samples);
  CHECK(is_tradeoff(below));
  double gap = 0.0;
  for (int i = 1; i < 4000; ++i) {
    const double a = i / 4000.0;
    CHECK(interpolate(below, a) <= gaussian(a, mu));
    CHECK(interpolate(samples, a) >= gaussian(a, mu) - 1e-16);
    if (a > 0.05) {
      gap = std::max(gap, gaussian(a, mu) - interpolate(below, a));
    }
  }
  CHECK(gap < 1e-3);
}

TEST_CASE("randomised response composes to its known law", "[table]") {
  // Two pieces with slopes e^-epsilon and e^epsilon; the composition of two has likelihood ratios e^2eps, 1, e^-2eps.
  const double q = 1.0 / (1.0 + std::exp(1.0));
  const Table once{{0.0, 1.0}, {q, q}, {1.0, 0.0}};
  const Table twice = tensor(once, once);
  REQUIRE(twice.size() == 4);
  CHECK(twice[1].type_one_error == Approx(q * q).epsilon(1e-15));
  CHECK(twice[1].type_two_error == Approx(1.0 - (1.0 - q) * (1.0 - q)).epsilon(1e-15));
  CHECK(twice[2].type_one_error == Approx(q * q + 2.0 * q * (1.0 - q)).epsilon(1e-15));
  CHECK(twice[2].type_two_error == Approx(q * q).epsilon(1e-15));
}

TEST_CASE("tables that do not fit are refused", "[table][errors]") {
  CHECK_THROWS_AS(convex_minorant({{0.5, 1.5}}), DomainError);
  CHECK_THROWS_AS(tangent_table(Table{{0.0, 1.0}, {1.0, 0.0}}), DomainError);
  CHECK_THROWS_AS(tangent_table(Table{{0.0, 0.5}, {0.3, 0.4}, {0.4, 0.1}, {1.0, 0.0}}), DomainError);
  CHECK_THROWS_AS(interpolate(Table{{0.0, 1.0}, {1.0, 0.0}}, 2.0), DomainError);
  const Table large = convex_minorant(sampled_gaussian(1.0, 3000));
  CHECK_THROWS_WITH(tensor(large, large), Catch::Contains("pieces"));
}
