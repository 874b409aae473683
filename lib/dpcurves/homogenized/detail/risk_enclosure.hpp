// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Two-sided bounds of the expected risk from a few exponentials in place of the spectrum.
///
/// The Volterra equation is monotone in its nonnegative kernel and in its forcing. Solved with Gauss rules it gives a
/// risk that is not above the true one, with Gauss-Radau rules one that is not below: P^G <= P <= P^R.
///
/// Source: derived for this project from Theorem 4.2 of Lin, Kolaczyk, Smith and Paquette.
#pragma once

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/homogenized/risk_trajectory.hpp>
#include <dpcurves/models/least_squares.hpp>

namespace dpcurves::homogenized {

/// The two solutions.
class RiskEnclosure {
 public:
  /// \param nodes    of the Gauss rules of the kernels, >= 1: the more, the narrower. With as many nodes as different
  ///                 eigenvalues the ends differ by the error of the solver only.
  /// \param options  of the two solutions; the rule of the spectrum in it is replaced.
  /// \throws as RiskTrajectory; DomainError  unless nodes >= 1. Cost: that of two trajectories.
  RiskEnclosure(const models::LeastSquares& problem, double horizon, int nodes, TrajectoryOptions options = {});

  /// P_t at t in [0, horizon], error estimated: the rules' errors have known signs, but the error of the solver, by
  /// which the ends are moved apart, comes from residuals sampled within every step.
  [[nodiscard]] Enclosure population_risk(double t) const;
  /// For another noise sigma >= 0 than the problem's.
  [[nodiscard]] Enclosure population_risk(double t, double noise) const;

 private:
  RiskTrajectory lower_, upper_;
};

}  // namespace dpcurves::homogenized
