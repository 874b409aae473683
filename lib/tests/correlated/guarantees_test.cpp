// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What a user asks: which noise multiplier, by which theorem.
#include <cmath>
#include <limits>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/calibration.hpp>
#include <dpcurves/correlated/guarantees.hpp>
#include <dpcurves/correlated/mixture_bound.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::correlated;
using mechanism::Adjacency;
using mechanism::Sampler;
using models::StrategyMatrix;

namespace {

MatrixMechanism question(double lambda, double rate, Sampler sampling, double noise = 1.0) {
  return {StrategyMatrix::exponential(lambda, 400), rate, noise, sampling, Adjacency::zero_out};
}

double noise(const MatrixMechanism& mechanism, Method method, double epsilon = 1.0) {
  const auto found = calibrate(mechanism, method, epsilon, 1e-5);
  return found ? found->noise_multiplier : -1.0;
}

}  // namespace

TEST_CASE("question 1: r = 0.1, T = 400, lambda = 0.9, epsilon = 1, delta = 1e-5", "[correlated][questions]") {
  const auto fixed = question(0.9, 0.1, Sampler::fixed_size);
  CHECK(noise(fixed, Method::closed_form) == Approx(441.1).epsilon(1e-4));
  CHECK(noise(fixed, Method::same_batch) == Approx(217.39).epsilon(1e-4));
  CHECK(noise(fixed, Method::participation_mean) == Approx(97.958).epsilon(1e-4));
  CHECK(calibrate(fixed, 1.0, 1e-5).method == Method::participation_mean);
  auto replaced = fixed;
  replaced.adjacency = Adjacency::replace_one;
  CHECK(noise(replaced, Method::closed_form) == Approx(882.2).epsilon(1e-4));
  CHECK(noise(replaced, Method::same_batch) == Approx(2.0 * 217.387).epsilon(1e-4));
}

TEST_CASE("question 1 with independent noise: batches of a fixed size", "[correlated][questions]") {
  CHECK(noise(question(0.0, 0.1, Sampler::fixed_size), Method::composition) == Approx(8.306).epsilon(2e-4));
  auto replaced = question(0.0, 0.1, Sampler::fixed_size);
  replaced.adjacency = Adjacency::replace_one;
  CHECK(noise(replaced, Method::composition) == Approx(15.650).epsilon(2e-4));
  CHECK(noise(question(0.0, 0.1, Sampler::poisson), Method::composition) == Approx(7.569).epsilon(1e-3));
}

TEST_CASE("question 2: at r = 0.02 the closed form refuses, the others answer", "[correlated][questions]") {
  const auto mechanism = question(0.5, 0.02, Sampler::fixed_size);
  CHECK(noise(mechanism, Method::closed_form) == -1.0);
  CHECK(noise(mechanism, Method::same_batch) == Approx(22.79).epsilon(1e-3));
  const auto best = calibrate(mechanism, 1.0, 1e-5);
  CHECK(best.method == Method::mixture);
  CHECK(best.noise_multiplier < 12.0);
  CHECK(best.noise_multiplier > 9.1);  // the estimate of the same pair
}

TEST_CASE("every certified guarantee has curves that agree with themselves", "[correlated][guarantees]") {
  for (const double lambda : {0.0, 0.5}) {
    for (const Sampler sampling : {lambda == 0.0 ? Sampler::fixed_size : Sampler::poisson}) {
      MatrixMechanism mechanism = question(lambda, 0.1, sampling, 20.0);
      mechanism.strategy = StrategyMatrix::exponential(lambda, 30);
      for (const auto& guarantee : guarantees(mechanism)) {
        CAPTURE(guarantee.theorem, lambda);
        if (!guarantee.applies()) {
          continue;
        }
        const double epsilon = guarantee.curve->epsilon(1e-6).value.upper;
        if (std::isfinite(epsilon) && epsilon > 0.0) {
          CHECK(guarantee.curve->delta(epsilon).value.upper <= 1e-6 * (1.0 + 1e-6));
          CHECK(guarantee.curve->delta(0.5 * epsilon).value.upper > 1e-6);
        }
        const auto curve = guarantee.curve->type_two_errors(std::vector<double>{0.05, 0.5});
        CHECK(curve[0].lower >= curve[1].lower);
        CHECK(curve[0].lower > 0.1);
        CHECK(curve[0].lower <= 0.95);
      }
    }
  }
}

