// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/detail/moments.hpp>
#include <dpcurves/simulate/detail/correlated_sum.hpp>
#include <dpcurves/simulate/detail/record_uses.hpp>

#include "support/support.hpp"

namespace simulate = dpcurves::simulate;
namespace mechanism = dpcurves::mechanism;
using dpcurves::models::StrategyMatrix;
using simulate::CorrelatedSum;

namespace {

mechanism::Run run_of(mechanism::Sampler sampler, double steps, mechanism::Adjacency adjacency) {
  mechanism::Run run;
  mechanism::Phase phase;
  phase.steps = steps;
  phase.sampler = sampler;
  phase.sampling_rate = 0.25;
  phase.noise_multiplier = 2.0;
  run.phases = {phase};
  run.privacy.adjacency = adjacency;
  return run;
}

}  // namespace

TEST_CASE("independent noise has the likelihood ratio of uncorrelated sums, draw for draw", "[simulate][correlated]") {
  const auto [gradient, null_gradient] = GENERATE(std::pair{1.0, 0.0}, std::pair{0.0, 1.0}, std::pair{1.0, -1.0});
  const bool null = GENERATE(true, false);
  constexpr std::size_t steps = 12, paths = 50;
  const CorrelatedSum sum{StrategyMatrix::exponential(0.0, steps), std::vector<double>(steps, 0.3), 0.7, gradient,
                          null_gradient};
  simulate::RecordUses uses;
  uses.steps = steps;
  uses.rate = 0.3;
  uses.noise_multiplier = 0.7;
  uses.gradient = gradient;
  uses.null_gradient = null_gradient;
  const auto correlated = simulate::statistics(sum, null, paths, 5, 7, 1);
  const auto independent = simulate::log_likelihood_ratios({uses}, null, paths, 5, 7, 2);
  for (std::size_t i = 0; i < paths; ++i) {
    CHECK(correlated[i] == Approx(independent[i]).margin(1e-12));
  }
}

TEST_CASE("a strategy by its coefficients or entries gives the numbers of lambda-CGD", "[simulate][correlated]") {
  constexpr std::size_t steps = 9, paths = 40;
  std::vector<double> coefficients;
  std::vector<std::vector<double>> rows;
  for (std::size_t t = 0; t < steps; ++t) {
    coefficients.push_back(std::pow(0.6, t));
    rows.emplace_back(coefficients.rbegin(), coefficients.rend());
  }
  CorrelatedSum sum{StrategyMatrix::exponential(0.6, steps), std::vector<double>(steps, 0.4), 1.5, 1.0, 0.0};
  const auto expected = simulate::statistics(sum, false, paths, 3, 0, 1);
  for (const auto& same : {StrategyMatrix::toeplitz(coefficients, steps), StrategyMatrix::lower_triangular(rows)}) {
    sum.strategy = same;
    const auto found = simulate::statistics(sum, false, paths, 3, 0, 1);
    for (std::size_t i = 0; i < paths; ++i) {
      CHECK(found[i] == Approx(expected[i]).margin(1e-12));
    }
  }
}

TEST_CASE("known uses have the likelihood ratio of a shift by |C x|/kappa", "[simulate][correlated]") {
  auto run = run_of(mechanism::Sampler::cyclic, 8, mechanism::Adjacency::zero_out);
  run.noise.participation = mechanism::Participation::cyclic;
  run.noise.separation = 4.0;
  const auto sum = simulate::correlated_sum(run, StrategyMatrix::toeplitz({1.0, 0.5}, 8));
  // Steps 0 and 4: C x = (1, 0.5, 0, 0, 1, 0.5, 0, 0).
  CHECK(sum.rates == std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0});
  const double mu = std::sqrt(2.5) / 2.0;
  constexpr std::size_t paths = 40000;
  const auto alternative = dpcurves::inference::moments(simulate::statistics(sum, false, paths, 1, 0, 2));
  const auto null = dpcurves::inference::moments(simulate::statistics(sum, true, paths, 1, 100000, 2));
  const double error = mu / std::sqrt(static_cast<double>(paths));
  CHECK(std::abs(alternative.mean - 0.5 * mu * mu) < 5.0 * error);
  CHECK(std::abs(null.mean + 0.5 * mu * mu) < 5.0 * error);
  CHECK(alternative.variance == Approx(mu * mu).epsilon(0.04));  // five standard errors are 3.5 %
}

TEST_CASE("the worst steps of a rule are those of the longest columns", "[simulate][correlated]") {
  auto run = run_of(mechanism::Sampler::cyclic, 4, mechanism::Adjacency::replace_one);
  run.noise.participation = mechanism::Participation::single;
  const auto strategy = StrategyMatrix::lower_triangular({{1.0}, {0.0, 1.0}, {0.0, 2.0, 1.0}, {0.0, 0.0, 0.0, 1.0}});
  const auto single = simulate::correlated_sum(run, strategy);
  CHECK(single.rates == std::vector<double>{0, 1, 0, 0});
  CHECK(single.null_gradient == -1.0);
  run.noise.participation = mechanism::Participation::min_separation;
  run.noise.separation = 2.0;
  CHECK(simulate::correlated_sum(run, strategy).rates == std::vector<double>{0, 1, 0, 1});
  run.noise.participations = 1.0;
  CHECK(simulate::correlated_sum(run, strategy).rates == std::vector<double>{0, 1, 0, 0});
}

TEST_CASE("runs without a simulation with correlated noise are refused by key", "[simulate][correlated][errors]") {
  const auto strategy = StrategyMatrix::exponential(0.5, 8);
  const auto words = [&](mechanism::Run run) {
    try {
      static_cast<void>(simulate::correlated_sum(run, strategy));
    } catch (const dpcurves::DomainError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using Catch::Matchers::Contains;
  const auto usual = mechanism::Adjacency::add_or_remove;
  CHECK(words(run_of(mechanism::Sampler::poisson, 8, usual)).empty());
  CHECK_THAT(words(run_of(mechanism::Sampler::shuffled, 8, usual)), Contains("phases[0].sampler: \"shuffled\""));
  CHECK_THAT(words(run_of(mechanism::Sampler::poisson, 9, usual)), Contains("rows of the strategy"));
  CHECK_THAT(words(run_of(mechanism::Sampler::poisson, 1e6, usual)), Contains("steps"));
}
