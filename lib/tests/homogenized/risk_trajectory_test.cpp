// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/detail/risk_isotropic.hpp>
#include <dpcurves/homogenized/detail/risk_stationary.hpp>
#include <dpcurves/homogenized/detail/variance_ode.hpp>
#include <dpcurves/homogenized/gradient_flow.hpp>
#include <dpcurves/homogenized/risk_trajectory.hpp>

#include "homogenized/problems.hpp"
#include "homogenized/risk_secular.hpp"
#include "homogenized/volterra.hpp"
#include "support/support.hpp"

namespace {

using namespace dpcurves;
using homogenized::RiskTrajectory;
using models::LeastSquares;
using models::Schedule;
using models::Spectrum;

/// The problems of data/generate/noisy_hsgd_risk.py.
LeastSquares reference_problem(int number) {
  const std::vector<double> values{0.9, 0.0, 0.4};
  const std::vector<double> breaks{0.3, 1.1};
  const std::vector<double> times{0.0, 1.0, 2.0};
  const std::vector<double> rates{0.2, 1.2, 0.0};
  const std::vector<Schedule> schedules{Schedule::constant(0.7),
                                        Schedule::inverse_time(0.9, 2.0),
                                        Schedule::power(0.9, 3.0, 0.5),
                                        Schedule::exponential(0.9, 0.8),
                                        Schedule::cosine(0.9, 0.05, 3.0),
                                        Schedule::cosine(0.9, 0.0, 3.0),
                                        Schedule::warmup_cosine(0.8, 0.1, 0.5, 2.0),
                                        Schedule::table(times, rates),
                                        Schedule::piecewise_constant(values, breaks),
                                        Schedule::constant(0.01),
                                        Schedule::constant(2.5)};
  LeastSquares problem = test::three_eigenvalues(schedules.at(static_cast<std::size_t>(number)));
  if (number == 9) {
    const std::vector<double> stiff{2000.0, 1.0, 0.01};
    problem.spectrum = Spectrum::list(stiff);
    problem.dimension = 2000.0;
  } else if (number == 10) {
    problem.regularisation = 0.0;
    problem.dimension = 2.0;
  }
  return problem;
}

std::vector<Schedule> smooth_schedules() {
  return {Schedule::constant(0.8),         Schedule::inverse_time(1.2, 1.5),
          Schedule::power(1.2, 2.0, 0.5),  Schedule::exponential(1.0, 0.7),
          Schedule::cosine(1.0, 0.1, 2.0), Schedule::warmup_cosine(1.0, 0.0, 0.5, 2.0)};
}

}  // namespace

TEST_CASE("risks and variances agree with 32-digit solutions for every schedule", "[homogenized][risk][accuracy]") {
  test::Worst worst;
  for (const auto& row : test::reference_table("homogenized/risk_trajectory.csv")) {
    const LeastSquares problem = reference_problem(static_cast<int>(row.at("case")));
    const double t = row.at("t");
    // A horizon beyond t makes t an interior point of a step.
    const double horizon = std::min(problem.schedule.end(), 1.3 * t);
    const RiskTrajectory solved(problem, horizon);
    const double where = row.at("case") + 0.001 * t;
    // Growth by the factor e^k amplifies every step's rounding about k times; 1 for bounded runs.
    const double condition = 1.0 + std::log(std::max(1.0, row.at("risk")));
    worst.see(test::relative_error(solved.population_risk(t).value, row.at("risk")) / condition, where);
    worst.see(test::relative_error(solved.regularised_risk(t).value, row.at("regularised")) / condition, where);
    const Eigen::ArrayXd v = solved.variance(t);
    worst.see(test::relative_error(v[0], row.at("v1")) / condition, where);
    worst.see(test::relative_error(v[1], row.at("v2")) / condition, where);
    worst.see(test::relative_error(v[2], row.at("v3")) / condition, where);
  }
  INFO("worst " << worst.error << " at " << worst.at);
  CHECK(worst.error < 1e-11);  // the number in the header comment
}