TEST_CASE("the joint calibration finds correlation that helps, and its noise meets the target",
          "[correlated][guarantees]") {
  MatrixMechanism mechanism = question(0.0, 0.1, Sampler::poisson);
  mechanism.strategy = StrategyMatrix::exponential(0.0, 40);
  const auto best = calibrate_lambda(mechanism, NoiseCost::maximum, 1.0, 8.0, 1e-5, Method::same_batch);
  CHECK(best.lambda > 0.0);
  CHECK(best.cost < best.independent_cost);
  mechanism.strategy = StrategyMatrix::exponential(best.lambda, 40);
  mechanism.noise_multiplier = best.calibration.noise_multiplier;
  CHECK(guarantee(mechanism, Method::same_batch).curve->delta(8.0).value.upper <= 1e-5);
}

TEST_CASE("each order of the data sets is answered on its own, and both by the worse", "[correlated][adjacency]") {
  MatrixMechanism mechanism = question(0.5, 0.3, Sampler::poisson, 4.0);
  mechanism.strategy = StrategyMatrix::exponential(0.5, 10);
  for (const Method method : {Method::mixture, Method::composition}) {
    if (method == Method::composition) {
      mechanism.strategy = StrategyMatrix::exponential(0.0, 10);
    }
    std::vector<double> deltas, tradeoffs;
    for (const Adjacency adjacency : {Adjacency::remove, Adjacency::add, Adjacency::add_or_remove}) {
      mechanism.adjacency = adjacency;
      const auto one = guarantee(mechanism, method);
      CHECK(one.directions.size() == (adjacency == Adjacency::add_or_remove ? 2 : 1));
      deltas.push_back(one.curve->delta(0.5).value.upper);
      tradeoffs.push_back(one.curve->type_two_errors(std::vector<double>{0.1}).front().lower);
    }
    CHECK(deltas[0] > 1.05 * deltas[1]);
    CHECK(deltas[2] == deltas[0]);
    CHECK(tradeoffs[2] == std::min(tradeoffs[0], tradeoffs[1]));
  }
  mechanism.adjacency = Adjacency::add;
  mechanism.sampling = Sampler::fixed_size;
  CHECK_FALSE(guarantee(mechanism, Method::same_batch).applies());
  CHECK_FALSE(calibrate(mechanism, Method::same_batch, 1.0, 1e-5));
  mechanism.adjacency = Adjacency::zero_out;
  mechanism.sampling = Sampler::shuffled;
  CHECK_FALSE(guarantee(mechanism, Method::mixture).applies());
}

TEST_CASE("trade-off functions do not rise and are convex, whatever the searches find", "[correlated][guarantees]") {
  // The curve of the mixture rose between .43 and .44: its two halves come from different bounds.
  MatrixMechanism mechanism = question(0.9, 0.1, Sampler::poisson, 100.0);
  mechanism.strategy = StrategyMatrix::exponential(0.9, 100);
  mechanism.adjacency = Adjacency::add_or_remove;
  std::vector<double> grid;
  for (int i = 0; i <= 100; ++i) {
    grid.push_back(0.01 * i);
  }
  for (const auto& guarantee : guarantees(mechanism)) {
    if (!guarantee.applies()) {
      continue;
    }
    CAPTURE(guarantee.theorem);
    const auto curve = guarantee.curve->type_two_errors(grid);
    for (std::size_t i = 1; i < curve.size(); ++i) {
      CAPTURE(grid[i], curve[i].lower);
      CHECK(curve[i].lower <= curve[i - 1].lower);
    }
    for (const auto& direction : guarantee.directions) {
      const auto one = direction.curve->type_two_errors(grid);
      for (std::size_t i = 1; i + 1 < one.size(); ++i) {
        CHECK(one[i].lower <= 0.5 * (one[i - 1].lower + one[i + 1].lower) + 1e-15);
      }
    }
    if (guarantee.theorem == MixtureBound::id) {
      CHECK(curve[43].lower > 0.53);  // by the total variation
    }
  }
}

TEST_CASE("profiles at negative epsilon are the mirror of those at positive epsilon", "[correlated][guarantees]") {
  MatrixMechanism mechanism = question(0.5, 0.3, Sampler::poisson, 6.0);
  mechanism.strategy = StrategyMatrix::exponential(0.5, 12);
  const double epsilon = GENERATE(0.1, 1.0);
  for (const Method method : {Method::same_batch, Method::mixture}) {
    const auto curve = guarantee(mechanism, method).curve;
    REQUIRE(curve != nullptr);
    // Both orders together: delta(-eps) = 1 - e^-eps (1 - delta(eps)).
    CHECK(curve->delta(-epsilon).value.upper ==
          Approx(1.0 - std::exp(-epsilon) * (1.0 - curve->delta(epsilon).value.upper)).epsilon(1e-9));
  }
}

