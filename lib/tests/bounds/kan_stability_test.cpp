// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// One step against a loss in one dimension, bounds against their parts; the values are held by data/reference.
#include <cmath>
#include <numbers>

#include <dpcurves/bounds/kan_concentration.hpp>
#include <dpcurves/bounds/kan_independent.hpp>
#include <dpcurves/bounds/kan_plans.hpp>
#include <dpcurves/bounds/kan_stability.hpp>
#include <dpcurves/core/error.hpp>

#include "support/support.hpp"

using namespace dpcurves;

namespace {

// The logistic loss in one dimension: |grad| <= loss (G = 1), convex, beta = 1/4.
double loss(double w) { return std::log1p(std::exp(-w)); }
double slope(double w) { return -1.0 / (1.0 + std::exp(w)); }

}  // namespace

TEST_CASE("Lemma D.11 holds at every step on the logistic loss and fails without its noise", "[bounds][kan]") {
  const double eta = GENERATE(0.01, 1.0 / 3.0), w = GENERATE(-6.0, -0.5, 0.0, 4.0), target = GENERATE(-1.0, 2.0, 9.0);
  const double batch = GENERATE(-0.7, 0.0, 0.4), noise = GENERATE(-2.0, 0.0, 1.5), c = 0.3;
  const double next = w - eta * (slope(w) + batch + c * noise);
  bounds::DescentStep step;
  step.step_size = eta;
  step.private_noise = c;
  step.comparator_loss = loss(target);
  step.distance_before = (w - target) * (w - target);
  step.distance_after = (next - target) * (next - target);
  step.batch_squared = batch * batch;
  step.noise_squared = noise * noise;
  step.cross = (batch + c * noise) * (w - target);
  CHECK(loss(w) <= bounds::descent_step_bound(step) + 1e-13);
  // Every part counts as the lemma says.
  const double whole = bounds::descent_step_bound(step);
  step.cross += 1.0;
  CHECK(bounds::descent_step_bound(step) == Approx(whole - 3.0).epsilon(1e-12));
  step.noise_squared += 1.0;
  CHECK(bounds::descent_step_bound(step) == Approx(whole - 3.0 + 6.0 * eta * c * c).epsilon(1e-12));
  // Its conditions: met with equality, and hardly not.
  step.smoothness = 1.0 / 12.0 / eta;
  step.curvature = 0.5;
  step.radius = 0.5;
  CHECK(bounds::descent_step_bound(step) == Approx(whole - 3.0 + 6.0 * eta * c * c).epsilon(1e-12));
  step.radius = 0.5 + 1e-12;
  CHECK_THROWS_WITH(bounds::descent_step_bound(step), Catch::Contains("radius = 0.5"));
  step.radius = 0.5;
  step.smoothness *= 1.0 + 1e-12;
  CHECK_THROWS_WITH(bounds::descent_step_bound(step), Catch::Contains("step_size"));
}

TEST_CASE("coupled steps on logistic losses stay within Lemma C.16", "[bounds][kan]") {
  // Batches of two: one record in common, the other of opposite sign. Convex: nu = 0.
  const double eta = GENERATE(0.1, 1.0), w = GENERATE(-2.0, 0.3, 3.0), v = GENERATE(-1.0, 0.3, 5.0);
  const double next_w = w - 0.5 * eta * (slope(w) + slope(w));
  const double next_v = v - 0.5 * eta * (slope(v) - slope(-v));
  const bounds::StabilityStep step{0.0, 1.0, eta, 2.0};
  const double batch_losses = 0.5 * (2.0 * loss(w) + loss(v) + loss(-v));
  CHECK(std::abs(next_w - next_v) <=
        bounds::next_distance(step, std::abs(w - v), batch_losses, loss(w) + loss(-v)) + 1e-14);
  // (1 + 2 nu eta sum) Delta + eta G/B sum, by hand.
  CHECK(bounds::next_distance({0.5, 4.0, 0.1, 5.0}, 2.0, 3.0, 1.5) == Approx(2.72).epsilon(1e-15));
  CHECK_THROWS_WITH(bounds::next_distance(step, -1.0, 0.0, 0.0), Catch::Contains("distance = -1"));
}

TEST_CASE("the stability bound is its parts, and says which condition fails", "[bounds][kan]") {
  bounds::StabilitySetting s;
  s.records = 100.0;
  s.batch = 10.0;
  s.iterates = 50.0;
  s.step_size = 0.2;
  s.gradient = 0.5;
  s.curvature = 1e-4;
  s.projection_radius = 3.0;
  s.mean_loss = 0.4;
  s.sum_expected_loss = 25.0;
  s.delta_stability = 0.01;
  const auto bound = bounds::stability_bound(s);
  const auto outputs = bounds::output_bounds(s.spline, s.splines, s.records, s.delta_output, s.gradient, 3.0);
  CHECK(bound.output == outputs.output);
  CHECK(bound.loss == outputs.loss);
  CHECK(bound.batch_excess == bounds::batch_loss_excess(outputs.loss, 50.0, 10.0, s.delta_batch));
  CHECK(bound.growth == Approx(4.0 * 0.2 * 1e-4 * (20.0 + bound.batch_excess)).epsilon(1e-14));
  CHECK(bound.growth_bounded);
  CHECK(bound.curvature_small);
  CHECK(bound.stability == Approx(2.0 * std::numbers::e * 0.2 * 0.5 / 100.0 * 25.0 + 0.06).epsilon(1e-14));
  s.curvature = 0.03;  // 4 nu R^2 > 1
  CHECK_FALSE(bounds::stability_bound(s).curvature_small);
  s.curvature = 0.2;
  CHECK_FALSE(bounds::stability_bound(s).growth_bounded);
  s.curvature = std::nan("");
  CHECK_THROWS_WITH(bounds::stability_bound(s), Catch::Contains("curvature = nan"));
}

