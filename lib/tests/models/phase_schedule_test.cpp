// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>
#include <numeric>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/phase_schedule.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using models::PhasedAlgorithm;

TEST_CASE("phases halve the records, and none is empty", "[models][phases]") {
  CHECK(models::phase_sizes(1000) == std::vector<std::uint64_t>{500, 250, 125, 62, 31, 15, 7, 3, 1});
  for (const std::uint64_t n : {2ull, 3ull, 4ull, 5ull, 1023ull, 1024ull, 60000ull, (1ull << 60) - 1, 1ull << 60,
                                std::numeric_limits<unsigned long long>::max()}) {
    const auto sizes = models::phase_sizes(n);
    CAPTURE(n);
    CHECK(sizes.back() == 1);
    CHECK(std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}) < n);
    CHECK(models::printed_phase_count(n) - models::phase_count(n) == ((n & (n - 1)) == 0 ? 0 : 1));
  }
  CHECK(models::phase_count((1ull << 60) - 1) == 59);  // as a double this is 2^60
  CHECK_THROWS_WITH(models::phase_sizes(1), Catch::Contains("records = 1"));
}

TEST_CASE("steps and noise fall fourfold from phase to phase", "[models][phases]") {
  const double c = models::printed_noise_per_step(PhasedAlgorithm::plain, 1.0, 1.0, 1e-5);
  const auto phases = models::phase_schedule(4096, 0.015, c);
  REQUIRE(phases.size() == 12);
  CHECK(phases[0].noise == Approx(0.10179210636622668).epsilon(1e-14));
  CHECK(phases[11].noise == Approx(2.426912936359088e-08).epsilon(1e-14));
  for (std::size_t i = 1; i < phases.size(); ++i) {
    CHECK(phases[i].step_size == phases[i - 1].step_size / 4.0);
    CHECK(phases[i].noise == phases[i].step_size * c);
  }
}

TEST_CASE("the printed noise scales as its formula says", "[models][phases]") {
  const auto c = [](PhasedAlgorithm a, double b, double e, double d) {
    return models::printed_noise_per_step(a, b, e, d);
  };
  using enum PhasedAlgorithm;
  CHECK(c(plain, 3.0, 0.5, 1e-4) == Approx(6.0 * c(plain, 1.0, 1.0, 1e-4)).epsilon(1e-15));
  CHECK(c(smoothed, 1.0, 1.0, 1e-4) == Approx(1.25 * c(plain, 1.0, 1.0, 1e-4)).epsilon(1e-15));
  CHECK(c(projected, 1.0, 1.0, 2e-4) == Approx(2.0 * c(plain, 1.0, 1.0, 1e-4)).epsilon(1e-15));
  CHECK(c(projected_smoothed, 1.0, 1.0, 2e-4) == Approx(2.0 * c(smoothed, 1.0, 1.0, 1e-4)).epsilon(1e-15));
  CHECK(c(projected, 1.0, 1.0, 1e-308) == Approx(16.0 * std::sqrt(std::log(2.0) + 308.0 * std::log(10.0))));
  CHECK(c(plain, 1.0, std::numeric_limits<double>::infinity(), 0.1) == 0.0);
  CHECK(models::largest_phase_step(projected, 1.0) == 0.5);
  CHECK_THROWS_WITH(c(plain, 1.0, 0.0, 0.1), Catch::Contains("epsilon = 0"));
  CHECK_THROWS_WITH(c(plain, 1.0, 1.0, 1.0), Catch::Contains("delta = 1"));
  CHECK_THROWS_WITH(c(plain, std::nan(""), 1.0, 0.1), Catch::Contains("label_bound"));
}