TEST_CASE("the likelihood agrees with the exact composition where there is one", "[correlated][guarantees]") {
  MatrixMechanism mechanism = question(0.0, 0.2, Sampler::poisson, 2.0);
  mechanism.strategy = StrategyMatrix::exponential(0.0, 8);
  mechanism.adjacency = Adjacency::remove;
  EstimateBudget budget;
  const auto estimate = guarantee(mechanism, Method::likelihood, {}, budget);
  const auto exact = guarantee(mechanism, Method::composition).curve;
  REQUIRE(estimate.curve != nullptr);
  CHECK_FALSE(estimate.certified);
  for (const double epsilon : {-0.5, 0.0, 0.5, 1.5}) {  // two standard errors to either side: twice that in 1e-4
    const auto found = estimate.curve->delta(epsilon).value;
    CAPTURE(epsilon, found.lower, found.upper);
    CHECK(std::abs(found.middle() - exact->delta(epsilon).value.middle()) <= found.width());
    CHECK(found.width() < 0.3 * found.middle());
  }
  CHECK_THAT(estimate.curve->delta(0.5).method, Catch::StartsWith("importance sampling"));
  const auto epsilon = estimate.curve->epsilon(1e-4).value;
  CHECK(std::abs(epsilon.middle() - exact->epsilon(1e-4).value.middle()) <= epsilon.width());
  CHECK(epsilon.width() < 0.2);
  CHECK(estimate.curve->epsilon(0.99).value.upper == 0.0);
  CHECK(estimate.curve->renyi(2.0) == Enclosure{0.0, std::numeric_limits<double>::infinity()});
  const auto noise = calibrate(mechanism, Method::likelihood, 1.0, 1e-4, budget);
  const auto exact_noise = calibrate(mechanism, Method::composition, 1.0, 1e-4);
  REQUIRE((noise && exact_noise));
  CHECK(noise->standard_error > 0.0);
  CHECK(noise->noise_multiplier == Approx(exact_noise->noise_multiplier).epsilon(0.02));
}

TEST_CASE("too few draws are told in words, with how many would do", "[correlated][guarantees]") {
  MatrixMechanism mechanism = question(0.5, 0.01, Sampler::poisson, 2.0);
  mechanism.strategy = StrategyMatrix::exponential(0.5, 50);
  mechanism.adjacency = Adjacency::remove;
  EstimateBudget budget;
  const auto draws = [&](std::size_t count) {
    budget.least = budget.most = count;
    budget.relative_error = 0.0;
    return guarantee(mechanism, Method::likelihood, {}, budget).curve;
  };
  CHECK_THROWS_WITH(draws(256)->epsilon(1e-5), Catch::Contains("256 draws are too few") && Catch::Contains("640"));
  CHECK_THROWS_WITH(draws(512)->delta(0.3), Catch::Contains("512 draws are too few"));
  CHECK_THROWS_WITH(calibrate(mechanism, Method::likelihood, 1.0, 1e-5, budget), Catch::Contains("draws are too few"));
  CHECK_THROWS_WITH(draws(640)->delta(30.0), Catch::Contains("none of 640 draws") && Catch::Contains("5120"));
  CHECK(std::isfinite(draws(640)->epsilon(1e-5).value.upper));
  mechanism.strategy = StrategyMatrix::exponential(0.5, 8);  // all participations at once: no grid to correct for
  CHECK_THROWS_WITH(draws(128)->epsilon(1e-5), Catch::Contains("which takes 256"));
  CHECK(std::isfinite(draws(256)->epsilon(1e-5).value.upper));
}

TEST_CASE("where no method applies there is nothing to calibrate", "[correlated][guarantees]") {
  MatrixMechanism mechanism = question(0.5, 0.1, Sampler::shuffled);
  CHECK_THROWS_WITH(calibrate(mechanism, 1.0, 1e-5), Catch::Contains("no method applies"));
  CHECK_THROWS_AS(calibrate_lambda(mechanism, NoiseCost::mean, 1.0, 1.0, 1e-5, Method::same_batch), ConvergenceError);
  for (const auto cost : {NoiseCost::maximum, NoiseCost::mean, NoiseCost::last}) {
    CHECK(noise_cost_of(name(cost)) == cost);
  }
  CHECK_THROWS_WITH(noise_cost_of("least"), Catch::Contains("least"));
}

TEST_CASE("methods that do not apply say what they need", "[correlated][guarantees]") {
  MatrixMechanism mechanism = question(0.5, 0.1, Sampler::poisson);
  CHECK_FALSE(guarantee(mechanism, Method::composition).applies());
  mechanism.strategy = StrategyMatrix::toeplitz({1.0, 0.5}, 10);
  CHECK_FALSE(guarantee(mechanism, Method::closed_form).applies());
  CHECK(guarantee(mechanism, Method::mixture).applies());
  CHECK_FALSE(guarantee(mechanism, Method::likelihood).certified);
  mechanism.noise_multiplier = 0.0;
  CHECK_THROWS_WITH(guarantee(mechanism, Method::same_batch), Catch::Contains("noise_multiplier = 0"));
}
