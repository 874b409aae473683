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
