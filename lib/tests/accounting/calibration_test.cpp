// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/accounting/calibration.hpp>
#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::accounting;
using Catch::WithinRel;
using mechanism::Adjacency;
using mechanism::Sampler;

namespace {

/// delta of G(mu(value)) at epsilon.
TrialDelta gaussian_trial(double epsilon, const std::function<double(double)>& mu) {
  return [=](double value, double) -> std::optional<Enclosure> {
    return std::isinf(value) ? std::nullopt : std::optional(tradeoff::delta_enclosure(epsilon, exactly(mu(value))));
  };
}

}  // namespace

TEST_CASE("a power law is solved in a few trials, on the safe side", "[accounting][calibration]") {
  const double epsilon = GENERATE(0.1, 1.0, 8.0);
  const double delta = GENERATE(1e-3, 1e-5, 1e-12);
  const double budget = tradeoff::mu_of_epsilon_delta(epsilon, delta);
  const CalibrationTarget target{epsilon, delta, 1e-9, std::nullopt};
  const auto noise =
      calibrate(gaussian_trial(epsilon, [](double z) { return 10.0 / z; }), {0.0, infinity, false, true}, target);
  REQUIRE(noise.value);
  CHECK(*noise.value >= 10.0 / budget * (1.0 - 1e-12));
  CHECK_THAT(*noise.value, WithinRel(10.0 / budget, 1e-9));
  CHECK(noise.trials <= 8);

  const auto steps = calibrate(gaussian_trial(epsilon, [](double t) { return 0.001 * std::sqrt(t); }),
                               {1.0, infinity, true, false}, target);
  REQUIRE(steps.value);
  CHECK(*steps.value == std::floor(std::pow(budget / 0.001, 2.0)));
  CHECK(steps.trials <= 12);
}

TEST_CASE("upper ends are solved as closely where lower ones are far away or none", "[accounting][calibration]") {
  const double share = GENERATE(0.0, 1e-9, 0.3, 0.9);
  const double budget = tradeoff::mu_of_epsilon_delta(1.0, 1e-5);
  const auto exact = gaussian_trial(1.0, [](double z) { return 10.0 / z; });
  const TrialDelta apart = [&](double value, double relative) {
    const auto delta = exact(value, relative);
    return delta ? std::optional(Enclosure{share * delta->lower, delta->upper}) : std::nullopt;
  };
  const auto noise = calibrate(apart, {0.0, infinity, false, true}, {1.0, 1e-5, 1e-9, std::nullopt});
  REQUIRE(noise.value);
  CAPTURE(share, *noise.value, noise.trials);
  CHECK(*noise.value >= 10.0 / budget * (1.0 - 1e-12));
  CHECK_THAT(*noise.value, WithinRel(10.0 / budget, 2e-9));
  CHECK(noise.trials <= 16);
}

TEST_CASE("ends of the range, unlimited and impossible are told apart", "[accounting][calibration]") {
  const CalibrationTarget target{1.0, 1e-5, 1e-9, std::nullopt};
  const auto weak = [](double) { return 1e-3; };
  CHECK(calibrate(gaussian_trial(1.0, weak), {0.0, 1.0, false, false}, target).value == 1.0);
  const auto strong = [](double) { return 10.0; };
  CHECK_FALSE(calibrate(gaussian_trial(1.0, strong), {1.0, infinity, true, false}, target).value);
  CHECK_FALSE(calibrate(gaussian_trial(1.0, strong), {1.0, 1e12, true, true}, target).value);
  const TrialDelta limit = [](double, double) { return std::optional(Enclosure{0.0, 1e-6}); };
  CHECK(calibrate(limit, {1.0, infinity, true, false}, target).value == infinity);
  const TrialDelta nothing = [](double, double) { return std::optional<Enclosure>(); };
  CHECK_FALSE(calibrate(nothing, {0.0, infinity, false, true}, target).value);
  CHECK_THROWS_AS(calibrate(limit, {}, {1.0, 2.0, 1e-9, std::nullopt}), DomainError);
}

TEST_CASE("jumps and plateaus end in the right place", "[accounting][calibration]") {
  const CalibrationTarget target{1.0, 1e-5, 1e-9, std::nullopt};
  const auto jump = [](double x) { return x < 37.25 ? 0.01 : 5.0; };
  CHECK_THAT(calibrate(gaussian_trial(1.0, jump), {0.0, infinity, false, false}, target).value.value(),
             WithinRel(37.25, 2e-9));
  CHECK(calibrate(gaussian_trial(1.0, jump), {1.0, infinity, true, false}, target).value == 37.0);
  const TrialDelta dead = [](double x, double) {
    return std::optional(x < 500.5 ? Enclosure{0.0, 0.0} : Enclosure{1.0, 1.0});
  };
  CHECK(calibrate(dead, {1.0, infinity, true, false}, target).value == 500.0);
}

TEST_CASE("DP-SGD is calibrated to 1e-6 in at most eight trials", "[accounting][calibration]") {
  struct Row {
    Adjacency adjacency;
    double rate, steps, epsilon, delta;
  };
  int most = 0;
  for (const Row& row :
       {Row{Adjacency::add_or_remove, 0.01, 1000, 1.0, 1e-5}, Row{Adjacency::add_or_remove, 0.01, 1000, 8.0, 1e-8},
        Row{Adjacency::add_or_remove, 256.0 / 60000.0, 14063, 2.0, 1e-5},
        Row{Adjacency::add_or_remove, 1e-4, 1e6, 1.0, 1e-6}, Row{Adjacency::replace_one, 0.02, 3000, 3.0, 1e-6},
        Row{Adjacency::add_or_remove, 0.5, 100, 0.5, 1e-10}}) {
    CAPTURE(row.rate, row.steps, row.epsilon, row.delta);
    DpSgd run{Sampler::poisson, row.adjacency, {{1.0, row.rate, row.steps}}, {}};
    const auto at = [&](double noise, double relative) {
      run.phases[0].noise_multiplier = noise;
      Accuracy accuracy;
      accuracy.relative = relative;
      return dp_sgd_guarantee(run, accuracy).curve->delta(row.epsilon).value;
    };
    // Warm start: where the central limit meets the target.
    const double budget = tradeoff::mu_of_epsilon_delta(row.epsilon, row.delta);
    double low = 0.05, high = 1e4;
    for (int i = 0; i < 60; ++i) {
      run.phases[0].noise_multiplier = std::sqrt(low * high);
      (approximate_mu(run) > budget ? low : high) = run.phases[0].noise_multiplier;
    }
    const auto found = calibrate([&](double noise, double relative) { return std::optional(at(noise, relative)); },
                                 {0.0, infinity, false, true}, {row.epsilon, row.delta, 1e-7, low});
    REQUIRE(found.value);
    most = std::max(most, found.trials);
    CHECK(at(*found.value, 1e-8).upper <= row.delta);
    CHECK(at(*found.value * (1.0 - 1e-6), 1e-8).lower > row.delta);
  }
  CAPTURE(most);
  CHECK(most <= 8);
}
