// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/bounds/relu_regression.hpp>
#include <dpcurves/core/error.hpp>

#include "support/support.hpp"

using namespace dpcurves;

TEST_CASE("the terms of Theorem 6 add up and its noise grows with the steps", "[bounds][relu_regression]") {
  bounds::ProjectedDescentSetting setting{8000, 50, 400, 0.02, 1.0, 1e-5, 1.5, 1.0};
  const auto bound = bounds::projected_descent_bound(setting);
  CHECK(bound.surrogate == Approx(1.4501208697527288).epsilon(1e-13));
  setting.steps = 800;
  CHECK(bounds::projected_descent_bound(setting).noise_variance == Approx(2.0 * bound.noise_variance).epsilon(1e-14));
  setting.steps = 1;
  CHECK(bounds::projected_descent_bound(setting).stability == 0.0);
  setting.step_size = 0.51;
  CHECK_THROWS_WITH(bounds::projected_descent_bound(setting), Catch::Contains("(0, 0.5]"));
}

TEST_CASE("without its square the gradient does not bound the risk", "[bounds][relu_regression]") {
  // y = 0, w* = 0, |w| = 10, symmetric isotropic x: risk |w|^2/2 = 50, gradient |w|/2 = 5.
  CHECK(bounds::misspecified_risk_bound(0.0, 5.0) == Approx(200.0));
  CHECK(bounds::printed_misspecified_risk_bound(0.0, 5.0) < 50.0);
  CHECK(std::pow(bounds::sufficient_gradient(0.08), 2) * 8.0 == Approx(0.08));
}

TEST_CASE("batches of Algorithm 8 forget their start", "[bounds][relu_regression]") {
  const double steps = bounds::batched_descent_steps(1e-3, 2.0, 0.05);
  const double factor = 1.0 - 0.05 / 12.0;
  CHECK(2.0 * std::pow(factor, steps) <= 1e-3);
  CHECK(2.0 * std::pow(factor, steps - 1.0) > 1e-3);
  CHECK(bounds::batched_descent_steps(3.0, 2.0, 0.05) == 1.0);
  const auto step = bounds::batched_descent_step(0.06);
  CHECK(step.contraction == Approx(0.99));
  CHECK(step.amplification == Approx(0.12 * 6.12));
}

TEST_CASE("one exact batch contracts by 1 - eta/2 and keeps the minimiser without noise", "[bounds][relu_regression]") {
  bounds::OneBatchSetting setting{5, 1.0, 0.8, 0.3, 0.0, 0.0625, 1e300, 0.0};
  const auto step = bounds::one_batch(setting);
  const double distance = 1.0 + 0.64 - 2.0 * 0.8 * 0.3;
  CHECK(step.squared_distance == Approx(std::pow(1.0 - 0.03125, 2) * distance).epsilon(1e-14));
  CHECK(step.gradient_norm == Approx(0.5 * std::sqrt(distance)).epsilon(1e-14));
  setting.norm = 0.8;
  setting.cosine = 1.0;
  setting.batch = 7;
  CHECK(bounds::one_batch(setting).squared_distance == 0.0);
  setting.batch = 0.5;
  CHECK_THROWS_WITH(bounds::one_batch(setting), Catch::Contains("batch = 0.5"));
}

TEST_CASE("rates of Theorem 7 need fewer records once the square is in place", "[bounds][relu_regression]") {
  const auto rate = bounds::batched_descent_rate({10.0, 1.0, 1.0, 1e-5, 0.01, 0.05});
  CHECK(rate.sharper < std::max(rate.privacy, rate.statistics));
  const auto finer = bounds::batched_descent_rate({10.0, 1.0, 1.0, 1e-5, 0.0025, 0.05});
  CHECK(finer.privacy == Approx(4.0 * rate.privacy));
  CHECK(finer.statistics == Approx(16.0 * rate.statistics));
}
