// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/lower_bounds.hpp>
#include <dpcurves/interpolation/noisy_gd.hpp>
#include <dpcurves/interpolation/renyi.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::interpolation;

TEST_CASE("the lower bound stays below the upper bound and within a factor sqrt 2 of it", "[interpolation][property]") {
  const double s = GENERATE(0.01, 0.1, 1.0, 40.0);
  const double diameter = GENERATE(0.5, 5.0, 300.0);
  const auto lower = constrained_lower_bound({s, diameter, 1.0, std::numeric_limits<double>::infinity(), 1.0});
  NoisyGd setting;
  setting.descent.effective_sensitivity = s;
  setting.descent.diameter = diameter;
  setting.steps = std::numeric_limits<double>::infinity();
  const double upper = constrained_best(setting).mu.upper;
  CHECK(lower.mu.lower <= upper);
  if (lower.u > 100.0 && diameter > 10.0 * s) {
    CHECK(lower.mu.lower * std::sqrt(2.0) > 0.95 * upper);
  }
}

TEST_CASE("a bound on the probability that underflows still bounds mu", "[interpolation]") {
  const auto bound = constrained_lower_bound({100.0, 1e6, 1.0, 1e9, 1.0});
  CHECK(bound.event_probability_bound == 0.0);
  CHECK(bound.mu.lower == Approx(std::sqrt(2e8)).epsilon(1e-6));
}

TEST_CASE("the constants of Theorem C.16 satisfy the inequality of its proof", "[interpolation]") {
  const double c1_squared = GENERATE(1e-6, 5e-4, 6.73e-4, 8e-4, 1.7e-3);
  const double c0 = largest_c0(c1_squared).lower;
  const auto slack = [c1_squared](double u) {
    return -c1_squared * u + std::log(0.19146246127401312) -
           std::log(std::exp(-0.09 * u / 5.6) + std::exp(-0.01 * u / 5.6));
  };
  CHECK(c0 <= c1_squared);
  CHECK(slack(1.0 / c0) >= -1e-12);
  if (c0 < c1_squared * 0.999) {
    CHECK(slack(0.999 / c0) < 0.0);
  }
  CHECK_THROWS_AS(largest_c0(0.01 / 5.6), DomainError);
  CHECK_THROWS_AS(largest_c0(0.0), DomainError);
}

TEST_CASE("Renyi forms halve the earlier bound", "[interpolation]") {
  NoisyGd setting;
  setting.descent.effective_sensitivity = 0.1;
  setting.descent.contraction = Contraction::factor(0.95);
  setting.steps = std::numeric_limits<double>::infinity();
  const double ours = zero_concentrated_rho(strongly_convex_mu(setting)).upper;
  CHECK(prior_renyi_rho(setting).upper == Approx(2.0 * ours).epsilon(1e-14));
  CHECK(renyi_bound({0.5, 0.5}, 8.0).contains(1.0));
  CHECK(renyi_bound({0.0, 0.0}, 8.0).upper < 1e-300);
  CHECK_THROWS_AS(renyi_bound({0.5, 0.5}, 1.0), DomainError);
  setting.descent.contraction = Contraction();
  CHECK_THROWS_AS(prior_renyi_rho(setting), DomainError);
}

TEST_CASE("lower bounds outside the domain name the argument", "[interpolation][errors]") {
  CHECK_THROWS_WITH(constrained_lower_bound({0.0, 1.0, 1.0, 5.0, 1.0}), Catch::Contains("step_sensitivity = 0"));
  CHECK_THROWS_WITH(constrained_lower_bound({1.0, 1.0, 1.0, 0.5, 1.0}), Catch::Contains("epochs = 0.5"));
}
