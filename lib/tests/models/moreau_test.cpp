// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/moreau.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::models;

namespace {

/// The root of the increasing function by bisection in long double.
double bisected(const Link& link, double y, double beta, double m) {
  long double low = m - 4.0L / beta - 4.0L * std::abs(y) / beta - std::abs(m), high = 2.0L * m - low;
  for (int i = 0; i < 200; ++i) {
    const long double u = 0.5L * (low + high);
    const long double value = link.value(static_cast<double>(u));
    (value - y + static_cast<long double>(beta) * (u - m) < 0.0L ? low : high) = u;
  }
  return static_cast<double>(low);
}

}  // namespace

TEST_CASE("the proximal point solves its equation in fewer than fifty evaluations", "[models][accuracy]") {
  int most = 0;
  for (const LinkKind kind : all_links()) {
    for (const double slope : {0.3, 1.0, 50.0}) {
      const Link link = make_link(kind, slope);
      for (const double beta : {1e-3, 0.5, 2.0, 64.0, 1e6}) {
        for (const double m : {-30.0, -1.0, -1e-3, 0.0, 0.7, 4.0}) {
          for (const double y : {-1.0, -0.4, 0.0, 0.3, 1.0}) {
            CAPTURE(to_string(kind), slope, beta, m, y);
            const auto p = prox(link, y, beta, m);
            const double exact = bisected(link, y, beta, m);
            // The value of the link has a relative error of 1e-15, which moves the root by as much over beta + link'.
            const double value_error = 1e-15 * std::max(std::abs(link.value(exact)), std::abs(y));
            const double allowed =
                1e-15 * std::max(std::abs(m), std::abs(exact)) +
                4.0 * value_error / (beta + std::min(link.derivative(exact), link.derivative(p.point)));
            REQUIRE(std::abs(p.point - exact) <= allowed + 1e-40);
            REQUIRE(p.slope ==
                    Approx(beta * (m - p.point)).margin(4e-16 * beta * std::max(std::abs(m), std::abs(exact))));
            most = std::max(most, p.evaluations);
          }
        }
      }
    }
  }
  CAPTURE(most);
  CHECK(most < 50);
  CHECK(most > 5);
}

TEST_CASE("sign, hard-tanh and relu have their proximal points in closed form", "[models]") {
  const Link sign = make_link(LinkKind::sign);
  CHECK(prox(sign, 0.25, 2.0, 3.0).point == 3.0 - 0.375);
  CHECK(prox(sign, 0.25, 2.0, -3.0).point == -3.0 + 0.625);
  CHECK(prox(sign, 0.25, 2.0, 0.25).point == 0.0);
  CHECK(prox(sign, 0.25, 2.0, 0.25).slope == 0.5);
  const Link hard = make_link(LinkKind::hard_tanh);
  CHECK(prox(hard, 0.5, 2.0, 4.0).point == 3.75);
  CHECK(prox(hard, 0.5, 2.0, -4.0).point == -3.25);
  CHECK(prox(hard, 0.5, 2.0, 0.5).point == Approx(0.5));
  const Link relu = make_link(LinkKind::relu);
  CHECK(prox(relu, 0.2, 1.0, 1.0).point == Approx(0.6));
  CHECK(prox(relu, -1.0, 2.0, 0.3).point == Approx(-0.2));
  CHECK(prox(relu, -1.0, 2.0, 0.3).evaluations == 0);
}

TEST_CASE("the envelope of a linear piece is known exactly", "[models]") {
  // Far out the hard-tanh surrogate is s u - 1/2: prox = m - s/beta, envelope s m - 1/2 - s^2/(2 beta).
  const Link link = make_link(LinkKind::hard_tanh);
  const double y = -0.5, s = 1.5, beta = 0.5, m = 40.0;
  CHECK(prox(link, y, beta, m).point == Approx(m - s / beta));
  CHECK(moreau_envelope(link, y, beta, m) == Approx(s * m - 0.5 - s * s / (2.0 * beta)).epsilon(1e-14));
  CHECK(moreau_gap(link, y, beta, m) == Approx(s * s / (2.0 * beta)).epsilon(1e-14));
}

TEST_CASE("the envelope lies below the loss by at most the square of the slope over 2 beta", "[models][property]") {
  for (const LinkKind kind : {LinkKind::tanh, LinkKind::hard_tanh, LinkKind::sign, LinkKind::sigmoid, LinkKind::relu}) {
    const Link link = make_link(kind);
    for (const double beta : {0.5, 2.0, 20.0}) {
      for (double m = -8.0; m <= 8.0; m += 0.0625) {
        CAPTURE(to_string(kind), beta, m);
        const double y = kind == LinkKind::relu ? 0.4 : -1.0;
        const double gap = moreau_gap(link, y, beta, m);
        const double direct = surrogate_loss(link, m, y) - moreau_envelope(link, y, beta, m);
        REQUIRE(gap == Approx(direct).margin(1e-12));
        const double sup = std::max(std::abs(link.value(m) - y), std::abs(prox(link, y, beta, m).slope));
        REQUIRE(gap <= sup * sup / (2.0 * beta) * (1.0 + 1e-12));
      }
    }
  }
  // Tight: tanh with y = -1, where the slope tends to 2.
  CHECK(moreau_gap(make_link(LinkKind::tanh), -1.0, 2.0, 12.0) == Approx(1.0).epsilon(1e-7));
}

