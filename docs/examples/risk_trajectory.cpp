// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The expected risk of noisy SGD on least squares along one pass: a Volterra equation, solved with its error.
#include <cmath>
#include <cstdio>

#include <dpcurves/homogenized/risk_trajectory.hpp>

using namespace dpcurves;

int main() {
  models::LeastSquares problem;
  problem.spectrum = models::Spectrum::power_law(200, 1.0, 1.0);
  problem.x0 = Eigen::ArrayXd::Zero(200);
  problem.xtilde = Eigen::ArrayXd::Constant(200, 1.0 / std::sqrt(200.0));
  problem.label_noise = 0.01;
  problem.dimension = 200;
  problem.noise = 0.1;  // added to every gradient
  problem.schedule = models::Schedule::constant(0.5);
  const homogenized::RiskTrajectory risk(problem, 10.0);
  for (const double t : {0.0, 1.0, 3.0, 10.0}) {
    const Estimate here = risk.population_risk(t);
    std::printf("step %5.0f: risk %.10f within %.0e, without privacy %.10f\n", t * problem.dimension, here.value,
                here.error, risk.population_risk(t, 0.0).value);
  }
}
