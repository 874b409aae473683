// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// delta at thresholds that a run hardly ever passes: with digits, or seen to be below the range of doubles.
#include <limits>
#include <tuple>

#include <support/support.hpp>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/proof/chernoff.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;
using rigorous::Real;

namespace {

Composition steps(Pair pair, double q, double noise, double count) { return {0.0, {{q, 1.0 / noise, count, pair}}}; }

}  // namespace

TEST_CASE("delta at the epsilon of a rare delta is that delta", "[accounting][proof]") {
  for (const auto& [pair, q, noise, count, delta] :
       {std::tuple{Pair::poisson_remove, 3.2623898108344833e-8, 1.4900788559809623, 345.0, 1e-142},
        std::tuple{Pair::poisson_remove, 4.398e-7, 4.6, 24226804.0, 1e-80},
        std::tuple{Pair::poisson_replace_one, 1e-6, 2.0, 1000.0, 1e-40},
        std::tuple{Pair::symmetrised, 1.5339301286123856e-6, 7.063099503368148, 48518.0, 1e-100}}) {
    const Composition run = steps(pair, q, noise, count);
    const Enclosure epsilon = epsilon_at(run, delta).epsilon;
    const Enclosure below = delta_at(run, epsilon.upper).delta, above = delta_at(run, epsilon.lower).delta;
    CAPTURE(static_cast<int>(pair), q, noise, count, delta, epsilon.lower, epsilon.upper, below.lower, above.upper);
    CHECK(epsilon.relative_width() < 1e-6);
    CHECK(below.lower <= delta);
    CHECK(above.upper >= delta);
    CHECK(below.relative_width() < 1e-6);
    CHECK(above.relative_width() < 1e-6);
  }
}

TEST_CASE("a delta below the range of doubles is seen to be that", "[accounting][proof]") {
  constexpr double smallest = std::numeric_limits<double>::denorm_min();
  for (const auto& [pair, q, noise, count, epsilon] :
       {std::tuple{Pair::poisson_remove, 5.83e-6, 7.91, 259889.0, 2.656},
        std::tuple{Pair::poisson_remove, 3e-7, 111.5, 210.0, 0.00567},
        std::tuple{Pair::poisson_replace_one, 6.01e-8, 5.61, 579.0, 0.386},
        std::tuple{Pair::symmetrised, 8.65e-6, 26.56, 11530713.0, 3.1},
        std::tuple{Pair::fixed_size_remove, 7.88e-5, 5.21, 1698.0, 9.38},
        std::tuple{Pair::fixed_size_add, 7.88e-5, 5.21, 1698.0, 9.38},
        std::tuple{Pair::poisson_add, 0.1, 16.0, 10.0, 1.0}}) {  // near the largest loss
    const Enclosure delta = delta_at(steps(pair, q, noise, count), epsilon).delta;
    CAPTURE(static_cast<int>(pair), q, noise, count, epsilon, delta.upper);
    CHECK(delta.lower == 0.0);
    CHECK(delta.upper == smallest);
    // Not everything is called nothing.
    CHECK(delta_at(steps(pair, q, noise, count), 0.0).delta.lower > 0.0);
  }
}

TEST_CASE("bounds of laws that are cut off lie above delta, and the estimate is about the best of them",
          "[accounting][proof]") {
  for (const auto& [pair, q, noise, count, epsilon] :
       {std::tuple{Pair::poisson_remove, 0.01, 1.0, 1000.0, 3.0}, std::tuple{Pair::poisson_add, 0.01, 1.0, 1000.0, 2.0},
        std::tuple{Pair::poisson_remove, 1e-6, 1.5, 300.0, 0.4},
        std::tuple{Pair::symmetrised, 1e-4, 2.0, 5000.0, 0.8}}) {
    const Composition run = steps(pair, q, noise, count);
    const Enclosure delta = delta_at(run, epsilon).delta;
    proof::Problem problem;
    problem.steps.push_back(proof::step_of(run.components.front()));
    const double estimate = proof::log_chernoff_estimate(problem, epsilon);
    CAPTURE(static_cast<int>(pair), q, noise, count, epsilon, delta.lower, delta.upper, estimate);
    REQUIRE(delta.lower > 0.0);
    for (const double log_mass : {-20.0, -50.0, -200.0, -800.0}) {
      CHECK(proof::far_chernoff_delta(problem, Real(epsilon), log_mass).upper() >= delta.upper * (1.0 - 1e-9));
    }
    CHECK(estimate > std::log(delta.lower) - 1.0);
    CHECK(estimate < 0.85 * std::log(delta.upper));
  }
}
