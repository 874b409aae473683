// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/exponential_mechanism.hpp>
#include <dpcurves/interpolation/langevin.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::interpolation;

TEST_CASE("projected Langevin at its best horizon is no worse than the stated corollary", "[interpolation][property]") {
  const double L = GENERATE(0.1, 1.0, 30.0);
  const double eta = GENERATE(1e-3, 0.05, 2.0);
  const ProjectedLangevin chain{L, 1.3, eta, std::numeric_limits<double>::infinity()};
  const double ceiling = projected_langevin_ceiling_mu(chain).upper;
  CHECK(constrained_best(as_noisy_gd(chain)).mu.upper <= ceiling * (1.0 + 1e-14));
  CHECK(ceiling <= projected_langevin_mu(chain).upper * (1.0 + 1e-14));
}

TEST_CASE("pure differential privacy for huge and tiny products is finite and positive", "[interpolation]") {
  CHECK(exponential_mechanism_pure_mu(1e4, 1.0).upper == Approx(2.0 * std::sqrt(4e4)).epsilon(1e-3));
  // for small epsilon, mu = epsilon sqrt(2 pi)/2
  CHECK(exponential_mechanism_pure_mu(1e-12, 1.0).upper == Approx(2.5066282746310002e-12).epsilon(1e-9));
  CHECK(exponential_mechanism_pure_mu(0.0, 1.0) == exactly(0.0));
}

TEST_CASE("Langevin hypotheses are named with their numbers", "[interpolation][errors]") {
  Langevin setting{1.0, 1.0, 0.5, 10.0, 4.0};
  CHECK_THAT(describe(langevin_violations(setting)), Catch::Contains("2/(m + M) = 0.4"));
  setting.step_size = 1.5;
  setting.smoothness.reset();
  CHECK_THAT(describe(langevin_violations(setting)), Catch::Contains("1/m = 1"));
  setting.step_size = 0.0;
  CHECK_THROWS_WITH(langevin_violations(setting), Catch::Contains("step_size = 0"));
  CHECK_THROWS_AS(exponential_mechanism_strongly_convex_mu(1.0, 0.0), DomainError);
  CHECK_THROWS_AS(exponential_mechanism_convex_mu(1.0, -1.0), DomainError);
}
