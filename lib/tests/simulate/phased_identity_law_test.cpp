// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/phase_schedule.hpp>
#include <dpcurves/simulate/phased_identity_law.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using simulate::PhasedIdentityRun;

namespace {

// E|w_k - w*|^2 record by record: covariances E<e_s, e_t> = v_s a^(t-s) summed one by one.
double step_by_step(const PhasedIdentityRun& run) {
  long double v = run.start_squared;
  const long double d = run.dimension;
  for (const auto& phase : models::phase_schedule(run.records, run.step_size, run.noise_per_step)) {
    const long double e = phase.step_size, a = 1.0L - e / d, b = 1.0L - (2.0L * e - e * e) / d;
    long double sum = 0.0L, lagged = 0.0L;  // lagged: sum over s < t of v_s a^(t-s)
    for (std::uint64_t t = 0; t < phase.records; ++t) {
      sum += v + 2.0L * lagged;
      lagged = a * (lagged + v);
      v = b * v + e * e * run.label_variance;
    }
    const auto n = static_cast<long double>(phase.records);
    v = sum / n / n + d * static_cast<long double>(phase.noise) * static_cast<long double>(phase.noise);
  }
  return static_cast<double>(v);
}

}  // namespace

TEST_CASE("the exact law of phased SGD agrees with the recursion record by record", "[simulate][phased_identity]") {
  const auto run =
      GENERATE(PhasedIdentityRun{1000, 4, 0.8, 27.1, 0.09, 0.49}, PhasedIdentityRun{2, 2, 1.0, 0, 0, 1},
               PhasedIdentityRun{300000, 8, 1e-5, 0.0, 1.0, 2.0}, PhasedIdentityRun{65536, 1000, 7.9, 0.3, 0.5, 0.0},
               PhasedIdentityRun{1023, 3, 8.0, 1.0, 0.2, 1.0},
               PhasedIdentityRun{50, 2, 20.0, 1.0, 0.2, 1.0});  // steps beyond d, sums that alternate
  CAPTURE(run.records, run.dimension, run.step_size);
  CHECK(test::relative_error(simulate::phased_identity_law(run).squared_distance, step_by_step(run)) < 1e-13);
}

TEST_CASE("limits of the exact law", "[simulate][phased_identity]") {
  CHECK(simulate::phased_identity_law({1 << 20, 5, 1.0, 0.0, 0.0, 0.0}).squared_distance == 0.0);
  // One step of the first phase, then means of it alone: a start that no step moves.
  CHECK(simulate::phased_identity_law({1u << 10, 5, 1e-300, 0.0, 0.0, 3.0}).squared_distance == Approx(3.0));
  // Huge phases settle at v = e s2 d/(2 - e) and their mean at a multiple 1/n of it: only the last release is noisy.
  const auto long_run = simulate::phased_identity_law({std::uint64_t{1} << 60, 4, 0.5, 1.0, 0.1, 1.0});
  CHECK(long_run.squared_distance > 0.0);
  CHECK(long_run.squared_distance < 1e-12);
  CHECK(std::isinf(simulate::phased_identity_law({1u << 20, 2, 1e6, 0.0, 0.1, 1.0}).squared_distance));
  CHECK(simulate::phased_identity_law({1u << 20, 2, 1e6, 0.0, 0.0, 0.0}).squared_distance == 0.0);
  // The largest second moment of a gradient is at the start when the noise is small.
  CHECK(simulate::phased_identity_law({1024, 4, 0.1, 0.0, 0.09, 2.0}).gradient_squared == Approx(0.59));
  CHECK_THROWS_WITH(simulate::phased_identity_law({1024, 1, 0.1, 0.0, 0.09, 2.0}), Catch::Contains("dimension = 1"));
  CHECK_THROWS_WITH(simulate::phased_identity_law({1024, 4, 0.1, -1.0, 0.09, 2.0}), Catch::Contains("noise_per_step"));
}
