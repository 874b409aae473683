// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/schedule.hpp>
#include <dpcurves/numerics/quadrature.hpp>

#include "support/support.hpp"

namespace {

using dpcurves::models::Schedule;

const std::vector<double> values{0.9, 0.0, 0.4};
const std::vector<double> breaks{0.3, 1.1};
const std::vector<double> times{0.0, 0.5, 1.0, 2.5};
const std::vector<double> rates{0.0, 0.8, 0.0, 0.3};

std::vector<std::pair<std::string, Schedule>> every_schedule() {
  return {{"constant", Schedule::constant(0.7)},
          {"inverse time", Schedule::inverse_time(0.9, 2.0)},
          {"inverse time, slow", Schedule::inverse_time(0.9, 1e-12)},
          {"power one half", Schedule::power(0.9, 3.0, 0.5)},
          {"power near one", Schedule::power(0.9, 3.0, 1.0 + 1e-13)},
          {"power two", Schedule::power(0.9, 3.0, 2.0)},
          {"power growing", Schedule::power(0.2, 1.0, -1.0)},
          {"exponential", Schedule::exponential(0.9, 0.8)},
          {"cosine", Schedule::cosine(0.9, 0.05, 3.0)},
          {"cosine to zero", Schedule::cosine(0.9, 0.0, 2.0)},
          {"cosine from zero", Schedule::cosine(0.0, 0.9, 2.0)},
          {"warm-up", Schedule::warmup_cosine(0.8, 0.0, 0.5, 2.0)},
          {"steps", Schedule::piecewise_constant(values, breaks)},
          {"table", Schedule::table(times, rates)}};
}

}  // namespace

TEST_CASE("Gamma is the integral of gamma for every schedule", "[models][schedule]") {
  for (const auto& [name, schedule] : every_schedule()) {
    double sum = 0.0;
    double before = 0.0;
    const double last = std::min(2.0, schedule.end());
    for (const double t : {0.1, 0.3, 0.5, 0.7, 1.0, 1.1, 1.4, 1.9, last}) {
      sum += dpcurves::numerics::gauss_legendre([&](double u) { return schedule.rate(u); }, before, t, 24);
      before = t;
      CAPTURE(name, t);
      CHECK(schedule.integral(t) == Approx(sum).epsilon(4e-15 * 3.0).margin(1e-300));
    }
  }
}

TEST_CASE("the inverse of Gamma gives back the time wherever the step size is positive", "[models][schedule]") {
  for (const auto& [name, schedule] : every_schedule()) {
    for (const double t : {1e-9, 1e-3, 0.2, 0.7, 1.4, 1.99}) {
      const double tau = schedule.integral(t);
      const double back = schedule.inverse_integral(tau);
      CAPTURE(name, t, back);
      CHECK(schedule.integral(back) == Approx(tau).epsilon(1e-14).margin(1e-300));
      if (schedule.rate(t) > 0.0) {
        CHECK(back == Approx(t).epsilon(1e-13 + 4e-16 * tau / (t * schedule.rate(t))));
      }
    }
  }
}

TEST_CASE("a cosine keeps relative accuracy where it goes to zero", "[models][schedule]") {
  const auto down = Schedule::cosine(0.9, 0.0, 2.0);
  const double gap = std::ldexp(1.0, -30);
  const double angle = 0.25 * M_PI * gap;
  CHECK(down.rate(2.0 - gap) == Approx(0.9 * angle * angle).epsilon(1e-14));
  const auto up = Schedule::cosine(0.0, 0.9, 2.0);
  CHECK(up.integral(gap) == Approx(0.9 * M_PI * M_PI / 48.0 * gap * gap * gap).epsilon(1e-14));
}

TEST_CASE("pieces say where the schedule has kinks and zeros", "[models][schedule]") {
  const auto schedule = Schedule::warmup_cosine(0.8, 0.1, 0.5, 2.0);
  CHECK(schedule.kinks() == std::vector<double>{0.5});
  const auto pieces = schedule.pieces();
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].touches_zero);
  CHECK(pieces[1].touches_zero);
  CHECK(schedule.end() == 2.0);
  CHECK_FALSE(Schedule::constant(0.7).pieces()[0].touches_zero);
  CHECK_FALSE(Schedule::piecewise_constant(values, breaks).pieces()[1].touches_zero);  // it vanishes: nothing moves
}

TEST_CASE("schedules refuse parameters and times outside their domain", "[models][schedule][errors]") {
  CHECK_THROWS_AS(Schedule::constant(-1.0), dpcurves::DomainError);
  CHECK_THROWS_AS(Schedule::power(0.5, NAN, 1.0), dpcurves::DomainError);
  CHECK_THROWS_AS(Schedule::warmup_cosine(0.5, 0.1, 2.0, 2.0), dpcurves::DomainError);
  CHECK_THROWS_AS(Schedule::piecewise_constant(breaks, breaks), dpcurves::DomainError);
  CHECK_THROWS_AS(Schedule::table(breaks, breaks), dpcurves::DomainError);
  const auto schedule = Schedule::cosine(0.9, 0.1, 3.0);
  CHECK_THROWS_WITH(schedule.rate(3.5), Catch::Contains("t = 3.5"));
  CHECK_THROWS_AS(schedule.inverse_integral(10.0), dpcurves::DomainError);
  CHECK_THROWS_AS(Schedule::exponential(1.0, 1.0).inverse_integral(1.0), dpcurves::DomainError);
}
