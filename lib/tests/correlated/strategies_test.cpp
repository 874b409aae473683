// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <vector>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/strategies.hpp>
#include <dpcurves/correlated/strategy_comparison.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::correlated;

namespace {

std::vector<Strategy> small() {
  return {identity_strategy(40),
          lambda_strategy(40, 0.7),
          bsr_strategy(40, 1),
          bsr_strategy(40, 7),
          bsr_strategy(40, 40),
          bisr_strategy(40, 2),
          bisr_strategy(40, 9),
          bisr_strategy(40, 40),
          blt_strategy(40, {{0.9, 0.1}, {0.5, 0.3}}),
          banded_strategy(40, {1.0, 0.6, 0.3, 0.2})};
}

}  // namespace

TEST_CASE("a strategy and its inverse multiply to the identity", "[correlated][strategies]") {
  for (const auto& s : small()) {
    std::vector<double> x(40, 0.0);
    std::copy(s.inverse.begin(), s.inverse.end(), x.begin());
    s.matrix.multiply(x);
    CAPTURE(name(s.kind), s.bands);
    CHECK(x[0] == 1.0);
    for (std::size_t t = 1; t < 40; ++t) {
      CHECK(std::abs(x[t]) < 1e-14);
    }
  }
}

TEST_CASE("errors of the running sums are those of the matrix", "[correlated][strategies]") {
  for (const auto& s : small()) {
    for (const double retention : {1.0, 0.9, -0.5}) {
      const auto error = strategy_error(s, retention);
      CAPTURE(name(s.kind), s.bands, retention);
      CHECK(error.maximum == Approx(noise_cost(s.matrix, NoiseCost::maximum, retention)).epsilon(1e-12));
      CHECK(error.mean == Approx(noise_cost(s.matrix, NoiseCost::mean, retention)).epsilon(1e-12));
      CHECK(error.last == error.maximum);
    }
  }
  // The square root of the matrix of ones: binomial coefficients over powers of four, on both sides.
  const auto root = bsr_strategy(5, 5);
  CHECK(root.matrix.coefficients() == std::vector<double>{1.0, 0.5, 0.375, 0.3125, 0.2734375});
  CHECK(strategy_error(root).last == Approx(pattern_sensitivity(root.matrix, {}).value.upper).epsilon(1e-14));
}

TEST_CASE("published buffers are found again", "[correlated][strategies][blt]") {
  // Golden values of jax_privacy's buffered_toeplitz_test: largest error, one participation, 1e5 steps, two buffers; it
  // asks for a relative 1e-5.
  StrategySearch search;
  search.steps = 100000;
  search.cost = NoiseCost::maximum;
  search.buffers = 2;
  const auto found = search_strategy(StrategyKind::blt, search);
  REQUIRE(found.buffers.size() == 2);
  CHECK(found.buffers[0].first == Approx(0.9999528892).epsilon(1e-5));
  CHECK(found.buffers[1].first == Approx(0.9857068667).epsilon(1e-5));
  CHECK(found.buffers[0].second == Approx(0.0122853238).epsilon(1e-5));
  CHECK(found.buffers[1].second == Approx(0.1878393665).epsilon(1e-5));
  const auto cost = [&](const Strategy& s) {
    return strategy_error(s).maximum * pattern_sensitivity(s.matrix, search.pattern, s.entry_error).value.upper;
  };
  const auto golden = blt_strategy(100000, {{0.9999528892, 0.0122853238}, {0.9857068667, 0.1878393665}});
  CHECK(cost(found) <= cost(golden) * (1.0 + 1e-9));
  // Its near-optimality test: 1.16 times Mathias' bound 1 + log(n)/pi with two buffers.
  CHECK(cost(found) <= 1.16 * (1.0 + std::log(1e5) / M_PI));
}

