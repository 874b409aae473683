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

TEST_CASE("near the largest loss one step has the closed form's delta", "[accounting][proof]") {
  const Precision precision(128);
  for (const auto& [q, mu] : {std::pair{2e-6, 6.9}, {1e-3, 3.0}, {0.3, 0.7}}) {
    const Problem problem = added(q, mu, 1.0);
    const double range = 0.5 * largest(q, 1.0).middle();
    const NearTop near(problem, range, 4096);
    for (const double share : {0.05, 0.3, 0.9}) {
      const Real at(largest(q, 1.0).middle() - share * range);
      const Real exact = one_step(problem.steps[0], at, 128).delta, least = near.least(at), most = near.most(at);
      CAPTURE(q, mu, share, exact.text(), least.text(), most.text());
      CHECK(least <= exact);
      CHECK(most >= exact);
      CHECK((most - least).upper() < 10.0 / (4096.0 * 4096.0 * share * share) * exact.middle());
      const NearTop::Ends ends = near.epsilon(exact);
      CHECK(ends.lower <= at);
      CHECK(at <= ends.upper);
      CHECK((ends.upper - ends.lower).upper() < 1e-5 * range);
    }
    CHECK(near.most(Real(largest(q, 1.0).middle() - 1.1 * range)) >= Real(1));
    const Real beyond = one_step(problem.steps[0], Real(0.4 * largest(q, 1.0).middle()), 128).delta;
    CHECK(near.epsilon(beyond).lower.contains_zero());
  }
}

// The width falls with the square of a cell, once the steps together are rounded by less than what delta sees.
TEST_CASE("near the largest loss compositions have the contours' epsilon", "[accounting][proof]") {
  const Precision precision(128);
  for (const auto& [q, mu, count, delta] :
       {std::array{0.01, 0.8, 30.0, 1e-4}, std::array{1e-3, 2.0, 200.0, 1e-3}, std::array{1e-4, 3.0, 5000.0, 0.05}}) {
    Profile profile(Composition{0.0, {{q, mu, count, Pair::poisson_add}}}, Profile::Laws::whole);
    const Real target(delta), top = largest(q, count);
    const auto bracket = profile.epsilon(target, false, 1e-9);
    const double range = 1.01 * (top - bracket.lower).upper();
    double before = HUGE_VAL;
    for (const long cells : {512L, 1024L, 2048L}) {
      const NearTop::Ends ends = NearTop(profile.problem(), range, cells).epsilon(target);
      CAPTURE(q, mu, count, cells, bracket.lower.text(), ends.lower.text(), ends.upper.text());
      CHECK(ends.lower <= bracket.upper);
      CHECK(bracket.lower <= ends.upper);
      const double width = (ends.upper - ends.lower).upper();
      CHECK(width < 0.4 * before);
      before = width;
    }
    CHECK(before < 1e-3 * bracket.upper.middle());
  }
}

TEST_CASE("of two kinds of steps near the largest loss the chances multiply", "[accounting][proof]") {
  const Precision precision(128);
  Problem both = added(1e-4, 5.0, 3.0), twice = added(1e-4, 5.0, 6.0);
  both.steps.push_back(both.steps[0]);
  const double range = 1e-6;
  const Real at = Real(largest(1e-4, 6.0).middle() - 0.7 * range);
  const NearTop one(both, range, 1024), other(twice, range, 1024);
  CHECK(std::abs((one.most(at) - other.most(at)).middle()) < 1e-20);
  CHECK(std::abs((one.least(at) - other.least(at)).middle()) < 1e-20);
}

TEST_CASE("few loud steps of an added record have nine digits of epsilon", "[accounting]") {
  for (const auto& [noise, rate, count, delta] :
       {std::array{0.145, 2.15e-6, 13.0, 2.41e-9}, std::array{0.104, 1.32e-6, 52.0, 1.71e-5},
        std::array{0.125, 2.24e-8, 312486.0, 6.15e-4}, std::array{1.78, 0.0493, 2.0, 5.36e-30},
        std::array{0.103, 6e-8, 1527158.0, 0.0028}}) {
    const Composition composition{0.0, {{rate, 1.0 / noise, count, Pair::poisson_add}}};
    const EpsilonBound found = epsilon_at(composition, delta);
    CAPTURE(noise, rate, count, delta, found.epsilon.lower, found.epsilon.upper);
    CHECK(found.epsilon.relative_width() < 4e-9);
    CHECK(found.method == "cells near the largest loss");
    const DeltaBound back = delta_at(composition, found.epsilon.lower);
    CHECK(back.delta.upper >= delta);
    CHECK(back.delta.relative_width() < 1e-3);
  }
}
