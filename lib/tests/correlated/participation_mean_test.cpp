// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/participation_mean.hpp>
#include <dpcurves/correlated/same_batch.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::correlated;
using models::StrategyMatrix;

TEST_CASE("the mean over participations is between its ends", "[correlated][participation-mean]") {
  const std::vector<StrategyMatrix> strategies{
      StrategyMatrix::exponential(0.0, 12),
      StrategyMatrix::exponential(0.5, 12),
      StrategyMatrix::exponential(0.9, 12),
      StrategyMatrix::toeplitz({1.0, 0.5, 0.375}, 12),
      StrategyMatrix::toeplitz({1.0, -0.3, 0.9}, 12),
      StrategyMatrix::lower_triangular({{1.0}, {0.5, 2.0}, {0.0, -1.0, 0.7}, {0.0, 0.0, 0.4, 1.5}})};
  for (const auto& strategy : strategies) {
    for (const double rate : {0.05, 0.4, 1.0}) {
      const ParticipationMean mean(strategy, rate, 1.0);
      for (const double noise : {1.5, 8.0, 60.0}) {
        for (const double epsilon : {0.0, 0.3, 1.0, 4.0}) {
          const double exact = enumerated_same_batch_delta(strategy, rate, noise, epsilon);
          const Enclosure ends = mean.delta(epsilon, noise);
          CAPTURE(strategy.steps(), rate, noise, epsilon, exact, ends.lower, ends.upper);
          CHECK(ends.lower <= exact * (1.0 + 1e-11));
          CHECK((ends.upper >= exact * (1.0 - 1e-11)));
          // Where the profile is convex on all that is possible the ends are near each other.
          if (epsilon >= 0.3 && noise == 60.0 && exact > 1e-12) {
            CHECK(ends.relative_width() < 0.05);
          }
        }
      }
    }
  }
}

TEST_CASE("independent noise: the norm depends on the number of participations only",
          "[correlated][participation-mean]") {
  const auto strategy = StrategyMatrix::exponential(0.0, 300);
  const Enclosure sum = SameBatch(strategy, 0.1, 1.0).delta(1.0, 22.0);
  const Enclosure mean = ParticipationMean(strategy, 0.1, 1.0).delta(1.0, 22.0);
  CHECK(mean.contains(sum.middle()));
  CHECK(mean.relative_width() < 2e-3);
}

TEST_CASE("participation in every step has one norm", "[correlated][participation-mean]") {
  const auto strategy = StrategyMatrix::exponential(0.8, 50);
  const double norm = SameBatch(strategy, 1.0, 2.0).sensitivities().values.back();
  const double exact = tradeoff::delta_of_epsilon(1.0, norm / 200.0);
  const Enclosure mean = ParticipationMean(strategy, 1.0, 2.0, 2.0).delta(1.0, 200.0);
  CHECK(mean.contains(exact));
  CHECK(mean.relative_width() < 2e-2);
}

TEST_CASE("at lambda = 0.9 the noise falls from 217 to 98, and 97 is not enough", "[correlated][participation-mean]") {
  const auto strategy = StrategyMatrix::exponential(0.9, 400);
  const ParticipationMean mean(strategy, 0.1, 1.0), finer(strategy, 0.1, 1.0, 1.5);
  const Enclosure noise = mean.noise_multiplier(1.0, 1e-5), narrow = finer.noise_multiplier(1.0, 1e-5);
  CHECK(noise.upper < 98.1);
  CHECK(noise.lower > 97.2);
  CHECK(mean.delta(1.0, noise.upper).upper <= 1e-5);
  CHECK(mean.delta(1.0, noise.lower).lower > 1e-5);
  // A finer mesh is inside, and its ends are nearer by the square of the refinement.
  CHECK(narrow.upper < noise.upper);
  CHECK(narrow.upper > noise.lower);
  CHECK(narrow.upper - narrow.lower < 0.6 * (noise.upper - noise.lower));
  // What the sum over numbers of participations says there, and what it needs.
  CHECK(SameBatch(strategy, 0.1, 1.0).delta(1.0, noise.upper).lower > 1e-3);
  CHECK(SameBatch(strategy, 0.1, 1.0).noise_multiplier(1.0, 1e-5).lower > 217.3);
  // With another law for the numbers alone the interval by simulation says the same.
  const auto simulated = estimate_same_batch_delta(strategy, 0.1, 1.0, 217.4, 1.0, 0.99);
  CHECK(mean.delta(1.0, 217.4).upper < simulated.interval.upper);
}

TEST_CASE("means over participations outside their domain", "[correlated][participation-mean][errors]") {
  CHECK_FALSE(ParticipationMean::applies(StrategyMatrix::exponential(0.5, 5000)));
  CHECK_FALSE(ParticipationMean::applies(StrategyMatrix::toeplitz(std::vector<double>(11, 1.0), 50)));
  CHECK_FALSE(ParticipationMean::applies(StrategyMatrix::exponential(1.0, 50)));
  const auto strategy = StrategyMatrix::exponential(0.5, 10);
  CHECK_THROWS_WITH(ParticipationMean(strategy, 0.0, 1.0), Catch::Contains("sampling_rate = 0"));
  CHECK_THROWS_WITH(ParticipationMean(strategy, 0.1, 1.0, 9.0), Catch::Contains("refinement = 9"));
  const ParticipationMean mean(strategy, 0.1, 1.0);
  CHECK_THROWS_WITH(mean.delta(-1.0, 1.0), Catch::Contains("epsilon = -1"));
  CHECK_THROWS_WITH(mean.delta(1.0, 0.0), Catch::Contains("noise_multiplier = 0"));
}
