// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/simulate/detail/record_uses.hpp>

using namespace dpcurves;
using simulate::RecordUses;
using simulate::UseLaw;

namespace {

struct Moment {
  double mean, error;
};

/// Mean of e^{sign x} with its standard error.
Moment mean_exp(const std::vector<double>& values, double sign) {
  double sum = 0.0, squares = 0.0;
  for (const double x : values) {
    const double e = std::exp(sign * x);
    sum += e;
    squares += e * e;
  }
  const auto n = static_cast<double>(values.size());
  const double mean = sum / n;
  return {mean, std::sqrt((squares / n - mean * mean) / n)};
}

RecordUses uses(UseLaw law, double rate, std::size_t round, std::size_t chosen) {
  RecordUses one;
  one.law = law;
  one.steps = 12;
  one.rate = rate;
  one.round = round;
  one.chosen = chosen;
  one.noise_multiplier = 3.0;
  return one;
}

}  // namespace

TEST_CASE("likelihood ratios have mean 1 under the null, their inverses under the alternative",
          "[simulate][record-uses]") {
  // A ratio of anything else than the two laws that are drawn misses one of the two.
  const auto one =
      GENERATE(uses(UseLaw::each_step, 0.3, 1, 1), uses(UseLaw::several, 0.1, 8, 1), uses(UseLaw::rounds, 1.0, 4, 1),
               uses(UseLaw::rounds, 1.0, 5, 2), uses(UseLaw::one_bin, 1.0, 4, 1), uses(UseLaw::separated, 0.4, 3, 1),
               uses(UseLaw::separated, 1.0, 4, 1), uses(UseLaw::turns, 0.5, 3, 1));
  const double null_gradient = GENERATE(0.0, -1.0, 0.5);
  RecordUses run = one;
  run.null_gradient = null_gradient;
  const std::vector<RecordUses> phases{run, run};
  for (const bool null : {true, false}) {
    const auto ratios = simulate::log_likelihood_ratios(phases, null, 40000, 7, 0, 2);
    const Moment found = mean_exp(ratios, null ? 1.0 : -1.0);
    CAPTURE(static_cast<int>(run.law), run.round, run.chosen, null_gradient, null, found.mean, found.error);
    CHECK(std::abs(found.mean - 1.0) < 5.0 * found.error);
    CHECK(found.error < 0.2);
    CHECK(found.error > 0.0);
  }
}

TEST_CASE("with rate 1 the ratio is that of normal laws", "[simulate][record-uses]") {
  RecordUses run = uses(UseLaw::each_step, 1.0, 1, 1);
  const auto null = simulate::log_likelihood_ratios({run}, true, 20000, 3, 0, 1);
  double sum = 0.0, squares = 0.0;
  for (const double x : null) {
    sum += x;
    squares += x * x;
  }
  const double mean = sum / 20000.0, variance = squares / 20000.0 - mean * mean;
  const double mu_squared = 12.0 / 9.0;
  CHECK(mean == Approx(-0.5 * mu_squared).margin(0.04));
  CHECK(variance == Approx(mu_squared).margin(0.06));
}

TEST_CASE("iterates have the moments of a descent that contracts", "[simulate][record-uses]") {
  using simulate::Iterate;
  const double contraction = GENERATE(1.0, 0.8);
  const bool mean_of_all = GENERATE(false, true);
  RecordUses run = uses(UseLaw::each_step, 0.25, 1, 1);
  run.null_gradient = 0.0;
  const auto steps = static_cast<int>(run.steps);
  double centre = 0.0, variance = 0.0;
  for (int t = 0; t < steps; ++t) {
    double weight = 0.0;  // of the sum of step t in what is published
    for (int k = mean_of_all ? t : steps - 1; k < steps; ++k) {
      weight += std::pow(contraction, k - t);
    }
    centre += weight * run.rate * run.gradient;
    const double noise = run.noise_multiplier * run.noise_multiplier;
    variance += weight * weight * (noise + run.rate * (1.0 - run.rate) * run.gradient * run.gradient);
  }
  constexpr std::size_t paths = 40000;
  const auto found =
      simulate::iterates({run}, contraction, mean_of_all ? Iterate::mean : Iterate::last, false, paths, 11, 0, 2);
  double sum = 0.0, squares = 0.0;
  for (const double x : found) {
    sum += x;
    squares += (x - centre) * (x - centre);
  }
  CHECK(std::abs(sum / paths - centre) < 5.0 * std::sqrt(variance / paths));
  CHECK(squares / paths == Approx(variance).epsilon(0.05));
  CHECK_THROWS_AS(simulate::iterates({run}, 1.5, Iterate::last, false, 1, 1, 0, 1), DomainError);
}

TEST_CASE("paths are a function of seed and number", "[simulate][record-uses]") {
  const std::vector<RecordUses> phases{uses(UseLaw::rounds, 1.0, 4, 2)};
  const auto all = simulate::log_likelihood_ratios(phases, true, 600, 5, 0, 1);
  CHECK(all == simulate::log_likelihood_ratios(phases, true, 600, 5, 0, 4));
  const auto later = simulate::log_likelihood_ratios(phases, true, 100, 5, 500, 1);
  CHECK(std::equal(later.begin(), later.end(), all.begin() + 500));
  CHECK(all != simulate::log_likelihood_ratios(phases, true, 600, 6, 0, 1));
}

TEST_CASE("uses outside their ranges are refused", "[simulate][record-uses][errors]") {
  RecordUses run = uses(UseLaw::rounds, 1.0, 4, 5);
  CHECK_THROWS_AS(simulate::log_likelihood_ratios({run}, true, 1, 1, 0, 1), DomainError);
  run = uses(UseLaw::each_step, 1.5, 1, 1);
  CHECK_THROWS_AS(simulate::log_likelihood_ratios({run}, true, 1, 1, 0, 1), DomainError);
  CHECK_THROWS_AS(simulate::log_likelihood_ratios({}, true, 1, 1, 0, 1), DomainError);
}
