// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What the pairs of sampled steps drop far out, against sums over all components.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <catch2/catch.hpp>

#include <dpcurves/accounting/mixture/contour.hpp>
#include <dpcurves/accounting/mixture/pairs.hpp>
#include <dpcurves/accounting/mixture/profile.hpp>
#include <dpcurves/accounting/privacy_curve.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;
using mixture::Direction;
using mixture::Mixture;
using mixture::Step;
using mixture::Uses;
using rigorous::Precision;
using rigorous::Real;

namespace {

/// The first of the numbers of uses, the rest dropped.
Uses cut(const Uses& all, std::size_t count) {
  const Precision precision(160);
  Uses some;
  for (std::size_t j = 0; j < all.weight.size(); ++j) {
    if (j < count) {
      some.weight.push_back(all.weight[j]);
    } else {
      some.dropped += all.weight[j];
    }
  }
  return some;
}

double density(const Mixture& mixture, double x) {
  double sum = 0.0;
  for (const mixture::Component& c : mixture) {
    const double off = x - c.mean.middle();
    sum += c.weight.middle() * std::exp(-0.5 * off * off);
  }
  return sum / std::sqrt(2.0 * std::acos(-1.0));
}

/// The sum of e^{(1 + c) loss} over what the nulls of the pieces lack of `full`, one for each piece, and M(c).
struct Means {
  double lacking = 0.0, moment = 0.0;
};
Means means(const Step& step, const std::vector<Mixture>& full, double c) {
  constexpr double width = 1e-3, reach = 30.0;
  Means out;
  for (std::size_t i = 0; i < step.pieces.size(); ++i) {
    const mixture::Piece& p = step.pieces[i];
    for (double x = std::max(p.from, -reach) + 0.5 * width; x < reach; x += width) {
      const double a = density(p.alternative, x), n = density(p.null, x);
      if (a > 0.0 && n > 0.0) {
        out.lacking += width * std::max(0.0, density(full[i], x) - n) * std::exp((1.0 + c) * std::log(a / n));
        out.moment += width * a * std::exp(c * std::log(a / n));
      }
    }
  }
  for (const mixture::Atom& atom : step.atoms) {
    out.moment += atom.mass.middle() * std::exp(c * atom.loss.middle());
  }
  return out;
}

void require_bound(const Step& step, const std::vector<Mixture>& full) {
  REQUIRE(step.far_out.has_value());
  for (const double c : {0.1, 0.5, 2.0}) {
    const Means found = means(step, full, c);
    const double bound = step.far_out->share.middle() * found.moment +
                         step.dropped_null.middle() * std::pow(step.far_out->ratio.middle(), 1.0 + c);
    CAPTURE(c, found.lacking, found.moment, bound);
    CHECK(found.lacking > 0.0);
    CHECK(found.lacking <= bound * (1.0 + 1e-6));
  }
}

}  // namespace

TEST_CASE("what nulls lack is no more than what is said of it", "[accounting][mixtures]") {
  const double mu = GENERATE(0.5, 1.5);
  const Uses all = mixture::binomial_uses(10.0, Real(0.1));
  const std::size_t kept = 4;
  CAPTURE(mu);
  for (const Direction d : {Direction::add, Direction::replace}) {
    require_bound(mixture::shifts(cut(all, kept), mu, d), {mixture::shifts(all, mu, d).pieces.front().null});
  }
  for (const Direction d : {Direction::zero_remove, Direction::zero_add}) {
    const auto first = [&](std::size_t least) { return cut(all, std::max(least, kept)); };
    const auto whole = [&](std::size_t) { return all; };
    require_bound(mixture::instance(first, mu, -1.0, d), {mixture::instance(whole, mu, -1.0, d).pieces.front().null});
  }
}