TEST_CASE("the error estimate covers the true error", "[homogenized][risk][accuracy]") {
  for (const auto& row : test::reference_table("homogenized/risk_trajectory.csv")) {
    const LeastSquares problem = reference_problem(static_cast<int>(row.at("case")));
    for (const double tolerance : {1e-5, 1e-8, 1e-12}) {
      homogenized::TrajectoryOptions options;
      options.tolerance = tolerance;
      options.nodes = tolerance < 1e-6 ? 4 : 3;
      options.resolution = 1;
      const RiskTrajectory solved(problem, std::min(problem.schedule.end(), 1.1 * row.at("t")), options);
      const Estimate risk = solved.population_risk(row.at("t"));
      CAPTURE(row.at("case"), row.at("t"), tolerance, risk.value, solved.steps());
      CHECK(std::abs(risk.value - row.at("risk")) <= risk.error);
      const double grown = std::log(std::max(1.0, row.at("risk")));
      CHECK(risk.error <= (2.0 * tolerance + 2e-12 + 3e-12 * grown) * risk.value);  // and is not idle
    }
  }
}

TEST_CASE("a residual of the wrong kernel is not covered by the error estimate", "[homogenized][risk][control]") {
  // The same comparison as above with Phi in place of Phi^2 (half the rate): must fail, or the check proves nothing.
  LeastSquares problem = reference_problem(0);
  const RiskTrajectory solved(problem, 1.0);
  problem.schedule = Schedule::constant(0.35);
  const RiskTrajectory wrong(problem, 1.0);
  const Estimate risk = wrong.population_risk(1.0);
  CHECK(std::abs(risk.value - solved.population_risk(1.0).value) > 1e6 * risk.error);
}

TEST_CASE("compressed spectra give the risk of the full one", "[homogenized][risk]") {
  for (const double exponent : {0.6, 1.1}) {
    for (const auto& schedule : smooth_schedules()) {
      // 1500 eigenvalues are compressed; the Runge-Kutta method takes them all.
      LeastSquares problem = test::power_law(1500, exponent, schedule);
      const RiskTrajectory solved(problem, 2.0);
      CHECK(solved.kernel_terms() <= 32);
      const std::vector<double> times{0.1, 1.0, 2.0};
      const auto risks = homogenized::population_risk_by_ode(problem, times, 1e-11);
      for (std::size_t k = 0; k < times.size(); ++k) {
        CAPTURE(exponent, times[k]);
        CHECK(solved.population_risk(times[k]).value == Approx(risks[k]).epsilon(2e-9));
        const Eigen::ArrayXd v = solved.variance(times[k]);
        CHECK(solved.trace_variance(times[k]) == Approx(v.sum()).epsilon(1e-11));
        CHECK(solved.gradient_flow_risk(times[k]) + 0.5 * (problem.spectrum.eigenvalues() * v).sum() ==
              Approx(solved.population_risk(times[k]).value).epsilon(1e-11));
      }
    }
  }
}