TEST_CASE("searches beat what they start from and what was published for another rule", "[correlated][strategies]") {
  StrategySearch search;
  search.steps = 500;
  search.pattern = {ParticipationRule::min_separation, 20, 6};
  search.cost = NoiseCost::maximum;
  const auto cost = [&](const Strategy& s) {
    const auto error = strategy_error(s);
    return (search.cost == NoiseCost::mean ? error.mean : error.maximum) *
           pattern_sensitivity(s.matrix, search.pattern, s.entry_error).value.upper;
  };
  // Baselines of jax_privacy's test, made for 1000 steps, two participations, separation 5.
  const std::vector<std::vector<std::pair<double, double>>> baseline{
      {{0.9877027559462715, 0.10595704738115597}},
      {{0.993433070819512, 0.07538320617916519}, {0.6342644427247973, 0.5144060910151949}}};
  for (std::size_t d = 1; d <= 2; ++d) {
    search.buffers = d;
    CHECK(cost(search_strategy(StrategyKind::blt, search)) < cost(blt_strategy(500, baseline[d - 1])));
  }
  for (const NoiseCost kind : {NoiseCost::mean, NoiseCost::maximum}) {
    search.cost = kind;
    CHECK(cost(search_strategy(StrategyKind::band_mf, search)) <= cost(bsr_strategy(500, 20)));
    CHECK(cost(search_strategy(StrategyKind::bsr, search)) <= cost(bsr_strategy(500, 20)));
    CHECK(cost(search_strategy(StrategyKind::bisr, search)) <= cost(bisr_strategy(500, 16)));
    const auto lambda = search_strategy(StrategyKind::lambda, search);
    CHECK(cost(lambda) <= cost(lambda_strategy(500, 0.999 * lambda.lambda)));
    CHECK(cost(lambda) <= cost(lambda_strategy(500, 1.0 - 0.98 * (1.0 - lambda.lambda))));
  }
  // More bands are never worse; in full participation independent noise is the best.
  search = {.steps = 16};
  double last = 1e300;
  for (const std::size_t bands : std::vector<std::size_t>{1, 2, 5, 10, 16}) {
    search.bands = bands;
    const double here = cost(search_strategy(StrategyKind::band_mf, search));
    CHECK(here <= last);
    last = here;
  }
  search.bands.reset();
  search.pattern = {ParticipationRule::min_separation, 1, 16};
  for (const auto kind : {StrategyKind::lambda, StrategyKind::bsr, StrategyKind::bisr}) {
    CHECK(cost(search_strategy(kind, search)) == Approx(cost(identity_strategy(16))).epsilon(1e-12));
  }
}

TEST_CASE("a table at one target: both ends meet, and every guarantee holds at its noise", "[correlated][strategies]") {
  StrategyQuestion question;
  question.search.steps = 200;
  question.search.pattern = {ParticipationRule::cyclic, 50, 4};
  question.epsilon = 2.0;
  question.delta = 1e-6;
  question.epochs = 4.0;
  const double mu = tradeoff::mu_of_epsilon_delta(2.0, 1e-6);
  for (const auto& name : strategy_names()) {
    const auto answer = compare(name, question);
    CAPTURE(name);
    CHECK(answer.noise_multiplier.lower > 0.0);
    CHECK(answer.noise_multiplier.relative_width() < 1e-4);
    CHECK(answer.error.mean < answer.error.maximum);
    if (answer.sampling) {
      const auto at = [&](double noise) {
        return cyclic_poisson_guarantee(*answer.strategy, *answer.sampling, noise, question.adjacency)
            .curve->delta(2.0)
            .value;
      };
      CHECK(at(answer.noise_multiplier.upper).upper <= 1e-6 * (1.0 + 1e-9));
      CHECK(at(answer.noise_multiplier.lower).lower > 1e-6);
    } else {
      CHECK(answer.noise_multiplier.upper == Approx(answer.sensitivity.value.upper / mu).epsilon(1e-12));
    }
    if (answer.strategy && !answer.sampling) {
      const auto guarantee = pattern_guarantee(*answer.strategy, question.search.pattern, answer.noise_multiplier.upper,
                                               question.adjacency);
      CHECK(guarantee.curve->delta(2.0).value.upper <= 1e-6);
    }
  }
  CHECK_THROWS_WITH(compare("bandmf", question), Catch::Contains("bandmf"));
}

TEST_CASE("cyclic Poisson sampling is DP-SGD of the turns", "[correlated][strategies][sampling]") {
  // 20 steps, 3 bands, groups of 4: turns at steps 0, 4, ..., 16, none of them cut.
  const auto strategy = banded_strategy(20, {1.0, 0.5, 0.25});
  const auto found = cyclic_poisson_guarantee(strategy, {4, 0.3}, 2.0, mechanism::Adjacency::remove);
  accounting::DpSgd turns;
  turns.adjacency = mechanism::Adjacency::remove;
  turns.phases = {{2.0 / std::sqrt(1.3125), 0.3, 5.0}};
  const auto expected = accounting::dp_sgd_guarantee(turns);
  const Enclosure delta = found.curve->delta(1.0).value;
  CHECK(delta.middle() == Approx(expected.curve->delta(1.0).value.middle()).epsilon(1e-9));
  CHECK(delta.relative_width() < 1e-6);
  // More bands than groups: the shares of two turns overlap, and there is no theorem.
  CHECK_FALSE(cyclic_poisson_guarantee(strategy, {2, 0.3}, 2.0, mechanism::Adjacency::remove).applies());
}

TEST_CASE("the risk of the last iterate is the variance of its recursion", "[correlated][strategies]") {
  for (const auto& s : small()) {
    const double step = 0.1, noise = 3.0;
    const double deviation = noise_cost(s.matrix, NoiseCost::last, 1.0 - step);
    CHECK(last_iterate_risk(s, noise, step) == Approx(std::pow(step * noise * deviation, 2)).epsilon(1e-11));
  }
  // Independent noise: the geometric sum.
  const double s = 0.2;
  CHECK(last_iterate_risk(identity_strategy(30), 1.0, s) ==
        Approx(s * s * (1.0 - std::pow(0.8, 60)) / (1.0 - 0.64)).epsilon(1e-13));
}