TEST_CASE("the population risk is the mean training loss where nothing is lost, and grows by each loss",
          "[bounds][kan]") {
  bounds::PopulationSetting s;
  s.records = 400.0;
  s.iterates = 100.0;
  s.step_size = 0.1;
  s.gradient = 2.0;
  s.projection_radius = 5.0;
  s.units = 16.0;
  s.mean_loss = 0.3;
  const double factor = 1.0 + 0.4 * std::numbers::e;  // 4 e 0.1 100 4/400 = 0.4 e
  auto bound = bounds::population_bound(s);
  CHECK(bound.factor == Approx(factor).epsilon(1e-15));
  CHECK(bound.risk == Approx(0.3 * factor).epsilon(1e-15));
  CHECK(bound.largest_loss ==
        Approx(std::log(2.0) + 2.0 / 3.0 * 2.0 * bounds::second_layer_norms(4.0, 16.0, 0.05).whole + 10.0)
            .epsilon(1e-14));
  s.delta_stability = 0.01;
  CHECK(bounds::population_bound(s).risk == Approx(0.3 * factor + 0.4).epsilon(1e-14));
  s.delta_optimisation = 0.02;
  CHECK(bounds::population_bound(s).risk == Approx((0.3 + 0.02 * bound.largest_loss) * factor + 0.4).epsilon(1e-14));
  s.records = 0.5;
  CHECK_THROWS_WITH(bounds::population_bound(s), Catch::Contains("records = 0.5"));
}

TEST_CASE("Theorem D.13 averages Lemma D.11 over its events", "[bounds][kan]") {
  bounds::IndependentNoiseSetting s;
  s.parameters = 1000.0;
  s.iterates = 200.0;
  s.batch = 20.0;
  s.step_size = 0.1;
  s.gradient = 0.5;
  s.private_noise = 0.01;
  s.projection_radius = 3.0;
  s.delta = 0.2;
  s.comparator_loss = 0.05;
  s.distance_squared = 4.0;
  const auto bound = bounds::independent_noise_bound(s);
  CHECK(bound.batch_energy == bounds::batch_energy(200.0, 0.5, 20.0, 0.05));
  CHECK(bound.noise_energy == Approx(bounds::chi_squared_bound(2e5, std::log(20.0))).epsilon(1e-15));
  bounds::DescentStep whole;  // all steps at once: the distances telescope, the last is dropped
  whole.step_size = 0.1;
  whole.private_noise = 0.01;
  whole.comparator_loss = 200.0 * 0.05;
  whole.distance_before = 4.0;
  whole.batch_squared = bound.batch_energy;
  whole.noise_squared = bound.noise_energy;
  whole.cross = -(bound.batch_cross + bound.noise_cross) / 3.0;
  CHECK(bound.mean_loss == Approx(bounds::descent_step_bound(whole) / 200.0).epsilon(1e-13));
  // The noise term is 3 standard deviations' worth: P(|N(0, T)| c R > noise_cross/6) is far below delta/4.
  CHECK(std::erfc(bound.noise_cross / (3.0 * 0.01 * 3.0 * std::sqrt(200.0)) / std::numbers::sqrt2) < 0.05);
  s.private_noise = 0.0;
  CHECK(bounds::independent_noise_bound(s).noise_cross == 0.0);
  CHECK(bounds::independent_noise_bound(s).mean_loss < bound.mean_loss);
  s.delta = 1.0;
  CHECK_THROWS_WITH(bounds::independent_noise_bound(s), Catch::Contains("delta = 1"));
}

TEST_CASE("the plan for independent noise, with a step size that the privacy cuts", "[bounds][kan]") {
  const auto plan = bounds::independent_plan(1e4, 16.0, 0.5, 1.0);
  CHECK(plan.iterates == 200.0);
  CHECK(plan.batch == 50.0);
  CHECK(plan.step_size == 1.0);
  CHECK(plan.units == Approx(16.0).epsilon(1e-14));
  CHECK(plan.rate == Approx(0.02 + 0.0032).epsilon(1e-14));
  CHECK(bounds::independent_plan(1e4, 16.0, 0.5, 0.1).step_size == Approx(0.625).epsilon(1e-14));
  CHECK_THROWS_WITH(bounds::independent_plan(1e4, 16.0, 0.5, 0.0), Catch::Contains("epsilon = 0"));
}
