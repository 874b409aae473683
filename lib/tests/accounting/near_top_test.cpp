// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Thresholds just below the largest loss of added records: against closed forms of one step, sums over two, contours.
#include <array>
#include <cmath>

#include <support/support.hpp>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/proof/near_top.hpp>
#include <dpcurves/accounting/proof/one_step.hpp>
#include <dpcurves/accounting/proof/profile.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;
using namespace dpcurves::accounting::proof;
using rigorous::overlap;
using rigorous::Precision;
using rigorous::Real;

namespace {

Problem added(double q, double mu, double count) {
  Problem p;
  p.steps.push_back(step_of({q, mu, count, Pair::poisson_add}));
  return p;
}

Real largest(double q, double count) { return -(Real(count) * rigorous::log1p(-Real(q))); }

}  // namespace

TEST_CASE("near the largest loss one step has the closed form's delta, two cells off at most", "[accounting][proof]") {
  const Precision precision(128);
  for (const auto& [q, mu] : {std::pair{2e-6, 6.9}, {1e-3, 3.0}, {0.3, 0.7}}) {
    const Problem problem = added(q, mu, 1.0);
    const double range = 0.5 * largest(q, 1.0).middle();
    const NearTop near(problem, range, 4096);
    for (const double share : {0.05, 0.3, 0.9}) {
      const Real at(largest(q, 1.0).middle() - share * range);
      const Real exact = one_step(problem.steps[0], at, 128).delta;
      const auto found = near.delta(at);
      REQUIRE(found);
      CAPTURE(q, mu, share, exact.text(), found->text());
      CHECK(overlap(*found, exact));
      const Real cells(2.0 * range / 4096.0);
      CHECK(Real(found->radius()) <
            one_step(problem.steps[0], at - cells, 128).delta - one_step(problem.steps[0], at + cells, 128).delta);
      const auto ends = near.epsilon(exact);
      REQUIRE(ends);
      CHECK(ends->lower <= at);
      CHECK(at <= ends->upper);
      CHECK((ends->upper - ends->lower).upper() < 3.1 * range / 4096.0);
    }
    CHECK_FALSE(near.delta(Real(largest(q, 1.0).middle() - 1.1 * range)));
    CHECK_FALSE(near.epsilon(one_step(problem.steps[0], Real(0.4 * largest(q, 1.0).middle()), 128).delta));
  }
}

// The claimed error is the distance that rounding all steps down may make, never less than the true one.
TEST_CASE("near the largest loss compositions have the contours' epsilon", "[accounting][proof]") {
  const Precision precision(128);
  for (const auto& [q, mu, count, delta] : {std::array{0.01, 0.8, 30.0, 1e-4}, std::array{1e-3, 2.0, 200.0, 1e-3},
                                            std::array{2.15e-6, 1.0 / 0.145, 13.0, 2.7e-5}}) {
    Profile profile(Composition{0.0, {{q, mu, count, Pair::poisson_add}}}, Profile::Laws::whole);
    const Real target(delta), top = largest(q, count);
    const auto bracket = profile.epsilon(target, false, 1e-7);
    CAPTURE(q, mu, count, bracket.lower.text(), bracket.upper.text());
    const double range = 1.01 * (top - bracket.lower).upper();
    constexpr long cells = 8192;
    const auto ends = NearTop(profile.problem(), range, cells).epsilon(target);
    REQUIRE(ends);
    CHECK(ends->lower <= bracket.upper);
    CHECK(bracket.lower <= ends->upper);
    CHECK((ends->upper - ends->lower).upper() <= (count + 2.0) * range / cells);
  }
}

TEST_CASE("of two kinds of steps near the largest loss the chances multiply", "[accounting][proof]") {
  const Precision precision(128);
  Problem both = added(1e-4, 5.0, 3.0), twice = added(1e-4, 5.0, 6.0);
  both.steps.push_back(both.steps[0]);
  const double range = 1e-6;
  const Real at = Real(largest(1e-4, 6.0).middle() - 0.7 * range);
  const auto one = NearTop(both, range, 1024).delta(at), other = NearTop(twice, range, 1024).delta(at);
  REQUIRE((one && other));
  CHECK(std::abs((*one - *other).middle()) < 1e-20);
}

TEST_CASE("few loud steps of an added record have epsilon to a millionth", "[accounting]") {
  const Composition composition{0.0, {{2.15e-6, 1.0 / 0.145, 13.0, Pair::poisson_add}}};
  const EpsilonBound found = epsilon_at(composition, 2.41e-9);
  CHECK(found.epsilon.relative_width() < 3e-7);
  CHECK(found.method == "cells near the largest loss");
  const DeltaBound back = delta_at(composition, found.epsilon.lower);
  CHECK(back.delta.upper >= 2.41e-9);
  CHECK(back.delta.relative_width() < 5e-3);
}
