// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The variances of Theorem 4.2 by an adaptive Runge-Kutta method: an independent check of RiskTrajectory.
#pragma once

#include <span>
#include <vector>

#include <dpcurves/models/least_squares.hpp>

namespace dpcurves::homogenized {

/// P_t at ascending times by Dormand-Prince 5 on one variance per block, restarted at the kinks of the schedule.
///
/// \param tolerance  of a step, relative, and relative to the source of the variances, in [1e-14, 1).
/// \throws DomainError  unless the problem is valid and the times ascend within the schedule.
/// \throws ConvergenceError  if it takes more than ten million steps (stiff problems).
/// Accuracy: about ten times the tolerance. Cost: O(blocks) per evaluation, some 200 to 3000 evaluations.
[[nodiscard]] std::vector<double> population_risk_by_ode(const models::LeastSquares& problem,
                                                         std::span<const double> times, double tolerance = 1e-12);

}  // namespace dpcurves::homogenized