TEST_CASE("what hidden uses lack is no more than what is said of it", "[accounting][mixtures]") {
  const double mu = GENERATE(0.5, 1.0);
  const Uses all = mixture::binomial_uses(10.0, Real(0.02));
  for (const Direction d : {Direction::zero_remove, Direction::zero_add, Direction::replace}) {
    CAPTURE(mu, static_cast<int>(d));
    const Step whole = mixture::hidden(all, mu, d);
    require_bound(mixture::hidden(cut(all, 4), mu, d), {whole.pieces[0].null, whole.pieces[1].null});
  }
}

TEST_CASE("tails of uses are bounded far below what is kept", "[accounting][mixtures]") {
  const Precision precision(160);
  const Real chance(4e-4);
  const Uses some = mixture::binomial_uses(100.0, chance), more = mixture::binomial_uses(100.0, chance, 60);
  REQUIRE(some.weight.size() < 60);
  REQUIRE(more.weight.size() == 60);
  Real rest;
  for (std::size_t j = some.weight.size(); j < more.weight.size(); ++j) {
    rest += more.weight[j];
  }
  CHECK(rest < some.dropped);
  CHECK(some.dropped < rest * Real(1.1));
  CHECK(more.dropped.upper() < 1e-150);
}

TEST_CASE("at large epsilons contours do without lattices, whatever the null lacks", "[accounting][mixtures]") {
  const Direction d = GENERATE(Direction::add, Direction::zero_add, Direction::zero_remove);
  const mixture::UsesOf uses = [](std::size_t least) { return mixture::binomial_uses(100.0, Real(4e-4), least); };
  mixture::Problem problem;
  problem.steps.push_back(d == Direction::add ? mixture::shifts(uses(0), 1.0, d)
                                              : mixture::instance(uses, 0.5, -1.0, d));
  problem.steps.back().count = 1e5;
  mixture::Profile profile(problem);
  const Enclosure found = profile.epsilon(1e-5);
  CAPTURE(found.lower, found.upper);
  CHECK(profile.lattices() == 0);
  CHECK(found.lower > 80.0);
  CHECK(found.relative_width() < 3e-8);
  // Where nothing is dropped the brackets meet.
  const mixture::UsesOf all = [&](std::size_t) { return uses(101); };
  problem.steps = {d == Direction::add ? mixture::shifts(all(0), 1.0, d) : mixture::instance(all, 0.5, -1.0, d)};
  problem.steps.back().count = 1e5;
  const Enclosure exact = mixture::Profile(problem).epsilon(1e-5);
  CHECK(exact.lower <= found.upper);
  CHECK(found.lower <= exact.upper);
}

TEST_CASE("what a null lacks is a share of it where losses are above those far out", "[accounting][mixtures]") {
  // One use of 63 draws at mu = 276: e^{log w + mu^2/2} is far beyond what the mass e^{-110} that is left out allows.
  const double mu = 1.0 / 3.621e-3, records = 2334262.0;
  const mixture::UsesOf uses = [&](std::size_t least) {
    return mixture::binomial_uses(63.0, Real(1) / Real(records), least);
  };
  mixture::Problem problem;
  problem.steps.push_back(mixture::instance(uses, mu, -1.0, Direction::zero_add));
  const Enclosure found = mixture::Profile(problem).epsilon(1.078e-12);
  CAPTURE(found.lower, found.upper);
  CHECK(found.lower > 0.5 * mu * mu + std::log(63.0 / records));
  CHECK(found.relative_width() < 1e-6);
}

TEST_CASE("a run reveals no less than the sum of its steps, or one of them", "[accounting][mixtures]") {
  const double steps = 20.0, mu = 0.5;
  const Direction d = GENERATE(Direction::remove, Direction::add, Direction::replace);
  const auto epsilon = [&](double trials, double distance, double count) {
    mixture::Problem problem;
    problem.steps.push_back(mixture::shifts(mixture::binomial_uses(trials, Real(0.1)), distance, d));
    problem.steps.back().count = count;
    return mixture::Profile(problem).epsilon(1e-5);
  };
  const Enclosure run = epsilon(4.0, mu, steps);
  CHECK(epsilon(4.0 * steps, mu / std::sqrt(steps), 1.0).upper < run.lower);
  CHECK(epsilon(4.0, mu, 1.0).upper < run.lower);
}

