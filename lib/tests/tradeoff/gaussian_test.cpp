// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::tradeoff;

TEST_CASE("G(mu) agrees with 400-digit references", "[tradeoff][accuracy]") {
  test::Worst error, power;
  for (auto& row : test::reference_table("tradeoff/gaussian.csv")) {
    const double a = row["type_one_error"], mu = row["mu"];
    error.see(test::relative_error(gaussian(a, mu), row["type_two_error"]), a);
    power.see(test::relative_error(gaussian_power(a, mu), row["power"]), a);
    CHECK(gaussian_enclosure(a, exactly(mu)).contains(row["type_two_error"]));
  }
  CAPTURE(error.at, power.at);
  CHECK(error.error < 1e-14);
  CHECK(power.error < 1e-14);
}

TEST_CASE("the Gaussian profile agrees with references of 80 to 6000 digits", "[tradeoff][accuracy]") {
  test::Worst value, complement, logarithm;
  for (auto& row : test::reference_table("tradeoff/delta.csv")) {
    const double epsilon = row["epsilon"], mu = row["mu"], delta = row["delta"];
    value.see(test::relative_error(delta_of_epsilon(epsilon, mu), delta), epsilon);
    complement.see(test::relative_error(one_minus_delta_of_epsilon(epsilon, mu), row["complement"]), epsilon);
    const double log_delta = delta < 0.5 ? std::log(delta) : std::log1p(-row["complement"]);
    logarithm.see(test::relative_error(log_delta_of_epsilon(epsilon, mu), log_delta), epsilon);
    CAPTURE(epsilon, mu);
    CHECK(delta_enclosure(epsilon, exactly(mu)).contains(delta));
  }
  CAPTURE(value.at, complement.at, logarithm.at);
  CHECK(value.error < 2e-14);
  CHECK(complement.error < 2e-14);
  CHECK(logarithm.error < 2e-14);
}

TEST_CASE("epsilon of delta agrees with 700-digit references", "[tradeoff][accuracy]") {
  test::Worst relative, near_zero;
  for (auto& row : test::reference_table("tradeoff/epsilon.csv")) {
    const double delta = row["delta"], mu = row["mu"], exact = row["epsilon"];
    const double got = epsilon_of_delta(delta, mu), unit = std::min(mu, 1.0);
    if (exact > 0.01 * unit) {
      relative.see(test::relative_error(got, exact), delta);
    } else {
      near_zero.see(std::abs(got - exact) / unit, delta);
    }
    const Enclosure bracket = epsilon_enclosure(delta, exactly(mu));
    CAPTURE(delta, mu, exact, bracket.lower, bracket.upper);
    CHECK(bracket.contains(exact));
    CHECK(bracket.relative_width() < 5e-16);
  }
  CAPTURE(relative.at, near_zero.at);
  CHECK(relative.error < 1e-12);
  CHECK(near_zero.error < 1e-14);
}

TEST_CASE("mu of epsilon and delta agrees with 700-digit references", "[tradeoff][accuracy]") {
  test::Worst worst;
  for (auto& row : test::reference_table("tradeoff/mu.csv")) {
    const double epsilon = row["epsilon"], delta = row["delta"], exact = row["mu"];
    worst.see(test::relative_error(mu_of_epsilon_delta(epsilon, delta), exact), epsilon);
    const Enclosure bracket = mu_enclosure(epsilon, delta);
    CAPTURE(epsilon, delta, exact, bracket.lower, bracket.upper);
    CHECK(bracket.contains(exact));
    CHECK(bracket.relative_width() < 5e-16);
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1e-13);
}

TEST_CASE("values of the specification where the plain form fails", "[tradeoff]") {
  CHECK(test::relative_error(delta_of_epsilon(900, 40), 0.005797462683011427) < 1e-14);
  CHECK(test::relative_error(delta_of_epsilon(150, 20), 0.9927919565629026) < 1e-14 * 50);
  CHECK(test::relative_error(delta_of_epsilon(1, 1), 0.12693673750664383) < 1e-14);
}

