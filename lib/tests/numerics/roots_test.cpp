// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <support/support.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/roots.hpp>

using namespace dpcurves;

TEST_CASE("a root is enclosed to full precision", "[numerics][roots]") {
  const double exact = GENERATE(1e-8, 0.3, 1.0, 7.5, 1e6);
  const Enclosure found = numerics::root([exact](double x) { return std::log(x / exact); }, 1e-12, 1e9);
  CHECK(found.lower <= exact * (1 + 1e-15));
  CHECK(found.upper >= exact * (1 - 1e-15));
  CHECK(found.relative_width() < 1e-15);
}

TEST_CASE("infinite values still have a sign", "[numerics][roots]") {
  const Enclosure found = numerics::root([](double x) { return std::log(x); }, 0.0, 3.0);
  CHECK(std::abs(found.middle() - 1.0) < 1e-15);
}

TEST_CASE("a root at an end of the interval is exact", "[numerics][roots]") {
  const auto line = [](double x) { return x - 2.0; };
  CHECK(numerics::root(line, 2.0, 5.0) == exactly(2.0));
  CHECK(numerics::root(line, -1.0, 2.0) == exactly(2.0));
}

TEST_CASE("a root that is not bracketed says so", "[numerics][roots][errors]") {
  CHECK_THROWS_WITH(numerics::root([](double x) { return x * x + 1.0; }, -1.0, 2.0),
                    Catch::Contains("not bracketed") && Catch::Contains("5"));
  CHECK_THROWS_AS(numerics::root([](double) { return std::nan(""); }, -1.0, 2.0), ConvergenceError);
  CHECK_THROWS_AS(numerics::root([](double x) { return x; }, 2.0, -1.0), DomainError);
  CHECK_THROWS_AS(numerics::root([](double x) { return x; }, std::nan(""), 1.0), DomainError);
}

TEST_CASE("a scale is found within 2 percent, or the end that is nearest", "[numerics][roots]") {
  const auto above = [](double at) { return [at](double x) { return std::log(x / at); }; };
  for (const double at : {3e-6, 0.7, 5e4}) {
    CHECK(std::abs(std::log(numerics::rising_root(above(at), 1e-6, 1.0, 1e8) / at)) < 0.02);
  }
  CHECK(numerics::rising_root(above(1e-9), 1e-6, 1.0, 1e8) < 1.03e-6);
  CHECK(numerics::rising_root(above(1e12), 1e-6, 1.0, 1e8) > 1e8);
}
