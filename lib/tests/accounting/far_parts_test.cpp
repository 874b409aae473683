// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The bound above a contour that counts large losses by themselves: never below the moments that it bounds, hardly
// above them, and what rests on it agrees with other contours.
#include <cmath>
#include <random>

#include <support/support.hpp>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/proof/inversion.hpp>
#include <dpcurves/accounting/proof/neighbours.hpp>
#include <dpcurves/accounting/proof/paths.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;
using namespace dpcurves::accounting::proof;
using rigorous::Complex;
using rigorous::overlap;
using rigorous::Precision;
using rigorous::Real;

namespace {

struct Row {
  Pair pair;
  double q, noise, steps, log_rest;
};

Problem problem_of(const Row& row) {
  Problem p;
  p.steps.push_back(step_of({row.q, 1.0 / row.noise, row.steps, row.pair}));
  return p;
}

/// Steps that sample the record some 20 to 5,000 times, seldom each, with large losses.
std::vector<Row> rows() {
  std::vector<Row> all{{Pair::poisson_remove, 3.3e-6, 0.107, 4.3e7, -5.4},
                       {Pair::poisson_remove, 1.7e-5, 0.152, 1.26e8, -24.1},
                       {Pair::fixed_size_remove, 1.2e-7, 0.143, 7.1e8, -6.3},
                       {Pair::fixed_size_remove, 1.45e-5, 0.225, 3.8e7, -13.0},
                       {Pair::symmetrised, 2e-5, 0.3, 1e7, -9.0},
                       {Pair::poisson_replace_one, 1.9e-5, 0.128, 5.2e6, -8.8}};
  std::mt19937 words(20261129);
  const auto between = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(words()) + 0.5) / 4294967296.0;
  };
  const Pair pairs[] = {Pair::poisson_remove, Pair::fixed_size_remove, Pair::poisson_replace_one};
  for (int i = 0; i < 6; ++i) {
    const double q = std::exp(between(std::log(1e-8), std::log(1e-4))), sampled = std::exp(between(3.5, 7.0));
    all.push_back({pairs[i % 3], q, between(0.09, 0.2), std::floor(sampled / q), between(-20.0, -3.0)});
  }
  return all;
}

/// A contour for 1 - delta whose ray rests on large losses.
Plan plan_of(const Problem& problem, const Row& row, double elsewhere = 1.0) {
  constexpr double digits = 12.0, work = 4e6;
  const Guess at = guess(problem, row.log_rest, true);
  return make_plan(problem, elsewhere * at.c, at.epsilon, digits, work);
}

}  // namespace

TEST_CASE("large losses by themselves bound every moment above a contour, and hardly more", "[accounting][proof]") {
  int rested = 0;
  for (const Row& row : rows()) {
    const Problem problem = problem_of(row);
    const Plan plan = plan_of(problem, row);
    if (plan.whole()) {
      continue;
    }
    ++rested;
    const Inversion contour(problem, plan);
    const Precision precision(192);
    const double bound = contour.parts()->log_beyond.front().upper(), y = contour.parts()->tail_im.upper();
    CAPTURE(static_cast<int>(row.pair), row.q, row.noise, row.steps, plan.c, y, bound);
    double largest = -HUGE_VAL, real = 0.0;
    for (const double more : {0.0, 1.0, 1.01, 1.1, 1.3, 1.7, 2.5, 5.0, 20.0}) {
      std::vector<Path> paths;  // with all digits there
      Demand all{
          plan.c, plan.reference.front(), plan.mean.front(), 60.0, 10.0, {Plain(plan.c), Plain(plan.c, more * y)}, {}};
      for (const Piece& p : problem.steps.front().pieces) {
        paths.push_back(p.half ? half_path(p, all, 0.625, 0.625, 0.625) : line_path(p, all));
      }
      const StepMoment exact(problem.steps.front(), paths, plan.reference.front(), plan.mean.front(), 60.0);
      const double log_modulus =
          rigorous::log(rigorous::abs(exact.at(Complex(Real(plan.c), Real(more * y)), false))).middle();
      (more == 0.0 ? real : largest) = more == 0.0 ? log_modulus : std::max(largest, log_modulus);
    }
    CHECK(largest <= bound);
    CHECK(bound < real);
    CHECK(real - bound > 0.01 * (real - largest));  // at most a hundred times less than the moments fall
  }
  CHECK(rested >= 8);
}

TEST_CASE("contours that rest on large losses prove what others prove", "[accounting][proof]") {
  for (const Row& row : rows()) {
    const Problem problem = problem_of(row);
    const Plan plan = plan_of(problem, row), other = plan_of(problem, row, 0.8);
    const Real at(plan.epsilon);
    const Inversion contour(problem, plan);
    const Real one = contour.at(at), two = Inversion(problem, other).at(at);
    CAPTURE(static_cast<int>(row.pair), row.q, row.noise, row.steps, one.text(), two.text());
    CHECK(overlap(one, two));
    CHECK(one.radius() < 1e-3 * one.middle());
    CHECK(Neighbours::served(contour) == plan.whole());
  }
}

TEST_CASE("many seldom steps with large losses have nine digits near delta 1", "[accounting][dp-sgd]") {
  struct Answer {
    Pair pair;
    double q, noise, steps, delta, low, high;  // the bracket of a lattice, which knows less
  };
  for (const Answer& a : {Answer{Pair::poisson_remove, 3.2875127359184154e-06, 0.1072638255559103, 43014843,
                                 0.9955385308470215, 3251.859416229511, 3252.1171762533195},
                          Answer{Pair::poisson_replace_one, 1.9170142054037015e-05, 0.127891166851735, 5227922,
                                 0.9998479261605043, 1261.1060567719067, 1261.4627059597406}}) {
    const EpsilonBound found = epsilon_at({0.0, {{a.q, 1.0 / a.noise, a.steps, a.pair}}}, a.delta);
    CAPTURE(a.q, a.noise, found.epsilon.lower, found.epsilon.upper, found.method);
    CHECK(found.epsilon.relative_width() < 1e-9);
    CHECK(a.low <= found.epsilon.lower);
    CHECK(found.epsilon.upper <= a.high);
  }
}
