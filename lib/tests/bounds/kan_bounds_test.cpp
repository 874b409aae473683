// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Questions of a user, limits and orders; the values are held by data/reference/kan-correlated-noise.json.
#include <cmath>
#include <vector>

#include <dpcurves/bounds/correlated_quadratic.hpp>
#include <dpcurves/bounds/kan_concentration.hpp>
#include <dpcurves/bounds/kan_independent.hpp>
#include <dpcurves/bounds/kan_optimisation.hpp>
#include <dpcurves/bounds/kan_plans.hpp>
#include <dpcurves/bounds/kan_stability.hpp>
#include <dpcurves/core/error.hpp>

#include "support/support.hpp"

using namespace dpcurves;

TEST_CASE("which lambda minimises the noise at fixed kappa and eta = 0.1", "[bounds][kan]") {
  CHECK(bounds::best_correlation(0.1) == Approx(0.90909).epsilon(1e-5));
  CHECK(bounds::best_quadratic_correlation(1.0, 0.1) == Approx(0.9).epsilon(1e-15));
  bounds::RateSetting setting{0.1, 0.1, 1000.0, 100.0, 0.0, 1.0, 1000.0, 10.0};
  const auto noise = [&](double lambda) {
    setting.correlation = lambda;
    return bounds::optimisation_rate(setting).noise;
  };
  const double best = bounds::best_correlation(0.1);
  CHECK(noise(best) < noise(best - 0.01));
  CHECK(noise(best) < noise(best + 0.01));
  CHECK(noise(1.0 - 1e-12) > noise(best));  // not monotone up to 1: Remark 4.2 as printed is false
}

TEST_CASE("A_corr of the worked example, and its value at lambda = 0", "[bounds][kan]") {
  bounds::RateSetting setting{0.1, 0.5, 1000.0, 100.0, 0.5, 1.0, 1000.0, 10.0};
  CHECK(bounds::optimisation_rate(setting).sum() == Approx(0.426994484846810).epsilon(1e-14));
  setting.correlation = 0.0;
  CHECK(bounds::optimisation_rate(setting).sum() == Approx(0.741866193091936).epsilon(1e-14));
  setting.noise_multiplier = 0.0;  // kappa = 0: A_non + eta/T
  CHECK(bounds::optimisation_rate(setting).sum() ==
        Approx(bounds::non_private_rate(0.1, 0.5, 1000.0, 100.0, 1.0, 0.0).optimisation + 0.5 / 1000.0).epsilon(1e-14));
}

TEST_CASE("the quadratic agrees with the printed form of its variance and is least at its lambda", "[bounds][kan]") {
  const double a = GENERATE(0.3, 1.0), eta = GENERATE(0.1, 0.5);
  const double phi = 1.0 - eta * a;
  const auto variance = [&](double lambda) { return bounds::stationary_variance({a, eta, lambda, 1.0}); };
  for (const double lambda : {0.0, 0.5, 0.99}) {
    CHECK(variance(lambda) ==
          Approx(eta * eta * (1.0 + lambda * lambda - 2.0 * lambda * phi) / (1.0 - phi * phi)).epsilon(1e-12));
  }
  CHECK(variance(phi) < variance(phi - 1e-3));
  CHECK(variance(phi) < variance(phi + 1e-3));
}

TEST_CASE("the variance of the quadratic keeps its digits at the end of stability", "[bounds][kan][accuracy]") {
  // eta a is below 2 by 6e-12; the value is of the exact product of both doubles, in 50 digits.
  CHECK(bounds::stationary_variance({1348.571192641594, 0.0014830511069100583, 0.5, 20.55623360251296}) ==
        Approx(178226226.02354853).epsilon(1e-12));
}

TEST_CASE("summed correlated noise has the variance of its coefficients", "[bounds][kan]") {
  const double lambda = GENERATE(0.0, 0.5, 0.9, 1.0);
  std::vector<double> coefficients;  // of Z_1, Z_2, ... in xi_1 + ... + xi_t, xi_t = Z_t - lambda Z_{t-1}
  for (int t = 1; t <= 12; ++t) {
    if (t > 1) {
      coefficients.back() -= lambda;
    }
    coefficients.push_back(1.0);
    double variance = 0.0;
    for (const double c : coefficients) {
      variance += c * c;
    }
    CHECK(bounds::cumulative_noise_variance(t, lambda) == Approx(variance).epsilon(1e-14));
  }
}

