// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/interpolation/detail/sgd_estimate.hpp>
#include <dpcurves/interpolation/detail/sgd_optimum.hpp>

#include "settings.hpp"
#include "support/load.hpp"
#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::interpolation;
using test::sampled;

TEST_CASE("estimates of noisy SGD are what accounting proves", "[interpolation]") {
  struct Case {
    SgdBound bound;
    double kappa, p, c, steps, horizon, split;
  };
  const auto at = GENERATE(Case{SgdBound::two_process, 0.667, 0.025, 0.99, 8000.0, 589.0, 1.43},
                           Case{SgdBound::one_process, 0.667, 0.025, 0.99, 8000.0, 441.0, 4.85},
                           Case{SgdBound::two_process, 1.0, 0.1, 0.6, 20.0, 5.0, 2.5},  // few steps, large losses
                           Case{SgdBound::one_process, 1.0, 0.1, 0.6, 20.0, 4.0, 4.6},
                           Case{SgdBound::one_process, 0.1, 0.01, 0.9999, 1e6, 1e4, 2.0},
                           Case{SgdBound::one_process, 2.0, 0.25, 0.9, 50.0, 15.0, 2.66});
  CAPTURE(at.kappa, at.p, at.horizon);
  const auto composition = sgd_composition(at.bound, sampled(at.kappa, at.p, at.c, at.steps), at.horizon, at.split);
  for (const double delta : {0.01, 1e-5, 1e-12}) {
    const auto estimate = estimated_value(composition, {std::nullopt, delta});
    REQUIRE(estimate);
    const Enclosure proved = accounting::epsilon_at(composition, delta).epsilon;
    CHECK(*estimate == Approx(proved.middle()).epsilon(2e-8 + proved.relative_width()));
    const auto log_delta = estimated_value(composition, {*estimate, std::nullopt});
    REQUIRE(log_delta);
    CHECK(*log_delta == Approx(std::log(delta)).margin(1e-6));
  }
}

TEST_CASE("nothing is estimated where doubles do not reach", "[interpolation]") {
  accounting::Composition composition;
  CHECK_FALSE(estimated_value(composition, {1.0, std::nullopt}));  // no Gaussian part: the line would not end
  composition.gaussian_mu = 1.0;
  composition.components = {{0.01, 40.0, 10.0, accounting::Pair::symmetrised}};
  CHECK_FALSE(estimated_value(composition, {1.0, std::nullopt}));
  composition.components = {{0.01, 1.0, 10.0, accounting::Pair::poisson_remove}};
  CHECK_FALSE(estimated_value(composition, {1.0, std::nullopt}));
}

TEST_CASE("optimised bounds of noisy SGD are at least as good as the specification's", "[interpolation]") {
  const auto contracting = sampled(0.1, 0.01, 0.99, infinity);
  CHECK(optimise(SgdBound::two_process, contracting, {0.5, std::nullopt}).value.upper <= 2.43e-18);
  CHECK(optimise(SgdBound::one_process, contracting, {0.5, std::nullopt}).value.upper <= 8.31e-21);
  const auto boxed = sampled(1.0 / 6.0, 0.01, 1.0, infinity, 10.0 / 3.0);
  CHECK(optimise(SgdBound::constrained, boxed, {1.0, std::nullopt}).value.upper <= 8.085e-7);
  const auto both = sampled(1.0 / 6.0, 0.01, 0.999, infinity, 10.0 / 3.0);
  CHECK(optimise(SgdBound::one_process, both, {1.0, std::nullopt}).value.upper <= 6.34e-9);
}

TEST_CASE("the optimised bound is the same at any load", "[interpolation]") {
  const auto setting = sampled(0.5, 0.01, 0.99, 5000.0);  // 2.2121, 2.2189 or 2.2388 where a clock ended the search
  for (const SgdBound bound : {SgdBound::two_process, SgdBound::one_process}) {
    const auto alone = optimise(bound, setting, {std::nullopt, 1e-6});
    const test::Load load(4);
    const auto loaded = optimise(bound, setting, {std::nullopt, 1e-6});
    CHECK(loaded.choice.horizon == alone.choice.horizon);
    CHECK(loaded.choice.split == alone.choice.split);
    CHECK(loaded.value == alone.value);
  }
}

TEST_CASE("the search by estimates ends below every pair of a grid", "[interpolation]") {
  const auto setting = sampled(0.667, 0.025, 0.99, 8000.0);
  for (const SgdBound bound : {SgdBound::two_process, SgdBound::one_process}) {
    const auto best = optimise(bound, setting, {std::nullopt, 1e-5});
    for (const double horizon : {0.9, 0.99, 1.0, 1.01, 1.1}) {
      for (const double split : {0.8, 0.98, 1.0, 1.02, 1.25}) {
        const auto other = sgd_composition(bound, setting, std::round(horizon * best.choice.horizon),
                                           1.0 + (best.choice.split - 1.0) * split);
        CHECK(best.value.upper <= accounting::epsilon_at(other, 1e-5).epsilon.upper * (1.0 + 1e-9));
      }
    }
  }
  // By proofs alone the search ended at 43.6738829911, next to this one.
  CHECK(optimise(SgdBound::one_process, sampled(2.0 / 3.0, 0.025, 1.0, 8000.0), {std::nullopt, 1e-5}).value.upper <=
        43.40256);
}