TEST_CASE("the Volterra equation itself, by trapezoids and extrapolation, gives the same risk", "[homogenized][risk]") {
  const std::vector<double> rates{0.9, 0.2, 1.1}, jumps{0.3, 1.1};
  std::vector<Schedule> schedules = smooth_schedules();
  schedules.push_back(Schedule::piecewise_constant(rates, jumps));
  for (const auto& schedule : schedules) {
    const LeastSquares problem = test::three_eigenvalues(schedule);
    const homogenized::GradientFlow flow(problem);
    const Eigen::ArrayXd& lambda = problem.spectrum.eigenvalues();
    const auto gap = [&](double t, double s) { return schedule.integral(t) - schedule.integral(s); };
    const auto kernel = [&](double t, double s) {
      const double rate = schedule.rate(s);
      return rate * rate / problem.dimension * (lambda.square() * (-2.0 * flow.rates() * gap(t, s)).exp()).sum();
    };
    const RiskTrajectory solved(problem, 2.0);
    // the noise enters through the kernel of a constant source: solve for P(0) by setting sigma to 0
    const auto forcing = [&](double t) { return flow.population_risk(schedule.integral(t)); };
    std::vector<double> breaks = schedule.kinks();
    breaks.insert(breaks.begin(), 0.0);
    breaks.push_back(2.0);
    const Estimate risk = test::volterra_at_end(forcing, kernel, breaks, 40);
    CHECK(risk.error < 1e-6 * risk.value);
    CHECK(solved.population_risk(2.0, 0.0).value == Approx(risk.value).epsilon(1e-7));
  }
}

TEST_CASE("the risk is affine in the squared noise, and its inverse gives the noise back", "[homogenized][risk]") {
  LeastSquares problem = test::power_law(300, 0.8, Schedule::inverse_time(1.0, 1.0));
  const RiskTrajectory solved(problem, 3.0);
  for (const double noise : {0.0, 0.3, 5.0, 1000.0}) {
    problem.noise = noise;
    const double direct = RiskTrajectory(problem, 3.0).population_risk(3.0).value;
    CHECK(solved.population_risk(3.0, noise).value == Approx(direct).epsilon(1e-12));
    CHECK(homogenized::noise_for_risk(solved, 3.0, direct) == Approx(noise).margin(1e-5).epsilon(1e-9));
  }
  CHECK_THROWS_WITH(homogenized::noise_for_risk(solved, 3.0, 1e-9), Catch::Contains("risk"));
}

TEST_CASE("stiff, long and growing runs keep their accuracy", "[homogenized][risk][extreme]") {
  SECTION("a stiff power law against the closed form of the secular equation") {
    LeastSquares problem = test::power_law(400, 1.0, Schedule::constant(100.0));
    const RiskTrajectory solved(problem, 3.0);
    const test::SecularRisk exact(problem, 100.0);
    for (const double t : {1e-4, 1e-2, 0.3, 3.0}) {
      CHECK(solved.population_risk(t).value == Approx(exact.population_risk(t)).epsilon(1e-10));
    }
  }
  SECTION("a million units of time end at the plateau") {
    const LeastSquares problem = test::three_eigenvalues(Schedule::constant(0.7));
    const RiskTrajectory solved(problem, 1e6);
    const auto limit = homogenized::stationary_risk(problem, 0.7);
    CHECK(solved.population_risk(1e6).value == Approx(limit.population_risk).epsilon(1e-11));
    CHECK(solved.regularised_risk(1e6).value == Approx(limit.regularised_risk).epsilon(1e-11));
  }
  SECTION("past the end of the doubles only what the risk drives is infinite, with noise or without") {
    LeastSquares problem = test::three_eigenvalues(Schedule::constant(2.5));
    const std::vector<double> eigenvalues{2.0, 0.0, 0.3};
    problem.spectrum = Spectrum::list(eigenvalues);
    problem.dimension = 0.3;
    for (const double noise : {0.0, 0.6}) {
      problem.noise = noise;
      const RiskTrajectory solved(problem, 1000.0);
      REQUIRE(solved.diverges_at() < 1000.0);
      const Eigen::ArrayXd v = solved.variance(1000.0);
      CHECK(std::isinf(v[0]));
      CHECK(v[1] == Approx(2.5 * noise * noise / (2.0 * 0.1 * 0.3)).epsilon(1e-12));
      CHECK(std::isinf(solved.trace_variance(1000.0)));
      CHECK(std::isinf(solved.regularised_risk(1000.0).value));
    }
  }
  SECTION("growth up to the end of the doubles is followed, then named") {
    LeastSquares problem = test::power_law(50, 0.0, Schedule::constant(2.5));
    const homogenized::IsotropicRisk isotropic{2.0,
                                               problem.regularisation,
                                               problem.noise,
                                               2.5,
                                               problem.label_noise,
                                               problem.x0.square().sum(),
                                               (problem.x0 * problem.xtilde).sum(),
                                               problem.xtilde.square().sum()};
    const RiskTrajectory solved(problem, 40.0);
    const double exact = homogenized::population_risk(isotropic, 40.0);
    CHECK(exact > 1e250);
    const Estimate risk = solved.population_risk(40.0);
    CHECK(std::abs(risk.value - exact) <= risk.error);
    CHECK(risk.value == Approx(exact).epsilon(1e-9));
    CHECK(std::isinf(solved.diverges_at()));
    const RiskTrajectory beyond(problem, 100.0);
    CHECK(beyond.diverges_at() < 60.0);
    CHECK(std::isinf(beyond.population_risk(100.0).value));
    CHECK(std::isinf(beyond.variance(100.0)[0]));
  }
  SECTION("nothing moves where gamma is zero throughout") {
    const RiskTrajectory still(test::three_eigenvalues(Schedule::constant(0.0)), 5.0);
    CHECK(still.population_risk(5.0).value == Approx(1.471).epsilon(1e-15));
    CHECK(still.variance(5.0).maxCoeff() == 0.0);
  }
  SECTION("at time zero there is no noise yet") {
    const RiskTrajectory start(test::three_eigenvalues(Schedule::constant(0.7)), 0.0);
    CHECK(start.population_risk(0.0).value == Approx(1.471).epsilon(1e-15));
    CHECK(start.trace_variance(0.0) == 0.0);
  }
}

