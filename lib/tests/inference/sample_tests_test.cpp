// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/detail/sample_tests.hpp>
#include <dpcurves/random/streams.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::inference;

namespace {

const std::vector<double> usual{0.01, 0.05, 0.1, 0.25, 0.4};

std::vector<double> normals(std::size_t count, double shift, std::uint32_t path) {
  std::vector<double> draws(count);
  random::normals(draws, 7, random::Purpose::noise, path, 0);
  for (double& x : draws) {
    x += shift;
  }
  return draws;
}

/// The value i, counts[i] times in every round.
std::vector<double> rounds(const std::vector<int>& counts, int number) {
  std::vector<double> draws;
  for (int round = 0; round < number; ++round) {
    for (std::size_t value = 0; value < counts.size(); ++value) {
      draws.insert(draws.end(), static_cast<std::size_t>(counts[value]), static_cast<double>(value));
    }
  }
  return draws;
}

}  // namespace

TEST_CASE("values that are all different are told apart by thresholds, whichever lie higher", "[inference]") {
  for (const double shift : {1.0, -1.0}) {
    CAPTURE(shift);
    const auto tests = sample_tests(normals(50000, 0.0, 1), normals(50000, shift, 2), usual, 1e-6);
    REQUIRE(tests.points.size() == usual.size());
    CHECK(tests.miss == 1e-6);
    for (std::size_t i = 0; i < usual.size(); ++i) {
      CAPTURE(usual[i]);
      CHECK(tests.rejected[i].empty());
      CHECK(tests.points[i].trials_p == 45000);
      // The pilot has 5,000 draws.
      CHECK(static_cast<double>(tests.points[i].false_positives) / 45000.0 ==
            Approx(usual[i]).margin(5.0 * std::sqrt(usual[i] / 5000.0)));
      CHECK(tests.points[i].effective_mu.value == Approx(1.0).margin(0.1));
    }
  }
}

TEST_CASE("atoms are rejected in the order of their likelihood ratios", "[inference]") {
  // Under the second law 0 is half, 1 two thirds and 2 three times as likely.
  const auto tests = sample_tests(rounds({6, 3, 2}, 1000), rounds({3, 2, 6}, 1000), usual, 1e-6);
  REQUIRE(tests.points.size() == 2);
  CHECK(tests.rejected == std::vector<std::string>{"2", "2, 1"});
  CHECK(std::isnan(tests.points[0].threshold));
  CHECK(static_cast<double>(tests.points[0].false_positives) / 9900.0 == Approx(2.0 / 11.0).epsilon(0.05));
  CHECK(static_cast<double>(tests.points[1].false_positives) / 9900.0 == Approx(5.0 / 11.0).epsilon(0.05));
  CHECK(static_cast<double>(tests.points[0].false_negatives) / 9900.0 == Approx(5.0 / 11.0).epsilon(0.05));
}

TEST_CASE("more tests than type I errors share the chance of a miss", "[inference]") {
  const auto values = rounds(std::vector<int>(21, 1), 1000);  // of 21 every tenth is another one
  CHECK(sample_tests(values, values, usual, 1e-3).miss == Approx(1e-3 * 5.0 / 20.0).epsilon(1e-12));
}

TEST_CASE("samples that are too short or hold NaN are refused", "[inference][errors]") {
  const auto good = normals(100, 0.0, 1);
  CHECK_THROWS_AS(sample_tests(std::vector<double>(9, 1.0), good, usual, 1e-6), DomainError);
  auto bad = good;
  bad[5] = std::nan("");
  CHECK_THROWS_AS(sample_tests(good, bad, usual, 1e-6), DomainError);
  CHECK_THROWS_AS(sample_tests(good, normals(100, 0.0, 2), {0.0}, 1e-6), DomainError);
}
