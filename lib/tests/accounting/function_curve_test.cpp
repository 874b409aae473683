// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Privacy curves as trade-off functions and back.
#include <cmath>

#include <dpcurves/accounting/function_curve.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using accounting::function_curve;
using accounting::tradeoff_function;

namespace {

const std::vector<double> rates{0.0, 1e-200, 1e-9, 1e-4, 0.01, 0.1, 0.3, 0.5, 0.8, 0.99, 1.0};

accounting::CurvePtr subsampled_steps() {
  accounting::Composition steps;
  steps.components = {{0.01, 2.0, 500.0}};
  return accounting::composition_curve(steps);
}

}  // namespace

TEST_CASE("the function of a Gaussian curve lies below G_mu, and no further than the header says",
          "[accounting][accuracy]") {
  const double mu = GENERATE(0.1, 1.0, 6.0);
  const auto curve = accounting::gaussian_curve(exactly(mu));
  const auto coarse = tradeoff_function(*curve), fine = tradeoff_function(*curve, 2000);
  for (double a = 0.0; a <= 1.0; a += 1.0 / 512.0) {
    CAPTURE(mu, a);
    const double exact = tradeoff::gaussian(a, mu);
    CHECK(coarse(a) <= exact);
    CHECK(fine(a) <= exact);
    if (mu == 1.0) {
      CHECK(coarse(a) > exact - 1e-4);
      CHECK(fine(a) > exact - 4e-6);
    }
  }
}

TEST_CASE("the function of a composition lies below its trade-off function", "[accounting][property]") {
  const auto curve = subsampled_steps();
  const auto f = tradeoff_function(*curve);
  const auto exact = curve->type_two_errors(rates);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    CAPTURE(rates[i], f(rates[i]), exact[i].lower, exact[i].upper);
    CHECK(f(rates[i]) <= exact[i].upper);
    CHECK(f(rates[i]) > exact[i].lower - 1e-3);
  }
}

TEST_CASE("a curve that went through a function promises less, and hardly less", "[accounting][property]") {
  const auto curve =
      GENERATE(accounting::gaussian_curve(exactly(1.0)), subsampled_steps(), accounting::pure_curve(0.7));
  const auto back = function_curve(tradeoff_function(*curve, 2000));
  for (const double epsilon : {-1.0, 0.0, 0.3, 1.0}) {
    CAPTURE(epsilon);
    CHECK(back->delta(epsilon).value.upper >= curve->delta(epsilon).value.lower);
    CHECK(back->delta(epsilon).value.upper < curve->delta(epsilon).value.upper + 1e-5);
  }
  CHECK(back->epsilon(1e-6).value.upper >= curve->epsilon(1e-6).value.lower);
  CHECK(back->epsilon(1e-6).value.upper < curve->epsilon(1e-6).value.upper + 0.01);
}

TEST_CASE("two releases as functions cost what their composition costs", "[accounting][property]") {
  const auto one = tradeoff_function(*accounting::gaussian_curve(exactly(0.6)), 1500);
  const auto both = function_curve(tradeoff::tensor(one, one));
  const double exact = tradeoff::delta_enclosure(0.5, exactly(0.6 * std::sqrt(2.0))).upper;
  CHECK(both->delta(0.5).value.upper >= exact);
  CHECK(both->delta(0.5).value.upper < exact + 1e-5);
}

TEST_CASE("a Gaussian function is a Gaussian curve again", "[accounting]") {
  const auto curve = function_curve(tradeoff::gaussian_function(0.5));
  REQUIRE(curve->mu());
  CHECK(curve->mu()->upper == 0.5);
}

TEST_CASE("the epsilon of a function is where its profile reaches delta", "[accounting]") {
  const auto curve = function_curve(tradeoff::approximate_dp_function(1.25, 1e-6));
  CHECK(std::abs(curve->epsilon(1e-6 * (1.0 + 1e-9)).value.upper - 1.25) < 1e-6);
  CHECK(curve->epsilon(1e-7).value.upper == std::numeric_limits<double>::infinity());
  CHECK(curve->epsilon(0.9).value.upper == 0.0);
  CHECK(curve->type_two_errors(std::vector{0.0}).front().lower <= 1.0 - 1e-6);
}

TEST_CASE("arguments of the conversions outside their domain name themselves", "[accounting][errors]") {
  const auto curve = accounting::gaussian_curve(exactly(1.0));
  CHECK_THROWS_WITH(tradeoff_function(*curve, 1), Catch::Contains("points = 1"));
  const auto function = function_curve(tradeoff_function(*curve, 10));
  CHECK_THROWS_AS(function->epsilon(0.0), DomainError);
  CHECK_THROWS_AS(function->renyi(1.0), DomainError);
}
