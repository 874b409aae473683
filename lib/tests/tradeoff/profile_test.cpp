// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>
#include <dpcurves/tradeoff/profile.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::tradeoff;

TEST_CASE("the profile from the power encloses the closed form", "[profile]") {
  const double mu = GENERATE(0.1, 1.0, 6.0), epsilon = GENERATE(-2.0, 0.0, 0.5, 3.0, 10.0);
  const Enclosure found = delta_of_power([mu](double a) { return gaussian_power(a, mu); }, epsilon);
  const double exact = delta_of_epsilon(epsilon, mu);
  CAPTURE(found.lower, found.upper, exact);
  CHECK(found.contains(exact));
  if (exact > 1e-250) {
    CHECK(found.relative_width() < 1e-8);
  }
}

TEST_CASE("the trade-off function from the profile meets the closed form from below", "[profile]") {
  const double mu = GENERATE(0.3, 1.0, 3.0), a = GENERATE(0.001, 0.1, 0.5, 0.9);
  const auto delta = [mu](double epsilon) { return delta_enclosure(epsilon, exactly(mu)).upper; };
  const double exact = gaussian(a, mu);
  const double general = tradeoff_of_profile(delta, a, -20.0, 20.0);
  CHECK(general <= gaussian_enclosure(a, exactly(mu)).upper);
  CHECK(general >= exact - 1e-12);
}

TEST_CASE("the mirrored profile is the profile at the opposite epsilon", "[profile]") {
  const double epsilon = GENERATE(-3.0, -0.1, 0.1, 3.0);
  const Enclosure found = mirrored_delta(delta_enclosure(-epsilon, exactly(1.0)), epsilon);
  const Enclosure direct = delta_enclosure(epsilon, exactly(1.0));
  CHECK(found.lower <= direct.upper);
  CHECK(found.upper >= direct.lower);
  CHECK(found.width() < 1e-14);
  CHECK(mirrored_delta(exactly(1e-300), -1e-200).relative_width() < 5e-16);  // about 1e-200
  CHECK_THROWS_AS(mirrored_delta(exactly(0.5), std::nan("")), DomainError);
}

TEST_CASE("profiles with wrong shapes or values are refused", "[profile][errors]") {
  const auto nothing = [](double) { return 0.0; };
  CHECK_THROWS_AS(delta_of_power(nothing, std::nan("")), DomainError);
  CHECK_THROWS_AS(tradeoff_of_profile(nothing, 0.5, 1.0, 0.0), DomainError);
}