TEST_CASE("the explicit theorem answers with failed conditions and the width they need", "[bounds][kan]") {
  // Question of the specification: gamma = 0.3, T = 1e4, eta = 5e-4 at m = 1e16.
  const double delta = 0.05;
  models::KanShape shape{4, 32, 5, 3, models::Activation::tanh};
  auto at = models::kan_bounds(shape);
  bounds::OptimisationSetting setting;
  setting.run = {1e4, 60.0, 5e-4, 0.5, 0.0};
  setting.records = 60.0;
  setting.splines = 5.0;
  setting.margin = 0.3;
  setting.delta = delta;
  const auto solve = [&](double units) {
    at.units = units;
    const auto constants = models::worst_case_constants(at, delta / 5.0);
    setting.parameters = units * 20.0;
    setting.gradient = constants.gradient;
    setting.curvature = constants.hessian;
    setting.smoothness = constants.smoothness;
    setting.comparator_hessian = models::worst_case_constants(at, delta / 10.0).hessian;
    setting.clip = constants.gradient;
    return bounds::optimisation_bound(setting);
  };
  const auto narrow = solve(1e6);
  CHECK_FALSE(narrow.verdict().applies());
  CHECK_FALSE(narrow.curvature_small);
  CHECK(narrow.verdict().violations.front().remedy == "more units, since nu falls with m, or less noise");
  CHECK(narrow.verdict().assumed.size() == 2);
  const auto wide = solve(1e16);
  CHECK(wide.verdict().applies());
  CHECK(wide.mean_loss > 100.0);  // vacuous: the loss at the start is about 0.7
  const auto target = bounds::comparator(1e4, 2.0 / 3.0, 5.0, 60.0, 0.3, delta / 5.0);
  const double width = bounds::required_width(at, delta / 5.0, target.largest_hessian);
  CHECK(solve(width * 1.001).comparator_exists);
  CHECK_FALSE(solve(width * 0.999).comparator_exists);
}

TEST_CASE("the radius of the explicit theorem solves (10)", "[bounds][kan]") {
  bounds::OptimisationSetting setting;
  setting.run = {400.0, 10.0, 0.3, 0.5, 0.0025};
  setting.records = 60.0;
  setting.parameters = 10240.0;
  setting.splines = 5.0;
  setting.clip = 0.5;
  setting.margin = 0.0666;
  setting.delta = 0.1;
  setting.gradient = 0.45;
  setting.curvature = 0.08;
  setting.smoothness = 0.2252;
  const auto bound = bounds::optimisation_bound(setting);
  const double event = 0.02;
  const auto noise = bounds::noise_bounds(setting.parameters, 400.0, event);
  const auto cross = bounds::potential_terms(setting.run, 0.45, bound.radius, noise.energy, event);
  const auto path = bounds::pathwise_bound(setting.run, 0.2252,
                                           {noise.energy, bounds::batch_energy(400.0, 0.45, 10.0, event), cross.sum()},
                                           1.0 / 400.0, bound.comparator_length * bound.comparator_length);
  CHECK(path.radius_squared == Approx(bound.radius * bound.radius).epsilon(1e-12));
  CHECK(cross.sum() == Approx(bound.potential).epsilon(1e-12));
}

TEST_CASE("proof constants are below the stated ones", "[bounds][kan]") {
  const bounds::NoisyRun run{100.0, 5.0, 0.1, 0.5, 0.2};
  const auto stated = bounds::cross_terms(run, 1.0, 2.0, 50.0, 0.01);
  const auto proved = bounds::cross_terms(run, 1.0, 2.0, 50.0, 0.01, bounds::Constant::proof);
  CHECK(proved.batch == Approx(0.5 * stated.batch).epsilon(1e-14));
  CHECK(proved.noise < stated.noise);
  CHECK(proved.mixed < stated.mixed);
}

TEST_CASE("the segment factor needs a length strictly below sqrt(2/k)", "[bounds][kan]") {
  CHECK_FALSE(bounds::segment_factor(2.0, 1.0).valid);
  CHECK(bounds::segment_factor(1.0, 1.2).factor == Approx(1.0 / 0.28).epsilon(1e-14));
  CHECK(1.0 / std::cos(0.6) < bounds::segment_factor(1.0, 1.2).factor);  // the extremal function
}

TEST_CASE("plans say what fails", "[bounds][kan]") {
  CHECK(bounds::correlated_plan(1e6, 10.0, 0.5, 1.0, 1e-8, 0.1).privacy_valid);
  CHECK_FALSE(bounds::correlated_plan(1e6, 10.0, 0.5, 2.0, 1e-8, 0.1).privacy_valid);
  CHECK_FALSE(bounds::correlated_plan(1e6, 10.0, 0.5, 1.0, 1e-6, 0.1).delta_valid);
  CHECK_FALSE(bounds::non_private_plan(1e6, 0.5, 600.0).batch_valid);
}

TEST_CASE("rates grow and fall as they should", "[bounds][kan]") {
  const bounds::IndependentRateSetting base{0.1, 0.5, 1000.0, 100.0, 1.0, 1000.0, 10.0, 1e4, 1e-5};
  const double reference = bounds::independent_noise_rate(base);
  auto changed = base;
  changed.noise_multiplier = 2.0;
  CHECK(bounds::independent_noise_rate(changed) > reference);
  changed = base;
  changed.margin = 0.2;
  CHECK(bounds::independent_noise_rate(changed) < reference);
  changed = base;
  changed.units = 2000.0;
  CHECK(bounds::independent_noise_rate(changed) > reference);
}

TEST_CASE("bounds refuse what is outside their domain", "[bounds][kan][errors]") {
  CHECK_THROWS_AS(bounds::noise_bounds(10.0, 5.0, 0.0), DomainError);
  CHECK_THROWS_AS(bounds::without_replacement_variance(5.0, 6.0, 1.0), DomainError);
  CHECK_THROWS_AS(bounds::stationary_variance({1.0, 2.0, 0.5, 1.0}), DomainError);
  CHECK_THROWS_AS(bounds::cumulative_noise_variance(0.0, 0.5), DomainError);
  CHECK_THROWS_WITH(bounds::non_private_rate(1.5, 0.1, 10.0, 1.0, 10.0, 0.0), Catch::Contains("margin = 1.5"));
}
