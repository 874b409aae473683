// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Least-squares problems that several tests of homogenised SGD share.
#pragma once

#include <cmath>
#include <vector>

#include <dpcurves/models/least_squares.hpp>

namespace dpcurves::test {

/// Eigenvalues 2, 1, 0.3 with d = 3: the problem of the reference vectors.
inline models::LeastSquares three_eigenvalues(models::Schedule schedule) {
  models::LeastSquares problem;
  const std::vector<double> eigenvalues{2.0, 1.0, 0.3};
  problem.spectrum = models::Spectrum::list(eigenvalues);
  problem.x0.resize(3);
  problem.x0 << 1.0, -0.5, 0.8;
  problem.xtilde.resize(3);
  problem.xtilde << 0.3, 0.7, -0.4;
  problem.label_noise = 0.09;
  problem.regularisation = 0.1;
  problem.noise = 0.6;
  problem.dimension = 3.0;
  problem.schedule = std::move(schedule);
  return problem;
}

/// lambda_i = 2 i^-exponent, i = 1..size = d.
inline models::LeastSquares power_law(Eigen::Index size, double exponent, models::Schedule schedule) {
  models::LeastSquares problem;
  const auto d = static_cast<double>(size);
  problem.spectrum = models::Spectrum::power_law(static_cast<std::size_t>(size), 2.0, exponent);
  problem.x0 = Eigen::ArrayXd::Constant(size, 1.0 / std::sqrt(d));
  problem.xtilde = 1.2 / std::sqrt(d) * Eigen::ArrayXd::LinSpaced(size, 1.0, d).cos();
  problem.label_noise = 0.05;
  problem.regularisation = 0.02;
  problem.noise = 0.7;
  problem.dimension = d;
  problem.schedule = std::move(schedule);
  return problem;
}

}  // namespace dpcurves::test