TEST_CASE("the derivative of the envelope is its difference quotient", "[models][property]") {
  for (const LinkKind kind : {LinkKind::tanh, LinkKind::probit, LinkKind::arctan}) {
    const Link link = make_link(kind, 3.0);
    for (const double m : {-1.0, 0.2, 2.0}) {
      const double h = 1e-5;
      const double quotient =
          (moreau_envelope(link, 0.3, 2.0, m + h) - moreau_envelope(link, 0.3, 2.0, m - h)) / (2.0 * h);
      CHECK(prox(link, 0.3, 2.0, m).slope == Approx(quotient).margin(1e-9));
    }
  }
}

TEST_CASE("the slope keeps its digits where beta is huge or tiny", "[models][accuracy]") {
  const Link link = make_link(LinkKind::tanh);
  // beta = 1e12: prox = m - 1e-12 link'..., and beta (m - prox) would have no more than four digits.
  CHECK(prox(link, 0.3, 1e12, 0.7).slope == Approx(std::tanh(0.7) - 0.3).epsilon(2e-12));
  // beta = 1e-12: the loss is minimised, link(u) = y, and beta (m - u) is all that is left.
  CHECK(prox(link, 0.3, 1e-12, 0.7).slope == Approx(1e-12 * (0.7 - std::atanh(0.3))).epsilon(1e-11));
  // tanh(u) + 1 = 2 exp(2 u) = 1e-300 (5 - u), and a label that the link never reaches.
  CHECK(prox(link, -1.0, 1e-300, 5.0).point == Approx(0.5 * std::log(0.5e-300 * 347.9)).epsilon(1e-3));
  CHECK(prox(link, -1.0, 1e-300, 5.0).evaluations < 50);
  CHECK(prox(make_link(LinkKind::arctan), 2.0, 1e-290, 5.0).evaluations < 50);
  CHECK(prox(link, 5.0, 1e-200, 0.0).point == Approx(4e200));
}

TEST_CASE("the search ends at every pair of magnitudes", "[models][property]") {
  // beta + slope overflows, and the least distance that is possible underflows.
  CHECK(std::abs(prox(make_link(LinkKind::tanh, 1e308), 0.3, 1e308, 0.2).slope) < 2.0);
  CHECK(prox(make_link(LinkKind::tanh), 1e-30, 1e300, 0.0).slope == Approx(-1e-30).epsilon(1e-12));
  CHECK(prox(make_link(LinkKind::tanh, 1e290), 1e-10, 1e300, 0.0).slope == Approx(-1e-10).epsilon(1e-9));
  CHECK(prox(make_link(LinkKind::tanh, 1e300), 1e-20, 1e300, 0.0).slope == Approx(-0.5e-20).epsilon(1e-9));
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> share(-1.0, 1.0), point(-3.0, 3.0);
  for (std::size_t i = 0; i < 20000; ++i) {
    const auto magnitude = [&](double most) { return std::pow(10.0, most * share(random)); };
    const double slope = magnitude(307.0), beta = magnitude(307.0), at = point(random) * magnitude(100.0),
                 label = point(random);
    const auto kind = std::array{LinkKind::tanh, LinkKind::sigmoid, LinkKind::erf, LinkKind::arctan}[i % 4];
    CAPTURE(slope, beta, at, label, i % 4);
    try {
      const auto found = prox(make_link(kind, slope), label, beta, at);
      CHECK(std::isfinite(found.point));
      CHECK(std::abs(found.slope) <= 6.0);
      CHECK(found.evaluations < 200);
    } catch (const DomainError&) {  // the point lies beyond 1e300
    }
  }
}

TEST_CASE("the paper's oracle comes as near as Lemma 6 says, and the steps are those it prints", "[models]") {
  CHECK(oracle_steps(1.0, 0.1) == 14400.0);
  CHECK(oracle_steps(0.5, 0.001) == 36000000.0);
  CHECK(oracle_steps(1e-200, 1e200) == 1.0);
  CHECK(std::isinf(oracle_steps(1e200, 1e-200)));
  CHECK(oracle_error_bound(1.0, 14400.0) == Approx(0.09999652795861222));
  for (const LinkKind kind : {LinkKind::tanh, LinkKind::hard_tanh, LinkKind::sign}) {
    const Link link = make_link(kind);
    for (const double m : {-3.0, -0.2, 0.0, 0.4, 2.0}) {
      for (const std::uint64_t steps : {10U, 1000U}) {
        const double error = oracle_slope(link, 0.3, 1.0, 2.0, m, steps) - prox(link, 0.3, 2.0, m).slope;
        CHECK(std::abs(error) <= oracle_error_bound(1.0, static_cast<double>(steps)));
      }
    }
  }
}

TEST_CASE("the envelope refuses parameters outside their range by name", "[models][errors]") {
  const Link link = make_link(LinkKind::tanh);
  CHECK_THROWS_WITH(prox(link, 0.0, 0.0, 0.0), Catch::Contains("beta = 0"));
  CHECK_THROWS_WITH(prox(link, std::nan(""), 1.0, 0.0), Catch::Contains("y = nan"));
  CHECK_THROWS_WITH(prox(link, 0.0, 1.0, HUGE_VAL), Catch::Contains("m = inf"));
  CHECK_THROWS_WITH(prox(link, 5.0, 5e-324, 0.0), Catch::Contains("beta"));
  CHECK_THROWS_WITH(oracle_steps(0.0, 1.0), Catch::Contains("B = 0"));
  CHECK_THROWS_AS(oracle_slope(link, 0.0, 1.0, 1.0, 0.0, 0), DomainError);
}