TEST_CASE("blocks of equal eigenvalues and the list of them are the same problem", "[homogenized][risk]") {
  LeastSquares listed = test::power_law(6, 0.0, Schedule::cosine(1.0, 0.0, 2.0));
  LeastSquares blocked = listed;
  const std::vector<double> value{listed.spectrum.eigenvalues()[0]};
  const std::vector<double> count{6.0};
  blocked.spectrum = Spectrum::blocks(value, count);
  LeastSquares reduced = blocked;
  reduced.products = models::block_products(blocked);
  reduced.x0.resize(0);
  reduced.xtilde.resize(0);
  for (const auto* other : {&blocked, &reduced}) {
    const RiskTrajectory a(listed, 2.0);
    const RiskTrajectory b(*other, 2.0);
    CHECK(a.population_risk(1.3).value == Approx(b.population_risk(1.3).value).epsilon(1e-13));
    CHECK(a.regularised_risk(1.3).value == Approx(b.regularised_risk(1.3).value).epsilon(1e-13));
    CHECK(a.variance(1.3)[0] == Approx(b.variance(1.3)[0]).epsilon(1e-13));
  }
  CHECK_THROWS_AS(RiskTrajectory(reduced, 2.0).mean(1.0), DomainError);
}

TEST_CASE("trajectories refuse impossible problems and times", "[homogenized][risk][errors]") {
  LeastSquares problem = test::three_eigenvalues(Schedule::cosine(0.9, 0.1, 3.0));
  CHECK_THROWS_WITH(RiskTrajectory(problem, 4.0), Catch::Contains("horizon = 4"));
  const RiskTrajectory solved(problem, 2.0);
  CHECK_THROWS_WITH(solved.population_risk(2.5), Catch::Contains("t = 2.5"));
  CHECK_THROWS_AS(solved.population_risk(-0.1), DomainError);
  problem.noise = -1.0;
  CHECK_THROWS_WITH(RiskTrajectory(problem, 1.0), Catch::Contains("noise = -1"));
  problem.noise = 1.0;
  problem.x0.resize(2);
  CHECK_THROWS_WITH(RiskTrajectory(problem, 1.0), Catch::Contains("x0"));
}
