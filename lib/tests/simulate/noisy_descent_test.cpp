// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/tradeoff_estimate.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/simulate/detail/chain_law.hpp>
#include <dpcurves/simulate/noisy_descent.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::simulate;
using inference::estimate_tradeoff;
using models::Projection;
using models::SeparableLosses;

namespace {

constexpr double miss = 1e-9;

double coordinate(std::span<const double> x) { return x[0]; }

std::vector<double> sorted(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

/// Quadratic of the equality case: curvature 1, two records, of which the second differs by L = 1.
NoisyDescent equality_case() {
  NoisyDescent setting;
  setting.step_size = 0.1;
  setting.noise = 1.0;
  setting.steps = 30;
  return setting;
}

const SeparableLosses quadratic(1.0, 0.0, 1, {0.0, 0.0});
const SeparableLosses shifted(1.0, 0.0, 1, {0.0, -1.0});

}  // namespace

TEST_CASE("simulated pairs reach the equality case of Theorem 4.2", "[simulate][descent][statistics]") {
  const auto sample = final_statistics(equality_case(), quadratic, shifted, 400'000, 11, coordinate);
  const double sigma = 0.1 * std::sqrt((1.0 - std::pow(0.9, 60)) / (1.0 - 0.81));
  std::vector<double> thresholds;
  for (const double a : {0.1, 0.25, 0.4}) {
    thresholds.push_back(sigma * numerics::normal_upper_quantile(a));
  }
  for (const auto& point : estimate_tradeoff(sample.first, sample.second, thresholds, miss)) {
    CAPTURE(point.threshold, point.effective_mu.value, point.effective_mu.error);
    CHECK(point.effective_mu_interval.contains(2.08894));
    CHECK(std::abs(point.effective_mu.value - 2.08894) < 5.0 * point.effective_mu.error);
    CHECK(point.effective_mu.error < 0.005);
    // Dropping the factor 1 + c gives 1.515: refuted.
    CHECK(inference::refuted(point,
                             [](double a) { return numerics::normal_cdf(-1.515 - numerics::normal_quantile(a)); }));
  }
}

TEST_CASE("counted statistics are those that are kept", "[simulate][descent]") {
  const std::vector<double> thresholds{0.4, -0.3, 0.0};
  const auto sample = final_statistics(equality_case(), quadratic, shifted, 3000, 11, coordinate);
  const auto counts = count_statistics(equality_case(), quadratic, shifted, 3000, 11, coordinate, thresholds, 2);
  CHECK(counts.paths == 3000);
  for (std::size_t j = 0; j < thresholds.size(); ++j) {
    const auto above = [&](double x) { return x > thresholds[j]; };
    CHECK(counts.first_above[j] ==
          static_cast<std::uint64_t>(std::count_if(sample.first.begin(), sample.first.end(), above)));
    CHECK(counts.second_above[j] ==
          static_cast<std::uint64_t>(std::count_if(sample.second.begin(), sample.second.end(), above)));
  }
  const auto broken = [](std::span<const double>) { return std::nan(""); };
  CHECK_THROWS_AS(count_statistics(equality_case(), quadratic, shifted, 10, 11, broken, thresholds), DomainError);
}

TEST_CASE("results do not depend on threads nor on the paths beside them", "[simulate][descent][property]") {
  NoisyDescent setting = equality_case();
  const auto one = final_iterates(setting, shifted, 2000, 3, 0, 1),
             two = final_iterates(setting, shifted, 2000, 3, 0, 2);
  CHECK(one == two);
  const auto later = final_iterates(setting, shifted, 700, 3, 1300);
  CHECK(std::equal(later.begin(), later.end(), one.begin() + 1300));
  setting.steps = 5000;  // more than one noise buffer
  const auto long_run = final_iterates(setting, SeparableLosses(1.0, 0.0, 2, {0.0, 0.0}), 1, 3);
  std::vector<double> x(2, 0.0), z(10'000);
  random::normals(z, 3, random::Purpose::noise, 0, 0);
  for (std::size_t k = 0; k < 10'000; ++k) {
    x[k % 2] -= 0.1 * x[k % 2] + 0.1 * z[k];
  }
  CHECK(long_run == x);
}

TEST_CASE("batch rules see the records that they should", "[simulate][descent]") {
  // No noise, linear losses: the iterate adds up the drifts of the records seen.
  NoisyDescent setting;
  setting.step_size = 1.0;
  setting.steps = 5;
  const SeparableLosses losses(0.0, 0.0, 1, {-1.0, -10.0, -100.0, -1000.0});
  CHECK(final_iterates(setting, losses, 1, 1)[0] == Approx(5 * 1111.0 / 4));
  setting.rule = BatchRule::cyclic;
  setting.batch_size = 2;
  CHECK(final_iterates(setting, losses, 1, 1)[0] == Approx(3 * 5.5 + 2 * 550.0));
  setting.rule = BatchRule::subset;
  setting.batch_size = 4;
  CHECK(final_iterates(setting, losses, 1, 1)[0] == Approx(5 * 1111.0 / 4));
  setting.batch_size = 1;
  double sum = 0.0;
  for (const double x : final_iterates(setting, losses, 100'000, 1)) {
    sum += x / 5.0;
  }
  CHECK(sum / 1e5 == Approx(1111.0 / 4).epsilon(0.02));  // standard error 0.3 %
}

TEST_CASE("the law of many runs is the exact chain law, also in a box and with subsampling",
          "[simulate][descent][statistics]") {
  constexpr std::size_t paths = 200'000;
  const double bound = std::sqrt(std::log(2.0 / 1e-9) / (2.0 * paths));  // Dvoretzky-Kiefer-Wolfowitz-Massart
  NoisyDescent setting;
  setting.rule = BatchRule::subset;
  setting.batch_size = 1;
  setting.step_size = 0.1;
  setting.noise = 3.0;
  setting.steps = 25;
  setting.projection = Projection::box(0.5);
  const SeparableLosses first(0.0, 2.0, 1, {0.5, 0.5, 0.5, 0.5, 0.5}), second(0.0, 2.0, 1, {0.5, 0.5, 0.5, 0.5, -9.0});
  const auto sample = final_statistics(setting, first, second, paths, 5, coordinate);
  ChainPair chains;
  chains.noise = 0.3;
  chains.lower = -0.5;
  chains.upper = 0.5;
  const auto step = [](double drift) { return [drift](double x) { return x - 0.1 * (2.0 * std::tanh(x) + drift); }; };
  chains.kernels = {{{1.0, step(0.5)}}, {{0.8, step(0.5)}, {0.2, step(-9.0)}}};
  chains.first = {0};
  chains.second = {1};
  const LawPair laws = chain_laws(chains, setting.steps);
  const auto p = sorted(sample.first), q = sorted(sample.second);
  for (double x = -0.5; x <= 0.5; x += 0.01) {
    const auto frequency = [x](const std::vector<double>& values) {
      return static_cast<double>(std::upper_bound(values.begin(), values.end(), x) - values.begin()) / paths;
    };
    CAPTURE(x);
    CHECK(std::abs(frequency(p) - laws.lower_tail_first(x)) < bound);
    CHECK(std::abs(frequency(q) - laws.lower_tail_second(x)) < bound);
  }
}

TEST_CASE("simulated drifts in a box reach the exact law of Theorem 4.3's worst case",
          "[simulate][descent][statistics]") {
  NoisyDescent setting;
  setting.step_size = 0.05;
  setting.noise = 1.0;
  setting.steps = 300;
  setting.projection = Projection::box(0.5);
  const SeparableLosses left(0.0, 0.0, 1, {0.25}), right(0.0, 0.0, 1, {-0.25});
  const auto sample = final_statistics(setting, left, right, 100'000, 2, coordinate);
  const std::array<double, 1> threshold{0.0};
  const auto point = estimate_tradeoff(sample.first, sample.second, threshold, miss)[0];
  CHECK(std::abs(point.effective_mu.value - 5.1499) < 5.0 * point.effective_mu.error);
  CHECK(point.effective_mu_interval.lower > 3.162);  // the bound without 3 L D would be refuted
}

TEST_CASE("cyclic runs reach Theorem C.17", "[simulate][descent][statistics]") {
  NoisyDescent setting;
  setting.rule = BatchRule::cyclic;
  setting.batch_size = 1;
  setting.step_size = 0.4;
  setting.noise = 1.0;
  setting.steps = 20;
  const SeparableLosses first(0.5, 0.0, 1, std::vector<double>(5, 0.0)),
      second(0.5, 0.0, 1, {0.0, 0.0, 0.0, 0.0, -1.0});
  const auto sample = final_statistics(setting, first, second, 400'000, 8, coordinate);
  const std::array<double, 2> thresholds{0.2, 0.5};
  for (const auto& point : estimate_tradeoff(sample.first, sample.second, thresholds, miss)) {
    CHECK(std::abs(point.effective_mu.value - 0.88220) < 5.0 * point.effective_mu.error);
  }
}

TEST_CASE("separated batches are uniform subsets", "[simulate][descent][statistics]") {
  // chi-square with 9 degrees of freedom: above 60 with probability 1.4e-9
  std::array<int, 32> counts{};
  constexpr int draws = 200'000;
  for (std::uint32_t path = 0; path < draws; ++path) {
    random::Words words(4, random::Purpose::sampling, path, 0);
    const SeparatedBatch batch = separated_batch(5, 2, 1, words);
    REQUIRE(batch.common.size() == 1);
    ++counts[(1U << batch.common[0]) | (1U << (batch.has_special ? 1U : batch.replacement))];
  }
  double chi_square = 0.0;
  for (std::uint32_t set = 0; set < 32; ++set) {
    const int bits = __builtin_popcount(set);
    CHECK((counts[set] > 0) == (bits == 2));
    chi_square += bits == 2 ? std::pow(counts[set] - draws / 10.0, 2) / (draws / 10.0) : 0.0;
  }
  CHECK(chi_square < 60.0);
}

TEST_CASE("settings that do not fit are refused before any run", "[simulate][descent][errors]") {
  NoisyDescent setting = equality_case();
  setting.steps = 0;
  CHECK_THROWS_AS(final_iterates(setting, quadratic, 1, 1), DomainError);
  setting = equality_case();
  setting.noise = std::nan("");
  CHECK_THROWS_AS(final_iterates(setting, quadratic, 1, 1), DomainError);
  setting = equality_case();
  setting.start = {0.0, 0.0};
  CHECK_THROWS_AS(final_iterates(setting, quadratic, 1, 1), DomainError);
  setting = equality_case();
  setting.rule = BatchRule::cyclic;
  setting.batch_size = 3;
  CHECK_THROWS_WITH(final_iterates(setting, quadratic, 1, 1), Catch::Contains("batch_size = 3"));
  CHECK(final_iterates(equality_case(), quadratic, 0, 1).empty());
  CHECK_THROWS_WITH(
      final_iterates(equality_case(), quadratic, 5000, 1, 0, 2, [](std::size_t, std::size_t) { return false; }),
      Catch::Contains("stopped on request"));
}
