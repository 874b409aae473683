// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>
#include <dpcurves/tradeoff/subsampled_gaussian.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::tradeoff;

TEST_CASE("profiles and losses reach their limits: nothing sampled, no separation, infinite epsilon",
          "[tradeoff][subsampled]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto [p, mu] = GENERATE(std::pair{0.0, 1.0}, std::pair{0.3, 0.0});
  CHECK(subsampled_gaussian_delta_enclosure(0.5, p, mu) == exactly(0.0));
  CHECK(privacy_loss_atom(p, mu) == 1.0);
  CHECK(privacy_loss_cdf(0.0, p, mu) == 1.0);
  CHECK(privacy_loss_cdf(-1e-9, p, mu) == 0.0);
  CHECK(privacy_loss_upper_tail(0.0, p, mu) == 0.0);
  CHECK(privacy_loss_upper_tail(-1e-9, p, mu) == 1.0);
  CHECK(one_sided_delta_of_adding(-0.5, p, mu) == Approx(-std::expm1(-0.5)).epsilon(1e-14));
  for (const auto delta : {subsampled_gaussian_delta, one_sided_delta_of_adding, one_sided_delta_of_removing}) {
    CHECK(delta(infinity, 0.3, 1.0) == 0.0);
    CHECK(delta(-infinity, 0.3, 1.0) == 1.0);
    CHECK(delta(-700.0, 0.3, 1.0) == Approx(1.0).epsilon(1e-15));
  }
  const auto tiny = subsampled_gaussian_delta_enclosure(200.0, 0.01, 1.0);  // about exp(-20000)
  CHECK(tiny.lower == 0.0);
  CHECK(tiny.upper == std::numeric_limits<double>::denorm_min());
  CHECK(extremal_tradeoff(0.0, 0.4, 0.3, 1.0) == 1.0);
  CHECK(extremal_tradeoff(1.0, 0.4, 0.3, 1.0) == 0.0);
}

TEST_CASE("C_p(G(mu)) agrees with 400-digit references", "[subsampled][accuracy]") {
  test::Worst error, power;
  for (auto& row : test::reference_table("tradeoff/subsampled_gaussian.csv")) {
    const double a = row["type_one_error"], p = row["sampling_rate"], mu = row["mu"], exact = row["type_two_error"];
    const double got = subsampled_gaussian(a, p, mu);
    error.see(std::max(0.0, std::abs(got - exact) - 4e-16) / exact, a);
    const double got_power = subsampled_gaussian_power(a, p, mu);
    power.see(std::max(0.0, std::abs(got_power - row["power"]) - (a > 1e-3 ? 4e-16 : 0.0)) / row["power"], a);
  }
  CAPTURE(error.at, power.at);
  CHECK(error.error < 1e-12);
  CHECK(power.error < 1e-12);
}

TEST_CASE("the profile of C_p(G(mu)) agrees with 1200-digit references", "[subsampled][accuracy]") {
  test::Worst worst;
  for (auto& row : test::reference_table("tradeoff/subsampled_delta.csv")) {
    const double epsilon = row["epsilon"], p = row["sampling_rate"], mu = row["mu"], exact = row["delta"];
    worst.see(test::relative_error(subsampled_gaussian_delta(epsilon, p, mu), exact), epsilon);
    CAPTURE(epsilon, p, mu);
    CHECK(subsampled_gaussian_delta_enclosure(epsilon, p, mu).contains(exact));
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1e-12);
}

TEST_CASE("C_p(G(mu)) is its own inverse, convex and below the identity", "[subsampled][property]") {
  const double p = GENERATE(0.01, 0.25, 0.9);
  const double mu = GENERATE(0.3, 1.0, 2.5);
  double previous_slope = -std::numeric_limits<double>::infinity(), previous = 1.0;
  for (int i = 1; i <= 1000; ++i) {
    const double a = i / 1000.0, f = subsampled_gaussian(a, p, mu);
    CHECK(f <= 1.0 - a + 1e-15);
    const double slope = (f - previous) * 1000.0;
    CHECK(slope >= previous_slope - 1e-11);
    previous_slope = slope;
    previous = f;
    if (i < 1000) {
      CHECK(test::relative_error(subsampled_gaussian(f, p, mu), a) < 1e-11);
    }
  }
}

TEST_CASE("the profile of C_p(G(mu)) is its conjugate", "[subsampled][property]") {
  const double p = GENERATE(0.01, 0.25), mu = GENERATE(0.3, 2.5), epsilon = GENERATE(-0.7, 0.0, 0.1, 1.0);
  const double delta = subsampled_gaussian_delta(epsilon, p, mu);
  double best = 0.0;
  for (int i = -400; i <= 400; ++i) {
    const double a = numerics::normal_upper_tail(0.02 * i);
    const double value = subsampled_gaussian_power(a, p, mu) - std::exp(epsilon) * a;
    CHECK(value <= delta + 1e-15);
    best = std::max(best, value);
  }
  CHECK(best > delta - 1e-4);
}

