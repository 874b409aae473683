// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/same_batch.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::correlated;
using models::StrategyMatrix;

TEST_CASE("the same-batch bound over numbers of participations is at least the mean over all of them",
          "[correlated][same-batch]") {
  for (const double lambda : {0.0, 0.5, 0.9}) {
    for (const double rate : {0.05, 0.3, 1.0}) {
      const auto strategy = StrategyMatrix::exponential(lambda, 10);
      const Enclosure bound = SameBatch(strategy, rate, 1.0).delta(0.7, 2.0);
      const double mean = enumerated_same_batch_delta(strategy, rate, 2.0, 0.7);
      CAPTURE(lambda, rate);
      CHECK(bound.upper >= mean);
      if (lambda == 0.0 || rate == 1.0) {  // the norm depends on the number only
        CHECK(bound.middle() == Approx(mean).epsilon(1e-10));
      }
    }
  }
}

TEST_CASE("both ends of the same-batch bound are a unit or two from 25 digits", "[correlated][same-batch][accuracy]") {
  struct Row {
    double lambda;
    std::size_t steps;
    double rate, sensitivity, noise, epsilon, exact;
  };
  // mpmath, 60 digits, all participations counted.
  for (const Row& row : {Row{0.5, 10, 0.3, 1.0, 2.0, 0.7, 0.3119065579333884340486973},
                         Row{0.9, 200, 0.05, 2.0, 30.0, 0.5, 0.3488545002896006689319454},
                         Row{0.9, 60, 0.1, 1.0, 1000.0, 1.0, 5.799798077195737256094581e-97},
                         Row{0.0, 50, 0.2, 1.0, 0.05, 3.0, 0.9999857275230729404110929},
                         Row{0.99, 40, 0.25, 1.0, 1e6, 0.0, 0.00001940368278776778682204344},
                         Row{0.9, 60, 0.1, 1.0, 3.0, 0.0, 0.905989417710244508446404}}) {
    CAPTURE(row.lambda, row.steps, row.noise);
    const SameBatch bound(StrategyMatrix::exponential(row.lambda, row.steps), row.rate, row.sensitivity);
    const Enclosure delta = bound.delta(row.epsilon, row.noise);
    CHECK(delta.contains(row.exact));
    CHECK(delta.relative_width() < 1e-15);
    CHECK(bound.estimate(row.epsilon, row.noise) == Approx(row.exact).epsilon(1e-11));
    // The same matrix by its coefficients, which take another way.
    std::vector<double> coefficients{1.0};
    while (coefficients.size() < row.steps && row.lambda > 0.0) {
      coefficients.push_back(row.lambda * coefficients.back());
    }
    const auto toeplitz = StrategyMatrix::toeplitz(coefficients, row.steps);
    const Enclosure same = SameBatch(toeplitz, row.rate, row.sensitivity).delta(row.epsilon, row.noise);
    CHECK(same.middle() == Approx(row.exact).epsilon(1e-12));  // the coefficients are rounded
    CHECK(same.relative_width() < 1e-15);
  }
}

TEST_CASE("the same-batch bound at the ends of its domain is an interval in [0, 1]", "[correlated][same-batch]") {
  for (const double rate : {1e-300, 1e-9, 0.5, 1.0}) {
    for (const double noise : {1e-300, 1e-3, 1e4, 1e300}) {
      for (const double epsilon : {0.0, 1e-300, 1.0, 1e5, 1e308}) {
        CAPTURE(rate, noise, epsilon);
        const Enclosure delta = SameBatch(StrategyMatrix::exponential(0.5, 30), rate, 1.0).delta(epsilon, noise);
        CHECK(delta.lower >= 0.0);
        CHECK(delta.upper >= delta.lower);
        CHECK(delta.upper <= 1.0);
      }
    }
  }
}

TEST_CASE("the same-batch noise multiplier meets its target from the safe side", "[correlated][same-batch]") {
  for (const double sensitivity : {1.0, 2.0}) {
    const SameBatch bound(StrategyMatrix::exponential(0.9, 400), 0.1, sensitivity);
    const Enclosure noise = bound.noise_multiplier(1.0, 1e-5);
    CHECK(noise.upper == Approx(217.3869976497975 * sensitivity).epsilon(1e-8));
    CHECK(bound.delta(1.0, noise.upper).upper <= 1e-5);
    CHECK(bound.delta(1.0, noise.lower).upper > 1e-5);
    CHECK(noise.relative_width() < 1e-9);
  }
}

TEST_CASE("a rare participation needs no noise", "[correlated][same-batch]") {
  const SameBatch bound(StrategyMatrix::exponential(0.5, 2), 1e-6, 1.0);
  CHECK(bound.noise_multiplier(1.0, 1e-5).upper < 1e-50);
  CHECK(bound.delta(1.0, 1e-3).upper == Approx(2e-6).epsilon(1e-5));
}

TEST_CASE("one threshold on the participations costs more than all of them", "[correlated][same-batch]") {
  for (const double lambda : {0.0, 0.9}) {
    const SameBatch bound(StrategyMatrix::exponential(lambda, 400), 0.1, 1.0);
    const auto split = participation_split(lambda, 0.1, 400.0, 1.0, 1e-5);
    CHECK(split.noise_multiplier > bound.noise_multiplier(1.0, 1e-5).upper);
    CHECK(split.participations == Approx(70.0).margin(3.0));
  }
}

TEST_CASE("a million steps are summed in moments and with all digits", "[correlated][same-batch]") {
  const SameBatch bound(StrategyMatrix::exponential(0.5, 1000000), 1e-4, 1.0);
  const Enclosure delta = bound.delta(1.0, 60.0);
  CHECK(delta.relative_width() < 1e-10);
  CHECK(delta.lower > 0.0);
}