TEST_CASE("epsilon of delta undoes delta of epsilon", "[tradeoff][property]") {
  const double delta = GENERATE(1e-300, 1e-200, 1e-100, 1e-20, 1e-10, 1e-5, 1e-3, 0.1, 0.5);
  const double mu = GENERATE(0.01, 0.3, 1.0, 5.0, 30.0);
  const double epsilon = epsilon_of_delta(delta, mu);
  if (epsilon > 0.0) {
    CHECK(std::abs(log_delta_of_epsilon(epsilon, mu) - std::log(delta)) < 1e-12);
    CHECK(test::relative_error(mu_of_epsilon_delta(epsilon, delta), mu) < 1e-12);
  } else {
    CHECK(delta >= delta_of_epsilon(0.0, mu));
  }
}

TEST_CASE("G(mu) is its own inverse", "[tradeoff][property]") {
  const double mu = GENERATE(0.1, 1.0, 2.5);
  const double a = GENERATE(0.001, 0.02, 0.3, 0.5, 0.9);
  CHECK(test::relative_error(gaussian(gaussian(a, mu), mu), a) < 1e-13);
  CHECK(gaussian(a, mu) + gaussian_power(a, mu) == Approx(1.0).epsilon(1e-15));
  CHECK(test::relative_error(mu_of_point(a, gaussian(a, mu)), mu) < 1e-13);
}

TEST_CASE("the profile is the conjugate of the trade-off function", "[tradeoff][property]") {
  const double mu = GENERATE(0.2, 1.0, 3.0);
  const double epsilon = GENERATE(-1.0, 0.0, 0.5, 2.0);
  const double delta = delta_of_epsilon(epsilon, mu);
  double best = 0.0;
  for (int i = -400; i <= 400; ++i) {
    const double a = numerics::normal_upper_tail(0.02 * i);
    const double value = gaussian_power(a, mu) - std::exp(epsilon) * a;
    CHECK(value <= delta * (1.0 + 1e-13));
    best = std::max(best, value);
  }
  CHECK(best > delta - 1e-4);
}

TEST_CASE("the symmetry of the profile holds", "[tradeoff][property]") {
  const double mu = GENERATE(0.01, 1.0, 7.0);
  const double epsilon = GENERATE(0.001, 0.5, 3.0);
  CHECK(test::relative_error(1.0 - delta_of_epsilon(-epsilon, mu),
                             std::exp(-epsilon) * (1.0 - delta_of_epsilon(epsilon, mu))) < 1e-12);
}

TEST_CASE("delta falls with epsilon and rises with mu", "[tradeoff][property]") {
  double previous = 1.0;
  for (double epsilon = -5.0; epsilon < 8.0; epsilon += 0.125) {
    const double delta = delta_of_epsilon(epsilon, 1.3);
    CHECK(delta < previous);
    CHECK(delta_of_epsilon(epsilon, 1.4) > delta);
    previous = delta;
  }
}

TEST_CASE("intervals of mu widen what follows from them", "[tradeoff]") {
  const Enclosure mu{0.9, 1.1};
  const Enclosure delta = delta_enclosure(1.0, mu);
  CHECK(delta.lower == delta_enclosure(1.0, exactly(0.9)).lower);
  CHECK(delta.upper == delta_enclosure(1.0, exactly(1.1)).upper);
  CHECK(delta_enclosure(1.0, {0.5, infinity}).upper == 1.0);
  CHECK(gaussian_enclosure(0.2, {0.5, infinity}).lower == 0.0);
  const Enclosure epsilon = epsilon_enclosure(1e-5, mu);
  CHECK(epsilon.lower == epsilon_enclosure(1e-5, exactly(0.9)).lower);
  CHECK(epsilon.upper == epsilon_enclosure(1e-5, exactly(1.1)).upper);
  CHECK(epsilon_enclosure(1e-5, {0.5, infinity}).upper == infinity);
  CHECK(epsilon_enclosure(0.5, exactly(0.1)) == Enclosure{0.0, 0.0});
  CHECK(epsilon_enclosure(1e-5, exactly(0.0)) == Enclosure{0.0, 0.0});
  CHECK(delta_enclosure(1.0, exactly(0.0)) == Enclosure{0.0, 0.0});
  CHECK(delta_enclosure(-1.0, exactly(0.0)).contains(-std::expm1(-1.0)));
  CHECK(delta_enclosure(500.0, exactly(1.0)).upper > 0.0);
}

