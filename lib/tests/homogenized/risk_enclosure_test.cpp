// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/detail/risk_enclosure.hpp>

#include "homogenized/problems.hpp"
#include "homogenized/risk_secular.hpp"
#include "support/support.hpp"

namespace {

using namespace dpcurves;
using homogenized::RiskEnclosure;
using homogenized::RiskTrajectory;
using models::LeastSquares;
using models::Schedule;

const std::vector<double> times{0.02, 0.3, 1.0, 2.0};

}  // namespace

TEST_CASE("bounds of the risk from few nodes hold the closed form of the secular equation", "[homogenized][risk]") {
  for (const auto& [exponent, rate] : {std::pair{0.6, 1.0}, {1.1, 3.0}, {1.0, 60.0}}) {
    const LeastSquares problem = test::power_law(400, exponent, Schedule::constant(rate));
    const test::SecularRisk exact(problem, rate);
    double before = std::numeric_limits<double>::infinity();
    for (const int nodes : {2, 4, 8, 16}) {
      const RiskEnclosure bounds(problem, 2.0, nodes);
      double widest = 0.0;
      for (const double t : times) {
        const Enclosure risk = bounds.population_risk(t);
        CAPTURE(exponent, rate, nodes, t, risk.lower, risk.upper);
        // The closed form has about 13 digits.
        CHECK(risk.lower <= exact.population_risk(t) * (1.0 + 1e-13));
        CHECK(risk.upper >= exact.population_risk(t) * (1.0 - 1e-13));
        widest = std::max(widest, risk.relative_width());
      }
      CHECK(widest < before);
      before = widest;
    }
    CHECK(before < (rate < 10.0 ? 1e-9 : 1e-2));
  }
}

TEST_CASE("bounds of the risk hold that of the whole spectrum for every schedule and noise", "[homogenized][risk]") {
  const std::vector<double> rates{0.9, 0.2, 1.1}, jumps{0.3, 1.1};
  for (const auto& schedule :
       {Schedule::exponential(1.0, 0.7), Schedule::cosine(1.0, 0.0, 2.0), Schedule::warmup_cosine(1.0, 0.0, 0.5, 2.0),
        Schedule::piecewise_constant(rates, jumps)}) {
    for (const Eigen::Index size :
         {120, 700}) {  // 120: solved with all eigenvalues; 700: the forcing is compressed, too
      const LeastSquares problem = test::power_law(size, 0.8, schedule);
      const RiskTrajectory whole(problem, 2.0);
      const RiskEnclosure bounds(problem, 2.0, 5);
      for (const double noise : {0.0, 0.7, 20.0}) {
        for (const double t : times) {
          const Estimate risk = whole.population_risk(t, noise);
          const Enclosure found = bounds.population_risk(t, noise);
          CAPTURE(size, noise, t, risk.value, found.lower, found.upper);
          CHECK(found.lower <= risk.value + risk.error);
          CHECK(found.upper >= risk.value - risk.error);
          CHECK(found.relative_width() < 1e-3);
        }
      }
    }
  }
}

TEST_CASE("the risk of another spectrum is outside of the bounds", "[homogenized][risk][control]") {
  const LeastSquares problem = test::power_law(400, 0.6, Schedule::constant(1.0));
  LeastSquares other = problem;
  other.spectrum = models::Spectrum::power_law(400, 2.0002, 0.6);
  const RiskEnclosure bounds(problem, 2.0, 16);
  for (const double t : times) {
    CHECK_FALSE(bounds.population_risk(t).contains(RiskTrajectory(other, 2.0).population_risk(t).value));
  }
}

TEST_CASE("with a node for every eigenvalue the bounds meet, and growing risks keep theirs", "[homogenized][risk]") {
  LeastSquares problem = test::three_eigenvalues(Schedule::constant(0.7));
  CHECK(RiskEnclosure(problem, 2.0, 3).population_risk(2.0).relative_width() < 1e-11);
  CHECK(RiskEnclosure(problem, 2.0, 1).population_risk(2.0).relative_width() > 1e-3);
  CHECK_THROWS_WITH(RiskEnclosure(problem, 2.0, 0), Catch::Contains("nodes"));
  problem.schedule = Schedule::constant(60.0);
  const RiskEnclosure growing(problem, 50.0, 2);
  const Enclosure risk = growing.population_risk(50.0);
  CHECK(risk.lower > 1e300);
  CHECK(std::isinf(risk.upper));
}
