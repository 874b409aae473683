// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Steps that are rarely sampled, few steps, bounded losses: where the tilted law is ruled by losses that never happen,
// or hardly anything is left of the integrand. Each of these settings once made two methods contradict each other.
#include <vector>

#include <support/support.hpp>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/engine.hpp>
#include <dpcurves/accounting/lattice.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;

namespace {

struct Row {
  Pair pair;
  double noise_multiplier, sampling_rate, steps, delta;
};

Composition composition(const Row& row) {
  return {0.0, {{row.sampling_rate, 1.0 / row.noise_multiplier, row.steps, row.pair}}};
}

}  // namespace

TEST_CASE("settings with hardly any or hardly sampled steps have an epsilon that holds", "[accounting][rare jumps]") {
  const Row row = GENERATE(values<Row>({{Pair::poisson_add, 10.0, 0.1, 10, 1e-5},
                                        {Pair::poisson_add, 1.0, 0.999, 10, 0.1},
                                        {Pair::poisson_remove, 2.0, 0.1, 10, 1e-5},
                                        {Pair::poisson_replace_one, 10.0, 0.999, 10, 1e-12},
                                        {Pair::symmetrised, 500.0, 0.999, 10, 1e-12},
                                        {Pair::fixed_size_remove, 1.0, 1e-7, 1000, 1e-30},
                                        {Pair::fixed_size_remove, 1.0, 1e-4, 10, 1e-30},
                                        {Pair::fixed_size_add, 0.5479295394738839, 2.959498242690735e-06, 4, 6.76e-9},
                                        {Pair::fixed_size_remove, 3.38, 2.86e-4, 26, 9.52e-13}}));
  Accuracy patient;  // a busy machine needs longer than the usual limit
  patient.relative = 0.01;
  patient.time_limit_seconds = 100.0;
  const EpsilonBound answer = epsilon_at(composition(row), row.delta, patient);
  CAPTURE(static_cast<int>(row.pair), row.noise_multiplier, row.sampling_rate, row.steps, answer.epsilon.lower,
          answer.epsilon.upper, answer.method);
  CHECK(answer.epsilon.relative_width() < 0.02);
  // The profile, asked for by itself and without the truncation that a target allows, says the same.
  CHECK(profile_at(composition(row), answer.epsilon.upper * 1.001).delta.lower <= row.delta);
  CHECK(profile_at(composition(row), answer.epsilon.lower * 0.999).delta.upper >= row.delta);
}

TEST_CASE("a lattice says nothing of thresholds below its window", "[accounting][rare jumps]") {
  const detail::Transform transform({0.0, {{0.01, 1.0, 20, Pair::poisson_remove}}});
  const detail::Deadline deadline(60.0);
  const detail::LatticePair far(transform, 12.0, 1e-2, std::size_t{1} << 14U, deadline);
  const detail::LatticePair here(transform, 0.5, 1e-2, std::size_t{1} << 14U, deadline);
  for (const double epsilon : {0.05, 0.2, 0.5, 1.0, 3.0, 6.0}) {
    CAPTURE(epsilon);
    CHECK(far.delta(epsilon).upper >= here.delta(epsilon).lower);
    CHECK(far.delta(epsilon).lower <= here.delta(epsilon).upper);
  }
}

TEST_CASE("leaving out rare large losses widens what is said by their probability", "[accounting][rare jumps]") {
  const Pair pair = GENERATE(Pair::symmetrised, Pair::poisson_remove, Pair::poisson_replace_one,
                             Pair::fixed_size_remove, Pair::fixed_size_add);
  const Composition steps{0.0, {{1e-3, 1.0, 1e5, pair}}};
  detail::Engine whole(steps, {});
  detail::Engine truncated(steps, {});
  const double epsilon = 1.7;
  const detail::Point exact = whole.at(epsilon);
  truncated.aim(exact.delta.lower);
  REQUIRE(truncated.transform().lost() > 0.0);
  REQUIRE(truncated.transform().lost() < 1e-10 * exact.delta.lower);
  const detail::Point point = truncated.at(epsilon);
  CAPTURE(static_cast<int>(pair), exact.delta.lower, point.delta.lower, point.delta.upper);
  CHECK(point.delta.lower <= exact.delta.upper);
  CHECK(point.delta.upper >= exact.delta.lower);
  CHECK(point.delta.relative_width() < 1e-6);
  // K of what is left is smaller, and by hardly anything where nothing is tilted.
  CHECK(truncated.transform().cumulant(5.0).value <= whole.transform().cumulant(5.0).value + 1e-9);
  CHECK(std::abs(truncated.transform().cumulant(0.1).value - whole.transform().cumulant(0.1).value) <
        10.0 * truncated.transform().lost());
}