TEST_CASE("limits of the Gaussian trade-off function", "[tradeoff]") {
  CHECK(gaussian(0.0, 5.0) == 1.0);
  CHECK(gaussian(1.0, 5.0) == 0.0);
  CHECK(gaussian(0.3, 0.0) == 0.7);
  CHECK(delta_of_epsilon(infinity, 1.0) == 0.0);
  CHECK(delta_of_epsilon(-infinity, 1.0) == 1.0);
  CHECK(delta_of_epsilon(0.5, 0.0) == 0.0);
  CHECK(delta_of_epsilon(-0.5, 0.0) == -std::expm1(-0.5));
  CHECK(delta_of_epsilon(1e300, 1e-300) == 0.0);
  for (const double mu : {1e-18, 1.60614e-12, 1e-9, 1e-6}) {  // epsilon / mu is huge and so is its rounding
    for (const double epsilon : {0.861194, 2.98134, 14.8364}) {
      CHECK(delta_of_epsilon(epsilon, mu) == 0.0);
      CHECK(one_minus_delta_of_epsilon(epsilon, mu) == 1.0);
      CHECK(delta_of_epsilon(-epsilon, mu) == -std::expm1(-epsilon));
      CHECK(std::isfinite(log_delta_of_epsilon(epsilon, mu)));
    }
  }
  CHECK(log_delta_of_epsilon(100.0, 0.1) == Approx(-499963.6).epsilon(1e-4));
  CHECK(epsilon_of_delta(0.4, 1.0) == 0.0);
  CHECK(mu_of_epsilon_delta(0.0, 1e-300) == Approx(1e-300 * std::sqrt(2 * 3.14159265358979)));
  CHECK(mu_of_point(0.0, 1.0) == 0.0);
  CHECK(mu_of_point(0.0, 0.5) == infinity);
  CHECK(mu_of_point(0.9, 0.9) < 0.0);
}

TEST_CASE("pure DP and GDP convert into each other", "[tradeoff]") {
  const double epsilon = GENERATE(1e-12, 0.01, 0.999, 1.0, 5.0, 100.0, 5000.0);
  CHECK(test::relative_error(pure_dp_of_gdp(pure_dp_to_gdp(epsilon)), epsilon) < 2e-14);
  CHECK(pure_dp_to_gdp(0.0) == 0.0);
  CHECK(pure_dp_to_gdp(infinity) == infinity);
  CHECK(test::relative_error(pure_dp_to_gdp(1e-12), 1e-12 * std::sqrt(2 * 3.14159265358979323846) / 2) < 1e-14);
}

TEST_CASE("the pure DP and GDP bounds of the exponential mechanism cross at 0.676", "[tradeoff]") {
  const double threshold = 0.676389679640260203182843308821;
  CHECK(test::relative_error(pure_dp_of_gdp(2.0 * std::sqrt(threshold)), 2.0 * threshold) < 1e-14);
}

TEST_CASE("arguments of the Gaussian functions outside their domains name themselves", "[tradeoff][errors]") {
  const double nan = std::nan("");
  CHECK_THROWS_AS(gaussian(nan, 1.0), DomainError);
  CHECK_THROWS_WITH(gaussian(0.5, -2.0), Catch::Contains("mu = -2") && Catch::Contains("[0, inf)"));
  CHECK_THROWS_AS(gaussian_power(1.5, 1.0), DomainError);
  CHECK_THROWS_AS(delta_of_epsilon(nan, 1.0), DomainError);
  CHECK_THROWS_AS(epsilon_of_delta(0.0, 1.0), DomainError);
  CHECK_THROWS_AS(epsilon_of_delta(1.0, 1.0), DomainError);
  CHECK_THROWS_AS(mu_of_epsilon_delta(-1.0, 0.1), DomainError);
  CHECK_THROWS_AS(mu_of_point(0.5, nan), DomainError);
  CHECK_THROWS_AS(pure_dp_to_gdp(-1.0), DomainError);
  CHECK_THROWS_AS(delta_enclosure(1.0, {-1.0, 1.0}), DomainError);
}
