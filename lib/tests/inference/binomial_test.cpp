// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/detail/binomial.hpp>
#include <dpcurves/rigorous/ball.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using inference::clopper_pearson;
using rigorous::Real;

TEST_CASE("Clopper-Pearson ends agree with 50-digit references and lie outside", "[inference][accuracy]") {
  test::Worst worst;
  std::size_t rows = 0;
  for (const auto& row : test::reference_table("inference/clopper_pearson.csv")) {
    const auto n = static_cast<std::uint64_t>(row.at("trials")), k = static_cast<std::uint64_t>(row.at("successes"));
    const Enclosure interval = clopper_pearson(k, n, row.at("miss"));
    const double lower = row.at("lower"), upper = row.at("upper"), rest = row.at("one_minus_upper");
    CAPTURE(n, k, shortest(row.at("miss")), shortest(interval.lower), shortest(interval.upper));
    CHECK(interval.lower <= lower);
    CHECK(interval.upper >= upper);
    worst.see(test::relative_error(interval.lower, lower), static_cast<double>(n));
    const double error = std::max(0.0, std::abs(interval.upper - upper) - 2.3e-16);  // a unit in the last place of 1
    worst.see(error == 0.0 ? 0.0 : error / std::min(upper, rest), static_cast<double>(n));
    ++rows;
  }
  CAPTURE(worst.at, shortest(worst.error));
  CHECK(worst.error < 2e-11);  // the number in the header comment
  CHECK(rows > 140);
}

TEST_CASE("no success and no failure have the textbook intervals", "[inference]") {
  // (1 - p)^n = miss / 2
  const Enclosure none = clopper_pearson(0, 1000, 1e-9), all = clopper_pearson(1000, 1000, 1e-9);
  const double end = -std::expm1(std::log(0.5e-9) / 1000.0);
  CHECK(none.lower == 0.0);
  CHECK(none.upper == Approx(end).epsilon(1e-10));
  CHECK(all.upper == 1.0);
  CHECK(1.0 - all.lower == Approx(end).epsilon(2e-11).margin(2.3e-16));
}

TEST_CASE("the chance at either end is at most half of what may miss, by the sum of the binomial law",
          "[inference][proved]") {
  std::mt19937_64 generator(3);
  const rigorous::Precision precision(1200);
  for (int i = 0; i < 60; ++i) {
    const auto n = 1 + generator() % 400, k = generator() % (n + 1);
    const double miss = std::pow(10.0, -std::uniform_real_distribution(0.1, 299.0)(generator));
    const Enclosure interval = clopper_pearson(k, n, miss);
    // P(X >= k) at the lower end and P(X <= k) at the upper one.
    const auto chance = [&](double p, std::uint64_t from, std::uint64_t to) {
      Real term(1), sum;
      for (std::uint64_t j = 0; j < n; ++j) {
        term = term * (Real(1) - Real(p));
      }
      for (std::uint64_t j = 0; j <= to; ++j) {
        sum += j >= from ? term : Real();
        term =
            term * Real(static_cast<double>(n - j)) / Real(static_cast<double>(j + 1)) * Real(p) / (Real(1) - Real(p));
      }
      return sum;
    };
    CAPTURE(n, k, shortest(miss), shortest(interval.lower), shortest(interval.upper));
    if (k > 0) {
      CHECK(chance(interval.lower, k, n) <= Real(0.5 * miss));
      CHECK(chance(interval.lower * (1.0 + 1e-10), k, n) > Real(0.5 * miss));
    }
    if (k < n && interval.upper < 1.0) {
      CHECK(chance(interval.upper, 0, k) <= Real(0.5 * miss));
    }
  }
  CHECK(clopper_pearson(std::uint64_t{1} << 52U, std::uint64_t{1} << 53U, 1e-6).width() < 2e-7);
}

TEST_CASE("counts outside their range name themselves", "[inference][errors]") {
  CHECK_THROWS_WITH(clopper_pearson(5, 4, 0.1), Catch::Contains("successes = 5"));
  CHECK_THROWS_AS(clopper_pearson(0, 0, 0.1), DomainError);
  CHECK_THROWS_AS(clopper_pearson(1, 4, 0.0), DomainError);
  CHECK_THROWS_AS(clopper_pearson(1, 4, std::nan("")), DomainError);
}
