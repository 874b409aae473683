// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Steps that are rarely sampled, few steps, bounded losses: where the tilted law is ruled by losses that never happen,
// or hardly anything is left of the integrand. Each of these settings once made two methods contradict each other.
#include <vector>

#include <support/support.hpp>

#include <dpcurves/accounting/composition.hpp>

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
  const EpsilonBound answer = epsilon_at(composition(row), row.delta);
  CAPTURE(static_cast<int>(row.pair), row.noise_multiplier, row.sampling_rate, row.steps, answer.epsilon.lower,
          answer.epsilon.upper, answer.method);
  CHECK(answer.epsilon.relative_width() < 0.02);
  // The profile, asked for by itself, says the same.
  CHECK(delta_at(composition(row), answer.epsilon.upper).delta.lower <= row.delta);
  CHECK(delta_at(composition(row), answer.epsilon.lower).delta.upper >= row.delta);
}
