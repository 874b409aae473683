// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>
#include <string>

#include <dpcurves/core/detail/format.hpp>

#include "support/support.hpp"

using namespace dpcurves;

TEST_CASE("numbers print so that they read back", "[core][format]") {
  const double value = GENERATE(0.1, 1.0 / 3.0, 1e-300, 123456789.0, -0.0);
  CHECK(std::stod(shortest(value)) == value);
  CHECK(shortest(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(rounded(0.031249, 2) == "0.031");
}

TEST_CASE("ends of guarantees are rounded to the side that stays true", "[core][format]") {
  CHECK(rounded_up(0.12341, 4) == "0.1235");
  CHECK(rounded_down(0.12349, 4) == "0.1234");
  CHECK(rounded_up(2.38168974722323, 8) == "2.3816898");
  CHECK(rounded_up(1.0 + 2e-16, 4) == "1");
  CHECK(rounded_up(HUGE_VAL, 4) == "inf");
  CHECK(rounded_up(0.0, 4) == "0");
  CHECK(rounded_up(-0.12349, 4) == "-0.1234");
  CHECK(rounded_up(9.9999e-10, 4) == "1e-09");
  CHECK(rounded_up(9.99991, 4) == "10");
}

TEST_CASE("rounded ends read back on their side and within a unit of the last digit", "[core][format]") {
  const int digits = GENERATE(1, 3, 8, 12);
  double value = 3e-307;
  for (int i = 0; i < 5000; ++i, value *= 1.33) {
    if (!(value < 1e307)) {
      break;
    }
    for (const double one : {value, -value}) {
      CAPTURE(one, digits);
      const double slack = 1.01e-13 * std::abs(one), unit = std::pow(10.0, 1.0 - digits) * std::abs(one);
      const double up = std::stod(rounded_up(one, digits)), down = std::stod(rounded_down(one, digits));
      REQUIRE(up >= one - slack);
      REQUIRE(up <= one + 1.0001 * unit);
      REQUIRE(down <= one + slack);
      REQUIRE(down >= one - 1.0001 * unit);
    }
  }
}
