// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/accounting/gdp_parameter.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::accounting;
using Catch::WithinRel;

namespace {

Composition steps(double rate, double mu, double count, Pair pair) { return {0.0, {{rate, mu, count, pair}}}; }

}  // namespace

TEST_CASE("sampling does not lower the smallest mu", "[accounting][gdp]") {
  for (const Pair pair : {Pair::symmetrised, Pair::poisson_remove, Pair::poisson_add, Pair::fixed_size_remove,
                          Pair::fixed_size_add, Pair::poisson_replace_one}) {
    const Enclosure mu = gdp_parameter(steps(0.01, 0.5, 100.0, pair));
    CHECK(mu.contains(5.0));
    CHECK(mu.relative_width() < 5e-16);
  }
  CHECK(gdp_parameter(steps(0.0, 0.5, 100.0, Pair::poisson_remove)) == exactly(0.0));
  CHECK(gdp_parameter(steps(1.0, 0.5, 100.0, Pair::poisson_replace_one)).contains(10.0));
  CHECK(gdp_parameter({3.0, {{0.1, 1.0, 16.0, Pair::poisson_add}}}).contains(5.0));
}

TEST_CASE("far in the tail the profile needs nearly the whole mu, and never more", "[accounting][gdp]") {
  const Pair pair = GENERATE(Pair::poisson_remove, Pair::fixed_size_remove, Pair::symmetrised);
  const double mu = 1.0, count = 2.0;
  double before = 0.0;
  Accuracy accuracy;
  accuracy.relative = 0.1;
  for (const double delta : {1e-5, 1e-30, 1e-290}) {
    const double epsilon = epsilon_at(steps(0.2, mu, count, pair), delta, accuracy).epsilon.middle();
    const double needed = tradeoff::mu_of_epsilon_delta(epsilon, delta);
    CHECK(needed > before);
    CHECK(needed < mu * std::sqrt(count));
    before = needed;
  }
  CHECK(before > 0.93 * mu * std::sqrt(count));
}

TEST_CASE("the pair of opposite gradients needs no more than its mu at rates up to a half", "[accounting][gdp]") {
  const double rate = GENERATE(0.1, 0.5);
  const auto composition = steps(rate, 0.2, 40.0, Pair::poisson_replace_one);
  const double mu = gdp_parameter(composition).upper;
  for (const double epsilon : {0.0, 0.5, 2.0, 10.0}) {
    CHECK(profile_at(composition, epsilon).delta.lower <= tradeoff::delta_of_epsilon(epsilon, mu));
  }
  // Above a half it does: the bracket says so.
  const auto often = steps(0.95, 0.2, 40.0, Pair::poisson_replace_one);
  CHECK(profile_at(often, 0.5).delta.lower > tradeoff::delta_of_epsilon(0.5, gdp_parameter(often).lower));
  CHECK(profile_at(often, 0.5).delta.upper < tradeoff::delta_of_epsilon(0.5, gdp_parameter(often).upper));
}

TEST_CASE("above a floor a smaller m is enough, and no smaller one is", "[accounting][gdp]") {
  const auto composition =
      GENERATE(steps(0.01, 1.0, 1000.0, Pair::poisson_remove), steps(0.5, 0.1, 100.0, Pair::poisson_remove),
               steps(0.02, 0.5, 400.0, Pair::fixed_size_remove));
  const auto curve = composition_curve(composition);
  const double floor = GENERATE(1e-5, 1e-15);
  const Enclosure m = gdp_parameter_above(*curve, floor, 1e-4);
  CAPTURE(m.lower, m.upper);
  CHECK(m.relative_width() <= 1e-3);
  CHECK(m.upper < gdp_parameter(composition).lower);
  const double last = curve->epsilon(floor).value.lower;
  bool attained = false;
  for (int i = 0; i <= 60; ++i) {
    const double epsilon = last * i / 60.0;
    const Enclosure delta = curve->delta(epsilon).value;
    CHECK(delta.lower <= tradeoff::delta_of_epsilon(epsilon, m.upper));
    attained = attained || delta.upper > tradeoff::delta_of_epsilon(epsilon, m.lower * 0.999);
  }
  CHECK(attained);
}

TEST_CASE("a Gaussian mechanism is its own m", "[accounting][gdp]") {
  for (const double mu : {0.1, 1.0, 30.0}) {
    const Enclosure m = gdp_parameter_above(*gaussian_curve(exactly(mu)), 1e-12);
    CHECK(m.contains(mu));
    CHECK(m.relative_width() < 1e-6);
  }
  CHECK(gdp_parameter_above(*gaussian_curve(exactly(1e-20)), 1e-12).upper < 1e-11);
  CHECK_THROWS_AS(gdp_parameter_above(*gaussian_curve(exactly(1.0)), 0.0), DomainError);
}
