// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/noisy_gd.hpp>

#include "settings.hpp"
#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::interpolation;
using test::boxed;

namespace {

NoisyGd contracting(double kappa, const Contraction& c, double steps) {
  NoisyGd setting;
  setting.descent.effective_sensitivity = kappa;
  setting.descent.contraction = c;
  setting.steps = steps;
  return setting;
}

}  // namespace

TEST_CASE("Theorem 4.2 reaches its limits", "[interpolation]") {
  const double kappa = 0.3;
  CHECK(strongly_convex_mu(contracting(kappa, Contraction::factor(0.0), 1e9)).contains(kappa));
  CHECK(strongly_convex_mu(contracting(kappa, Contraction::factor(0.7), 1.0)).contains(kappa));
  CHECK(strongly_convex_mu(contracting(kappa, Contraction::factor(1.0), 49.0)).contains(kappa * 7.0));
  CHECK(strongly_convex_mu(contracting(kappa, Contraction::factor(0.5), infinity)).contains(kappa * std::sqrt(3.0)));
  CHECK(strongly_convex_mu(contracting(0.0, Contraction::factor(0.5), 100.0)) == exactly(0.0));
  // mpmath, 40 digits: sqrt(tanh(t h/2)/tanh(h/2)) with 1 - c = 1e-14 and t = 1e6
  CHECK(strongly_convex_mu(contracting(1.0, Contraction::complement(1e-14), 1e6)).upper ==
        Approx(999.99999999999999583).epsilon(5e-15));
  CHECK_THROWS_WITH(strongly_convex_mu(contracting(kappa, Contraction::factor(1.0), infinity)),
                    Catch::Contains("unlimited steps"));
}

TEST_CASE("mu never decreases with the number of steps and never exceeds composition", "[interpolation][property]") {
  const double c = GENERATE(0.0, 0.3, 0.9, 0.9999, 1.0);
  double previous = 0.0;
  for (const double t : {1.0, 2.0, 3.0, 10.0, 100.0, 1e4, 1e9}) {
    const auto setting = contracting(0.2, Contraction::factor(c), t);
    const double mu = strongly_convex_mu(setting).upper;
    CHECK(mu >= previous * (1.0 - 1e-15));
    CHECK(mu <= composition_mu(setting).upper * (1.0 + 1e-14));
    previous = mu;
  }
}

TEST_CASE("the better of composition and horizon never exceeds the printed theorem", "[interpolation][property]") {
  const double diameter = GENERATE(1e-8, 0.1, 1.0, 33.3, 1e7);
  const double steps = GENERATE(1.0, 7.0, 1e3, 1e9, infinity);
  const NoisyGd setting{boxed(0.5, 0.1, diameter, 8.0), steps};
  const auto best = constrained_best(setting);
  if (constrained_violations(setting).empty()) {
    CHECK(best.mu.upper <= constrained_mu(setting).upper * (1.0 + 1e-14));
  }
  if (std::isfinite(steps)) {
    CHECK(best.mu.upper <= composition_mu(setting).upper);
  }
}

TEST_CASE("a ratio that is an integer up to rounding is that integer", "[interpolation]") {
  // 1/(0.25 * 0.04) is 100.00000000000001 in floating point
  const auto plateau = constrained_plateau(boxed(0.25, 0.04, 1.0, 3.0));
  CHECK(plateau.count == 400.0);
  for (double n = 1.0; n < 2000.0; ++n) {
    for (const double step_size : {0.1, 0.07, 1.0 / 3.0}) {
      for (const double noise : {0.3, 7.0}) {
        CHECK(diameter_in_steps(boxed(0.3, step_size, 0.3 * step_size * n, noise)) == n);
      }
    }
  }
}

TEST_CASE("physical parameters become kappa, contraction and scaled diameter", "[interpolation]") {
  DescentParameters parameters;
  parameters.sensitivity = 10.0;
  parameters.batch_size = 1500.0;
  parameters.noise = 0.01;
  parameters.step_size = 0.05;
  parameters.strong_convexity = 0.002;
  parameters.smoothness = 20.0;
  parameters.diameter = 3.0;
  auto descent = make_descent(parameters);
  CHECK(descent.effective_sensitivity == Approx(2.0 / 3.0).epsilon(1e-15));
  CHECK(descent.contraction->one_minus_c() == Approx(1e-4).epsilon(1e-15));
  CHECK(descent.diameter == Approx(6000.0).epsilon(1e-15));
  CHECK(descent.violated.empty());
  CHECK(descent.assumed.size() == 2);

  SECTION("a large step contracts by the smoothness") {
    parameters.smoothness = 39.99;
    CHECK(make_descent(parameters).contraction->one_minus_c() == Approx(1e-4).epsilon(1e-12));
    parameters.smoothness = 39.9999;
    CHECK(make_descent(parameters).contraction->one_minus_c() == Approx(5e-6).epsilon(1e-9));
  }
  SECTION("a step above 2/M violates the hypothesis and is named") {
    parameters.smoothness = 50.0;
    descent = make_descent(parameters);
    REQUIRE(descent.violated.size() == 1);
    CHECK_THAT(descent.violated[0].found, Catch::Contains("0.05 > 2/M = 0.04"));
    CHECK_FALSE(descent.contraction.has_value());
    CHECK_FALSE(strongly_convex_violations(NoisyGd{descent, 5.0}).empty());
    CHECK_FALSE(constrained_violations(NoisyGd{descent, 1e9}).empty());
    CHECK(composition_violations(NoisyGd{descent, 5.0}).empty());
  }
  SECTION("m above M is a violation") {
    parameters.strong_convexity = 25.0;
    CHECK(make_descent(parameters).violated.size() == 1);
  }
  SECTION("two ways to give the contraction must agree") {
    parameters.one_minus_contraction = 1e-4;
    CHECK_NOTHROW(make_descent(parameters));
    parameters.contraction = 0.9999;
    CHECK_NOTHROW(make_descent(parameters));
    parameters.one_minus_contraction = 2e-4;
    CHECK_THROWS_WITH(make_descent(parameters), Catch::Contains("contradicts"));
  }
  SECTION("missing parameters are named") {
    parameters.noise.reset();
    CHECK_THROWS_WITH(make_descent(parameters), Catch::Contains("noise is needed"));
    CHECK_THROWS_WITH(make_descent({}), Catch::Contains("sensitivity is needed"));
  }
  SECTION("values outside their range name themselves") {
    parameters.step_size = -1.0;
    CHECK_THROWS_WITH(make_descent(parameters), Catch::Contains("step_size = -1"));
    parameters.step_size = std::nan("");
    CHECK_THROWS_AS(make_descent(parameters), DomainError);
  }
}

TEST_CASE("settings outside the domain name the argument", "[interpolation][errors]") {
  CHECK_THROWS_WITH(composition_mu(contracting(-1.0, Contraction(), 3.0)),
                    Catch::Contains("effective_sensitivity = -1"));
  CHECK_THROWS_WITH(composition_mu(contracting(1.0, Contraction(), 2.5)), Catch::Contains("steps = 2.5"));
  CHECK_THROWS_AS(composition_mu(contracting(1.0, Contraction(), std::nan(""))), DomainError);
  CHECK_THROWS_WITH(constrained_best(contracting(1.0, Contraction(), 3.0)), Catch::Contains("no diameter"));
  CHECK_THROWS_WITH(composition_mu(contracting(1.0, Contraction(), infinity)), Catch::Contains("Theorem 4.1"));
}