TEST_CASE("rare large losses of a mixture are those of the two components that it is", "[accounting][mixtures]") {
  const bool loud = GENERATE(true, false);
  const double mu = loud ? 1.0 / 0.73 : 1.0, rate = loud ? 9.087e-6 : 1e-4, steps = loud ? 87.0 : 1000.0;
  mixture::Problem problem;
  problem.steps.push_back(mixture::shifts(mixture::binomial_uses(1.0, Real(rate)), mu, Direction::remove));
  problem.steps.back().count = steps;
  mixture::Profile profile(problem);
  const auto curve = composition_curve({0.0, {{rate, mu, steps, Pair::poisson_remove}}});
  for (const double delta : {1e-30, 1e-60, 1e-100}) {
    const Enclosure found = profile.epsilon(delta), want = curve->epsilon(delta).value;
    CAPTURE(mu, delta, found.lower, found.upper, want.lower, want.upper);
    CHECK(found.lower <= want.upper);
    CHECK(found.upper >= want.lower);
    CHECK(found.relative_width() < 0.1);
  }
}

TEST_CASE("where a path is not proved a lower one is, and no lattice is made", "[accounting][mixtures]") {
  mixture::Problem problem;
  problem.steps.push_back(mixture::shifts(mixture::binomial_uses(4.0, Real(0.01)), 2.0, Direction::remove));
  problem.steps.back().count = 1e4;
  mixture::Profile profile(problem);
  const Enclosure found = profile.epsilon(1e-5);
  CAPTURE(found.lower, found.upper);
  CHECK(profile.lattices() == 0);
  CHECK(found.relative_width() < 3e-8);
  CHECK(found.lower > 256.7837);  // what a lattice proves
  CHECK(found.upper < 256.7847);
}

TEST_CASE("thresholds of a profile share contours, and lattices that end wide are not made again",
          "[accounting][mixtures]") {
  // Draws with replacement, a record zeroed out, ten uses expected: contours that are dear, and rare large losses.
  const mixture::UsesOf uses = [](std::size_t least) { return mixture::binomial_uses(100.0, Real(1e-4), least); };
  mixture::Problem problem;
  problem.steps.push_back(mixture::instance(uses, 0.5, -1.0, Direction::zero_add));
  problem.steps.back().count = 1000.0;
  mixture::Profile profile(problem);
  double before = 1.0;
  for (int i = 0; i <= 60; ++i) {
    const Enclosure delta = profile.delta(0.05 * i);
    INFO("epsilon = " << 0.05 * i);
    CHECK(delta.lower <= before);
    before = delta.upper;
  }
  CHECK(profile.lattices() <= 20);
  CHECK(profile.surely_below(3.0, 1e-9));  // whose own order is too large for a proof
}

TEST_CASE("sums of powers in balls hold the terms one by one", "[accounting][mixtures]") {
  const Precision precision(128);
  std::vector<rigorous::Complex> values;
  const rigorous::Complex ratio = rigorous::exp(rigorous::Complex(Real(), Real(-0.7)));
  rigorous::Complex sum;
  for (int j = 0; j < 3000; ++j) {
    values.push_back(rigorous::exp(rigorous::Complex(Real(-0.001 * j), Real(0.3 * j))));
    sum = sum + values.back() * rigorous::exp(rigorous::Complex(Real(), Real(-0.7) * Real(j)));
  }
  const rigorous::Complex found = rigorous::power_sum(values, ratio);
  CHECK(overlap(found.re(), sum.re()));
  CHECK(overlap(found.im(), sum.im()));
  CHECK(rigorous::relative_radius(found.re()) < 1e-30);
}
