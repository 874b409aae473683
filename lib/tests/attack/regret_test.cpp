// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/attack/approximate_dp.hpp>
#include <dpcurves/attack/gaussian.hpp>
#include <dpcurves/attack/regret.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::attack;

TEST_CASE("pure privacy: the regret is the definition's least shift", "[attack][regret]") {
  const double epsilon = GENERATE(0.25, 1.0, 2.0);
  const Regret closed = pure_dp_regret(epsilon);
  Profile profile(accounting::pure_curve(epsilon));
  const double mu = tradeoff::pure_dp_to_gdp(epsilon);
  const Regret searched = regret(profile, mu);
  CAPTURE(epsilon, closed.regret.upper, searched.regret.lower, searched.regret.upper);
  CHECK(searched.regret.lower <= closed.regret.upper);
  CHECK(searched.regret.upper >= closed.regret.lower);
  CHECK(searched.regret.width() < 2e-8);
  CHECK(searched.epsilon == Approx(epsilon).epsilon(1e-3));
  // f(a + k) - k <= G(a) everywhere at k = regret, not at nine tenths of it.
  const auto shifted_above = [&](double k) {
    bool above = false;
    for (int i = 1; i < 20000; ++i) {
      const double a = i / 20000.0;
      if (a + k < 1.0) {
        const double f = 1.0 - power(ApproximateDp{epsilon, 0.0}, a + k).power.middle();
        above = above || f - k > tradeoff::gaussian(a, mu);
      }
    }
    return above;
  };
  CHECK_FALSE(shifted_above(closed.regret.upper));
  CHECK(shifted_above(0.9 * closed.regret.lower));
}

TEST_CASE("a Gaussian has no regret for its own mu, and its mu above every rate", "[attack][regret]") {
  const double mu = GENERATE(0.3, 1.0, 4.0);
  Profile profile(accounting::gaussian_curve(exactly(mu)));
  CHECK(regret(profile, mu).regret.upper < 2e-8);
  const Enclosure found = gdp_parameter_above_rate(profile, 1e-10);
  CAPTURE(found.lower, found.upper);
  CHECK(found.contains(mu));
  CHECK(found.relative_width() < 1e-3);
}

TEST_CASE("the mu above a rate holds there and is attained", "[attack][regret]") {
  accounting::Composition composition;
  composition.components.push_back({0.01, 1.0, 1000.0, accounting::Pair::poisson_remove});
  const auto remove = accounting::composition_curve(composition);
  const auto add = accounting::composition_curve(accounting::reversed(composition));
  Profile profile(accounting::worst_curve({{"remove", remove}, {"add", add}}));
  const double floor = 1e-6;
  const Enclosure mu = gdp_parameter_above_rate(profile, floor);
  CHECK(mu.relative_width() < 1e-3);
  bool attained = false;
  for (double a = floor; a < 0.4; a *= 1.3) {
    const Enclosure t = power(profile, a).power;
    CHECK(t.lower <= gaussian_power(exactly(mu.upper), a).power.upper);
    attained = attained || t.upper > gaussian_power(exactly(0.998 * mu.lower), a).power.lower;
  }
  CHECK(attained);
}

TEST_CASE("the mu above a rate of runs that show hardly anything", "[attack][regret]") {
  const double mu = GENERATE(1e-9, 1e-3);
  Profile gaussian(accounting::gaussian_curve(exactly(mu)));
  const Enclosure small = gdp_parameter_above_rate(gaussian, 1e-5);
  CAPTURE(small.lower, small.upper);
  CHECK(small.contains(mu));
  CHECK(small.relative_width() < 1e-3);
}

TEST_CASE("the mu above a rate of one rare step", "[attack][regret]") {
  accounting::Composition once;
  once.components.push_back({1e-9, 1.0, 1.0, accounting::Pair::poisson_remove});
  const auto remove = accounting::composition_curve(once);
  const auto add = accounting::composition_curve(accounting::reversed(once));
  Profile rare(accounting::worst_curve({{"remove", remove}, {"add", add}}));
  const Enclosure hardly = gdp_parameter_above_rate(rare, 1e-5);
  CAPTURE(hardly.lower, hardly.upper);
  CHECK(hardly.relative_width() < 1e-3);
  CHECK(hardly.upper < 1e-7);
}

TEST_CASE("the mu above a rate of runs that show nothing or everything", "[attack][regret]") {
  const double floor = GENERATE(1e-300, 1e-10, 1e-2);
  accounting::Composition none;
  none.components.push_back({0.1, 1.0, 0.0, accounting::Pair::poisson_remove});
  Profile nothing(accounting::composition_curve(none));
  CHECK(gdp_parameter_above_rate(nothing, floor).upper == 0.0);

  // f = 0 is above G(m)(a + floor) - floor from m = 2 z(floor) on, not from 0.
  Profile everything(accounting::pure_curve(HUGE_VAL));
  CHECK(gdp_parameter_above_rate(everything, floor).contains(2.0 * numerics::normal_upper_quantile(floor)));
}

TEST_CASE("regrets outside their domain are refused", "[attack][errors]") {
  Profile profile(accounting::pure_curve(1.0));
  CHECK_THROWS_AS(regret(profile, 0.0), DomainError);
  CHECK_THROWS_AS(pure_dp_regret(-1.0), DomainError);
  CHECK_THROWS_AS(gdp_parameter_above_rate(profile, 0.7), DomainError);
}
