// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Forward recursions of the likelihood ratio, and the estimates that rest on them. Draws are fixed by the seed.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/detail/confidence_limit.hpp>
#include <dpcurves/correlated/detail/noise_estimate.hpp>
#include <dpcurves/correlated/likelihood.hpp>
#include <dpcurves/correlated/likelihood_estimate.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/load.hpp"
#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::correlated;
using models::StrategyMatrix;

namespace {

std::vector<double> observations(std::size_t steps, double noise, double drift, std::uint32_t path) {
  std::vector<double> z(steps);
  random::normals(z, 3, random::Purpose::noise, path, 0);
  for (double& value : z) {
    value = noise * value + drift;
  }
  return z;
}

}  // namespace

TEST_CASE("every recursion gives the sum over all participations", "[correlated][likelihood]") {
  const auto band = StrategyMatrix::toeplitz({1.0, 0.6, 0.3}, 9);
  const auto general = StrategyMatrix::lower_triangular({{1.0}, {0.4, 2.0}, {0.0, 0.3, 1.2}, {0.0, 0.0, 0.9, 0.7}});
  const auto independent = StrategyMatrix::exponential(0.0, 9);
  for (const auto& strategy : {band, general, independent}) {
    const auto all = participation_chain(strategy, Rounding::up);
    const auto recursion = participation_chain(strategy, Rounding::up, 0.01, false);
    CHECK(all->exact());
    CHECK(recursion->exact());
    CHECK(recursion->states() < all->states());
    for (std::uint32_t path = 0; path < 5; ++path) {
      for (const double multiple : {1.0, 2.0, -1.0}) {
        const auto z = observations(strategy.steps(), 1.5, multiple, path);
        CHECK(recursion->log_ratio(z, 0.3, 1.5, multiple) ==
              Approx(all->log_ratio(z, 0.3, 1.5, multiple)).margin(1e-7));
      }
    }
  }
}

TEST_CASE("rounded means lie on their side of the true ones and close in", "[correlated][likelihood]") {
  for (const double lambda : {0.3, 0.5, 0.9, 0.99}) {
    const auto strategy = StrategyMatrix::exponential(lambda, 60);
    for (const double resolution : {0.1, 0.01}) {
      const auto up = participation_chain(strategy, Rounding::up, resolution);
      const auto down = participation_chain(strategy, Rounding::down, resolution);
      for (std::uint32_t path = 0; path < 20; ++path) {
        std::vector<double> chance(60), above(60), below(60), truth(60);
        random::uniforms(chance, 1, random::Purpose::sampling, path, 0);
        std::vector<std::uint8_t> y(60);
        for (std::size_t t = 0; t < 60; ++t) {
          y[t] = chance[t] < 0.2 ? 1 : 0;
          truth[t] = y[t];
        }
        strategy.multiply(truth);
        up->means(y, above);
        down->means(y, below);
        test::Worst gap;
        for (std::size_t t = 0; t < 60; ++t) {
          REQUIRE(above[t] >= truth[t] * (1.0 - 1e-12));
          REQUIRE(below[t] <= truth[t] * (1.0 + 1e-12));
          if (y[t] != 0) {
            gap.see((above[t] - below[t]) / truth[t], static_cast<double>(t));
          }
        }
        CAPTURE(lambda, resolution, gap.at);
        CHECK(gap.error < 2.0 * std::max(resolution, lambda == 0.99 ? 0.01 : 0.0) / (1.0 - lambda));
      }
    }
  }
}

TEST_CASE("rounding brackets the enumerated delta at ten steps, and swapped it does not", "[correlated][estimate]") {
  EstimatedPair pair{StrategyMatrix::exponential(0.5, 10), 0.3, 2.0, {1.0, 0.0}};
  EstimateBudget budget;
  budget.least = budget.most = 2560;
  for (const MeanMultiples m : {MeanMultiples{1.0, 0.0}, MeanMultiples{0.0, 1.0}, MeanMultiples{2.0, -1.0}}) {
    pair.multiples = m;
    const double truth = estimate_delta(pair, 1.0, budget).delta.value;
    const auto coarse = bracket_delta(pair, 1.0, budget, 0.1, false);
    const auto fine = bracket_delta(pair, 1.0, budget, 0.01, false);
    CAPTURE(m.first, m.second, truth);
    CHECK(coarse.down.delta.value < fine.down.delta.value);
    CHECK(fine.down.delta.value < truth);
    CHECK(truth < fine.up.delta.value);
    CHECK(fine.up.delta.value < coarse.up.delta.value);
    CHECK(fine.up.delta.value < 1.08 * fine.down.delta.value);
  }
}