TEST_CASE("arguments of the same-batch bound name themselves", "[correlated][same-batch][errors]") {
  const auto strategy = StrategyMatrix::exponential(0.5, 3);
  CHECK_THROWS_WITH(SameBatch(strategy, 0.0, 1.0), Catch::Contains("sampling_rate = 0"));
  CHECK_THROWS_WITH(SameBatch(strategy, 0.5, 1.0).delta(-1.0, 1.0), Catch::Contains("epsilon = -1"));
  CHECK_THROWS_AS(enumerated_same_batch_delta(StrategyMatrix::exponential(0.5, 25), 0.1, 1.0, 1.0), DomainError);
}

TEST_CASE("the mean over participations by Monte Carlo has its interval around the enumerated one",
          "[correlated][same-batch][estimate]") {
  int narrow = 0;
  for (const double lambda : {0.0, 0.5, 0.9}) {
    for (const double noise : {0.5, 3.0, 20.0}) {
      const auto strategy = StrategyMatrix::exponential(lambda, 12);
      const double exact = enumerated_same_batch_delta(strategy, 0.2, noise, 0.7);
      const auto found = estimate_same_batch_delta(strategy, 0.2, 1.0, noise, 0.7, 0.9999);
      const double bound = SameBatch(strategy, 0.2, 1.0).delta(0.7, noise).upper;
      CAPTURE(lambda, noise, exact, found.value, found.interval.lower, found.interval.upper);
      CHECK(found.interval.lower <= exact);
      CHECK(found.interval.upper >= exact * (1.0 - 1e-12));  // the accuracy of the enumeration
      CHECK(found.interval.upper <= bound);
      CHECK(found.interval.upper < 1.1 * exact);
      narrow += found.interval.upper < 0.98 * bound ? 1 : 0;
    }
  }
  CHECK(narrow >= 3);  // it gains on the sum over numbers of participations
  // A matrix instead of the recursion, and twice the sensitivity as half the noise.
  const auto toeplitz = StrategyMatrix::toeplitz({1.0, 0.5}, 12);
  const double exact = enumerated_same_batch_delta(toeplitz, 0.2, 1.5, 0.7);
  CHECK(estimate_same_batch_delta(toeplitz, 0.2, 2.0, 3.0, 0.7, 0.9999).interval.contains(exact));
}

TEST_CASE("intervals of the mean over participations miss as rarely as they say",
          "[correlated][same-batch][estimate]") {
  const auto strategy = StrategyMatrix::exponential(0.9, 8);
  const double exact = enumerated_same_batch_delta(strategy, 0.1, 5.0, 0.5);
  int missed = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    missed += estimate_same_batch_delta(strategy, 0.1, 1.0, 5.0, 0.5, 0.9, seed).interval.contains(exact) ? 0 : 1;
  }
  CHECK(missed <= 9);  // 12 or more of 40 would have a chance of 1e-4 at a miss of a tenth each
}

TEST_CASE("a long sum resolves the profile where that moves faster than the participations",
          "[correlated][same-batch]") {
  // mpmath, 40 digits, steps of 200: with little noise the profile rises from 0 to 1 within a sixteenth of the
  // deviation.
  const LongSameBatch found = long_same_batch_delta(0.0, 0.5, 1e10, 1.0, 0.01, 25000000000000.004);
  CHECK_FALSE(found.proved);
  CHECK(found.delta.contains(0.499999996803121));
  CHECK(found.delta.relative_width() < 1e-8);
  // A deviation of 548 participations: estimated here, proved there.
  for (const double lambda : {0.0, 0.9}) {
    const SameBatch proved(StrategyMatrix::exponential(lambda, 1200000), 0.5, 1.0);
    for (const double noise : {1e-3, 0.1, 1e3}) {
      const double typical = encoded_sensitivity(lambda, 600300.0, 1200000.0) / noise;
      const double epsilon = 0.5 * typical * typical + 0.3 * typical;
      CAPTURE(lambda, noise, epsilon);
      const LongSameBatch estimated = long_same_batch_delta(lambda, 0.5, 1200000.0, 1.0, noise, epsilon);
      CHECK_FALSE(estimated.proved);
      const Enclosure truth = proved.delta(epsilon, noise);
      CHECK(truth.relative_width() < 1e-14);
      CHECK(estimated.delta.lower <= truth.lower);
      CHECK(estimated.delta.upper >= truth.upper);
    }
  }
}

TEST_CASE("long runs give the same sum without a table of participations", "[correlated][same-batch]") {
  for (const double rate : {1e-5, 0.01, 0.5, 1.0}) {
    for (const double steps : {1.0, 7.0, 3000.0, 200000.0}) {
      for (const double noise : {3.0, 300.0}) {
        const auto strategy = StrategyMatrix::exponential(0.9, static_cast<std::size_t>(steps));
        const double expected = SameBatch(strategy, rate, 2.0).delta(0.5, noise).middle();
        CAPTURE(rate, steps, noise);
        CHECK(long_same_batch_delta(0.9, rate, steps, 2.0, noise, 0.5).delta.middle() ==
              Approx(expected).epsilon(1e-9).margin(1e-290));
      }
    }
  }
  // A standard deviation of participations of 10954: summed by the trapezoid rule.
  const double strided = long_same_batch_delta(0.5, 0.2, 7.5e8, 1.0, 4e4, 1.0).delta.middle();
  const double typical = encoded_sensitivity(0.5, 1.5e8, 7.5e8) / 4e4;
  CHECK(strided == Approx(tradeoff::delta_of_epsilon(1.0, typical)).epsilon(1e-6));
  CHECK(long_same_batch_delta(0.9, 1e-3, 1e15, 1.0, 1e8, 1.0).delta.relative_width() < 3e-9);
}
