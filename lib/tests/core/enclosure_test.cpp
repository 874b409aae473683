// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/core/error.hpp>

#include "support/support.hpp"

using namespace dpcurves;

TEST_CASE("outward rounding never loses an end", "[core][enclosure]") {
  const double value = GENERATE(0.0, 1.0, -1.0, 1e-310, 1e300, -3.7);
  const Enclosure wide = outward(exactly(value), 1e-15);
  CHECK(wide.lower < value);
  CHECK(wide.upper > value);
  CHECK(outward(exactly(std::numeric_limits<double>::infinity()), 1e-3).upper ==
        std::numeric_limits<double>::infinity());
}

TEST_CASE("a sum of intervals contains the sum of every pair", "[core][enclosure]") {
  const Enclosure a{0.1, 0.3};
  const Enclosure b{-0.7, 1e-20};
  const Enclosure sum = a + b;
  CHECK(sum.lower < 0.1 - 0.7);
  CHECK(sum.upper > 0.3);  // 1e-20 is lost in the rounded sum, and recovered outward
}

TEST_CASE("intervals that do not meet are a contradiction", "[core][enclosure][errors]") {
  CHECK(intersection({0.0, 2.0}, {1.0, 3.0}) == Enclosure{1.0, 2.0});
  CHECK_THROWS_AS(intersection({0.0, 1.0}, {2.0, 3.0}), ContradictionError);
  CHECK_THROWS_WITH(intersection({0.0, 1.0}, {2.0, 3.0}), Catch::Contains("[0, 1]") && Catch::Contains("[2, 3]"));
}

TEST_CASE("width and middle of an interval", "[core][enclosure]") {
  CHECK(Enclosure{1.0, 3.0}.middle() == 2.0);
  CHECK(exactly(5.0).width() == 0.0);
  CHECK(Enclosure{1.0, 1.5}.width() >= 0.5);
  CHECK(Enclosure{1.0, std::numeric_limits<double>::infinity()}.middle() == 1.0);
  CHECK(clamp({-1.0, 2.0}, 0.0, 1.0) == Enclosure{0.0, 1.0});
}

TEST_CASE("no interval is made with an end that is not a number", "[enclosure]") {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(exactly(nan), ContradictionError);
  CHECK_THROWS_AS(around(nan, 1.0), ContradictionError);
  CHECK_THROWS_AS(around(infinity, infinity), ContradictionError);
  CHECK_THROWS_AS(outward({0.0, nan}, 0.1), ContradictionError);
  CHECK_THROWS_AS(clamp({nan, 1.0}, 0.0, 1.0), ContradictionError);
  CHECK_THROWS_AS(intersection({nan, 1.0}, {0.0, 1.0}), ContradictionError);
  CHECK_THROWS_AS(intersection({0.0, 1.0}, {nan, 1.0}), ContradictionError);
  CHECK_THROWS_AS(exactly(infinity) + exactly(-infinity), ContradictionError);
  CHECK_THROWS_AS(scale({nan, 1.0}, 2.0), ContradictionError);
  CHECK(scale({0.0, infinity}, 0.0).contains(0.0));
  CHECK(scale({0.0, 1.0}, infinity).upper == infinity);
}