TEST_CASE("estimates agree with exact values within four standard errors", "[correlated][estimate]") {
  EstimateBudget budget;
  budget.relative_error = 0.01;
  budget.least = 1280;
  // 400 independent steps at delta = 1e-5: the composition engine.
  const EstimatedPair long_run{StrategyMatrix::exponential(0.0, 400), 0.1, 7.5624, {1.0, 0.0}};
  const auto exact = accounting::profile_at({0.0, {{0.1, 1.0 / 7.5624, 400.0, accounting::Pair::poisson_remove}}}, 1.0);
  const auto found = estimate_delta(long_run, 1.0, budget);
  CHECK(std::abs(found.delta.value - exact.delta.middle()) < 4.0 * found.delta.error);
  CHECK(found.effective > 100.0);
  // Two steps: quadrature.
  for (const MeanMultiples m : {MeanMultiples{1.0, 0.0}, MeanMultiples{0.0, 1.0}, MeanMultiples{-1.0, 2.0}}) {
    const EstimatedPair two{StrategyMatrix::exponential(0.5, 2), 0.3, 1.0, m};
    const auto estimate = estimate_delta(two, 0.5, budget);
    CHECK(std::abs(estimate.delta.value - few_steps_delta(two.strategy, 0.3, 1.0, m, 0.5)) <
          4.0 * estimate.delta.error);
  }
}

TEST_CASE("few lucky participations: the proposal has parts, and two levels agree with the sum over all",
          "[correlated][estimate]") {
  const EstimatedPair pair{StrategyMatrix::exponential(0.5, 14), 0.05, 0.6, {1.0, 0.0}};
  const Proposal proposal = find_proposal(pair, 6.0);
  CHECK(proposal.reached);
  CHECK(proposal.parts.size() == 3);
  double weights = 0.0;
  for (const ProposalPart& part : proposal.parts) {
    weights += part.weight;
  }
  CHECK(weights == Approx(1.0));
  EstimateBudget budget;
  budget.least = budget.most = 8192;
  const auto two_levels =
      estimate_delta(pair, *participation_chain(pair.strategy, Rounding::nearest, 0.005, false), proposal, 6.0, budget);
  budget.seed = 2;  // draws of its own
  const auto all = estimate_delta(pair, *participation_chain(pair.strategy, Rounding::up), proposal, 6.0, budget);
  CHECK(all.delta.error < 0.05 * all.delta.value);
  CHECK(two_levels.delta.error < 0.05 * two_levels.delta.value);
  CHECK(std::abs(two_levels.delta.value - all.delta.value) < 4.0 * std::hypot(two_levels.delta.error, all.delta.error));
}

TEST_CASE("an order whose losses never reach epsilon is 0 without a draw, one that hardly does with few",
          "[correlated][estimate]") {
  const EstimatedPair pair{StrategyMatrix::exponential(0.9, 50), 0.02, 3.4, {0.0, 1.0}};
  const double largest = -50.0 * std::log1p(-0.02);  // Q is at least (1 - r)^T P
  const auto none = estimate_delta(pair, largest * (1.0 + 1e-12));
  CHECK(none.delta.value == 0.0);
  CHECK(none.delta.error == 0.0);
  CHECK(none.draws == 0);
  const auto hardly = estimate_delta(pair, largest * 0.999);
  CHECK(hardly.draws <= EstimateBudget{}.least);
}

TEST_CASE("lambda near 0 and near 1 has grids of a useful size", "[correlated][likelihood]") {
  for (const double lambda : {1e-300, 1e-9, 0.01, 0.3, 0.49999, 0.5, 0.999}) {
    const auto strategy = StrategyMatrix::exponential(lambda, 60);
    const auto up = participation_chain(strategy, Rounding::up, 0.01),
               down = participation_chain(strategy, Rounding::down, 0.01);
    CAPTURE(lambda, up->states());
    CHECK(up->states() < 8000);
    std::vector<std::uint8_t> y(60, 1);
    std::vector<double> above(60), below(60), truth(60, 1.0);
    strategy.multiply(truth);
    up->means(y, above);
    down->means(y, below);
    test::Worst outside;
    for (std::size_t t = 0; t < 60; ++t) {
      outside.see(std::max(below[t] / truth[t], truth[t] / above[t]) - 1.0, static_cast<double>(t));
    }
    CHECK(outside.error < 1e-12);
    const auto z = observations(60, 2.0, 0.3, 1);
    CHECK(up->log_ratio(z, 0.1, 2.0, 1.0) ==
          Approx(down->log_ratio(z, 0.1, 2.0, 1.0)).margin(lambda == 0.999 ? 2.0 : 0.1));
  }
}

TEST_CASE("hardly any noise: ratios stay finite and agree with the sum over all", "[correlated][likelihood]") {
  const auto band = StrategyMatrix::toeplitz({1.0, 0.5}, 9);
  const auto grid = StrategyMatrix::exponential(0.5, 9);
  for (const auto& strategy : {band, grid}) {
    for (const double noise : {1e-3, 0.03}) {
      const std::vector<std::uint8_t> y{0, 1, 0, 0, 1, 1, 0, 0, 1};
      std::vector<double> z(9);
      const auto all = participation_chain(strategy, Rounding::up);
      const auto recursion = participation_chain(strategy, Rounding::nearest, 1e-3, false);
      all->means(y, z);
      const double exact = all->log_ratio(z, 0.3, noise, 1.0);
      CHECK(std::isfinite(exact));
      CHECK(recursion->log_ratio(z, 0.3, noise, 1.0) == Approx(exact).epsilon(1e-3));
    }
  }
}

