// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Exponential collocation of the risk equation on one grid, with the bound of its error.
///
/// Used by RiskTrajectory, which chooses grid and compression; see there for the equation.
#pragma once

#include <functional>
#include <vector>

#include <Eigen/Core>

#include <dpcurves/homogenized/collocation.hpp>
#include <dpcurves/models/schedule.hpp>

namespace dpcurves::homogenized {

/// Exponentials exp(-rate tau) with their weights in the kernels; the integrals of the solution against each of them
/// are the state of the equation.
struct KernelLines {
  Eigen::ArrayXd rates;        ///< 2 alpha, shape (lines)
  Eigen::ArrayXd kernel;       ///< lambda^2/d: response of P to the source P
  Eigen::ArrayXd noise;        ///< lambda/(2d): response of P to the source sigma^2
  Eigen::ArrayXd trace_risk;   ///< 2 lambda/d: response of sum v to the source P
  Eigen::ArrayXd trace_noise;  ///< 1/d: response of sum v to the source sigma^2
};

/// P = P(0) + sigma^2 D on a grid.
struct VolterraSolution {
  std::vector<CollocationStep> grid;  ///< the steps that were made
  Eigen::MatrixXd risk;               ///< P(0), shape (q x steps)
  Eigen::MatrixXd response;           ///< D, shape (q x steps)
  Eigen::MatrixXd risk_state;         ///< integrals with source P(0), shape (lines x steps + 1), at the steps' ends
  Eigen::MatrixXd response_state;     ///< integrals with source D
  Eigen::MatrixXd noise_state;        ///< integrals with source 1
  Eigen::ArrayXd risk_error;          ///< bound of |error of P(0)| on each step, shape (steps)
  Eigen::ArrayXd response_error;      ///< bound of |error of D| on each step
};

/// Solves with `forcing`(tau) = P_gf. Stops at the first step whose risk is not finite; the solution then has fewer
/// steps than the grid it was given.
[[nodiscard]] VolterraSolution solve_volterra(const models::Schedule& schedule, std::vector<CollocationStep> grid,
                                              int q, const KernelLines& lines,
                                              const std::function<double(double)>& forcing);

}  // namespace dpcurves::homogenized