TEST_CASE("subsampling everything or nothing", "[subsampled]") {
  CHECK(subsampled_gaussian(0.2, 1.0, 1.3) == gaussian(0.2, 1.3));
  CHECK(subsampled_gaussian(0.2, 0.0, 1.3) == 0.8);
  CHECK(subsampled_gaussian(0.2, 0.5, 0.0) == 0.8);
  CHECK(subsampled_gaussian_delta(0.3, 1.0, 1.3) == Approx(delta_of_epsilon(0.3, 1.3)).epsilon(1e-14));
  CHECK(subsampled_gaussian_delta(0.3, 0.0, 1.3) == 0.0);
  CHECK(subsampled_gaussian_delta(-0.3, 0.0, 1.3) == -std::expm1(-0.3));
  CHECK(privacy_loss_atom(1.0, 2.0) == 0.0);
}

TEST_CASE("the privacy loss has its atom at 0 and the mirror image under the other hypothesis", "[subsampled]") {
  const double p = GENERATE(1e-6, 0.025, 0.5), mu = GENERATE(0.1, 2.0 / 3, 3.0);
  const double before = privacy_loss_cdf(-1e-300, p, mu), at = privacy_loss_cdf(0.0, p, mu);
  CHECK(at - before == Approx(privacy_loss_atom(p, mu)).epsilon(1e-13));
  for (const double loss : {-0.2, -0.001, 0.0, 1e-6, 0.01, 1.0}) {
    CHECK(privacy_loss_cdf(loss, p, mu) + privacy_loss_upper_tail(loss, p, mu) == Approx(1.0).epsilon(1e-15));
  }
  // delta(e) = P_Q(Y > e) - exp(e) P_P(Y > e), and under P the loss is -Y.
  const double e = 0.02;
  CHECK(privacy_loss_upper_tail(e, p, mu) - std::exp(e) * privacy_loss_cdf(-e, p, mu) ==
        Approx(subsampled_gaussian_delta(e, p, mu)).epsilon(1e-10).margin(1e-16));
}

TEST_CASE("the extremal pairs lie above C_p(G(mu)) and touch it where the paper says", "[subsampled]") {
  const double p = 0.25, mu = 2.5;
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    for (int i = 1; i < 200; ++i) {
      const double a = i / 200.0;
      CHECK(extremal_tradeoff(a, share, p, mu) >= subsampled_gaussian(a, p, mu) - 1e-14);
    }
    const ErrorPair touch = extremal_pair((share - 0.5) * mu, share, p, mu);
    const double expected =
        p * numerics::normal_upper_tail(0.5 * mu) + (1.0 - p) * numerics::normal_upper_tail((share - 0.5) * mu);
    CHECK(touch.type_one_error == Approx(expected).epsilon(1e-13));
    CHECK(touch.type_two_error == Approx(subsampled_gaussian(touch.type_one_error, p, mu)).epsilon(1e-13));
    CHECK(extremal_tradeoff(touch.type_one_error, share, p, mu) == Approx(touch.type_two_error).epsilon(1e-13));
  }
  CHECK(extremal_tradeoff(0.3, 1.0, p, mu) == Approx(one_sided_subsampled_gaussian(0.3, p, mu)).epsilon(1e-13));
}

TEST_CASE("one-sided profiles are the divergences of the pair", "[subsampled]") {
  const double p = GENERATE(0.01, 0.4, 1.0), mu = GENERATE(0.5, 2.0), epsilon = GENERATE(-1.5, -0.3, 0.0, 0.2, 1.5);
  // Midpoint rule on densities; the integrand has kinks, so the rule has order two.
  double adding = 0.0, removing = 0.0;
  const double step = 1e-4;
  for (int i = 0; i < 260000; ++i) {
    const double x = -13.0 + (i + 0.5) * step;
    const double null = numerics::normal_density(x);
    const double mixture = (1.0 - p) * null + p * numerics::normal_density(x - mu);
    adding += step * std::max(0.0, mixture - std::exp(epsilon) * null);
    removing += step * std::max(0.0, null - std::exp(epsilon) * mixture);
  }
  CHECK(one_sided_delta_of_adding(epsilon, p, mu) == Approx(adding).margin(1e-8));
  CHECK(one_sided_delta_of_removing(epsilon, p, mu) == Approx(removing).margin(1e-8));
}

TEST_CASE("arguments of the subsampled functions outside their domains name themselves", "[subsampled][errors]") {
  CHECK_THROWS_WITH(subsampled_gaussian(0.5, 1.5, 1.0), Catch::Contains("sampling_rate = 1.5"));
  CHECK_THROWS_AS(subsampled_gaussian(-0.5, 0.5, 1.0), DomainError);
  CHECK_THROWS_AS(subsampled_gaussian_delta(std::nan(""), 0.5, 1.0), DomainError);
  CHECK_THROWS_AS(privacy_loss_cdf(0.0, 0.5, -1.0), DomainError);
  CHECK_THROWS_AS(extremal_pair(0.0, 2.0, 0.5, 1.0), DomainError);
}