TEST_CASE("a record in every batch is a pair of Gaussians", "[correlated][estimate]") {
  const EstimatedPair pair{StrategyMatrix::exponential(0.5, 400), 1.0, 200.0, {2.0, -2.0}};
  double square = 0.0, x = 0.0;
  for (int t = 0; t < 400; ++t) {
    x = 0.5 * x + 1.0;
    square += x * x;
  }
  const auto found = estimate_delta(pair, 1.0);
  CHECK(found.delta.value == Approx(tradeoff::delta_of_epsilon(1.0, 4.0 * std::sqrt(square) / 200.0)).epsilon(1e-12));
  CHECK(found.delta.error == 0.0);
}

TEST_CASE("the same seed gives the same estimate on any number of threads, at any load", "[correlated][estimate]") {
  // Enumerated, and on a grid with two levels; once ended by the wanted error, once by the draws, once by the work.
  const EstimatedPair enumerated{StrategyMatrix::exponential(0.5, 12), 0.2, 2.0, {1.0, 0.0}};
  const EstimatedPair grid{StrategyMatrix::exponential(0.9, 40), 0.1, 8.0, {1.0, 0.0}};
  const std::vector<std::pair<EstimatedPair, EstimateBudget>> questions{
      {enumerated, {}}, {enumerated, {.relative_error = 0.0, .least = 1024, .most = 1024}}, {grid, {.most_work = 3e7}}};
  for (const auto& [pair, budget] : questions) {
    const auto answer = [&](unsigned threads) {
      EstimateBudget shared = budget;
      shared.threads = threads;
      return estimate_delta(pair, 0.5, shared);
    };
    const DeltaEstimate alone = answer(1);
    CHECK(alone.delta.value > 0.0);
    const test::Load load(3);
    for (const unsigned threads : {1U, 2U, 5U}) {
      const DeltaEstimate loaded = answer(threads);
      CAPTURE(threads);
      CHECK(loaded.delta.value == alone.delta.value);
      CHECK(loaded.delta.error == alone.delta.error);
      CHECK(loaded.draws == alone.draws);
    }
  }
}

TEST_CASE("an estimate stops at the work that it is given", "[correlated][estimate]") {
  const EstimatedPair pair{StrategyMatrix::exponential(0.9, 40), 0.1, 8.0, {1.0, 0.0}};
  EstimateBudget little, much;
  little.relative_error = much.relative_error = 1e-6;
  little.most_work = 3e7;
  much.most_work = 3e8;
  const auto first = estimate_delta(pair, 0.5, little), second = estimate_delta(pair, 0.5, much);
  CHECK(first.draws < second.draws);
  CHECK(second.draws < much.most);
}

TEST_CASE("the calibrated estimate meets its target on its own draws", "[correlated][estimate]") {
  const EstimatedPair pair{StrategyMatrix::exponential(0.5, 12), 0.2, 1.0, {}};
  EstimateBudget budget;
  const std::vector<MeanMultiples> both{{1.0, 0.0}, {0.0, 1.0}};
  const auto found = estimate_noise_multiplier(pair, both, 1.0, 1e-3, Rounding::nearest, 3.0, budget);
  CHECK(found.at.delta.value == Approx(1e-3).epsilon(2e-3));
  CHECK(found.noise_multiplier.error < 0.03 * found.noise_multiplier.value);
}

TEST_CASE("strategies without a recursion say which have one", "[correlated][likelihood][errors]") {
  const auto wide = StrategyMatrix::toeplitz(std::vector<double>(30, 1.0), 40);
  CHECK_THROWS_WITH(participation_chain(wide, Rounding::up), Catch::Contains("bandwidth = 30"));
}

TEST_CASE("the upper confidence limit lies above the exact delta as often as it says", "[correlated][likelihood]") {
  const EstimatedPair pair{StrategyMatrix::exponential(0.5, 2), 0.3, 1.0, {1.0, 0.0}};
  const double exact = few_steps_delta(pair.strategy, 0.3, 1.0, pair.multiples, 0.5);
  int below = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const DeltaLimit limit = delta_confidence_limit(pair, 0.5, 0.9, 10000, seed);
    below += limit.upper < exact ? 1 : 0;
    CHECK(limit.upper < 1.15 * exact);
  }
  CHECK(below <= 7);  // 2 expected
  const DeltaLimit grid =
      delta_confidence_limit({StrategyMatrix::exponential(0.9, 30), 0.1, 8.0, {1.0, 0.0}}, 0.5, 0.99, 10000);
  CHECK(grid.upper > grid.least_possible);
  CHECK(grid.upper < 0.1);
  const DeltaLimit never =
      delta_confidence_limit({StrategyMatrix::exponential(0.9, 30), 0.1, 800.0, {1.0, 0.0}}, 1.0, 0.99, 10000);
  CHECK(never.upper == Approx(never.least_possible));
}
