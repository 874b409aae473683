// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The normal law of linear HSGD at any times: what the Renyi losses read.
///
/// Source: Lin, Kolaczyk, Smith and Paquette, "High-Dimensional Privacy-Utility Dynamics of Noisy Stochastic Gradient
/// Descent on Least Squares", (9) and (10). The law is that of the equation with the risk in the noise replaced by its
/// mean; it has the mean and the covariance of noisy HSGD, but is not its law.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <dpcurves/homogenized/release.hpp>
#include <dpcurves/homogenized/risk_trajectory.hpp>
#include <dpcurves/models/least_squares.hpp>

namespace dpcurves::homogenized {

/// States of one problem at requested times.
class HsgdLaw {
 public:
  /// The law whose mean risk P_t solves the Volterra equation on [0, horizon]. \throws DomainError as RiskTrajectory.
  HsgdLaw(models::LeastSquares problem, double horizon);

  /// The law driven by a given mean risk: variances v' = -2 gamma a v + (gamma^2/d)(2 P_t lambda + sigma^2).
  /// \param scale      length of time over which P_t is smooth, > 0.
  /// \param settling   P_t is smooth over `settling` t, too: 0, or 1/4 for transients that have decayed by then.
  HsgdLaw(models::LeastSquares problem, std::function<double(double)> risk, double scale, double settling = 0.0);

  /// The problem whose law this is.
  [[nodiscard]] const models::LeastSquares& problem() const { return problem_; }
  /// The solved risks; empty if the risk was given.
  [[nodiscard]] const std::optional<RiskTrajectory>& trajectory() const { return trajectory_; }

  /// The states at ascending times >= 0. \throws DomainError outside the horizon or the schedule, and where the
  /// risk has left the range of doubles.
  /// Cost: O(blocks) per state where the risk was solved, and nothing for the times of earlier calls: curves along the
  /// run ask for the same ones again (at most 256 MB are kept); else that of one pass to the last time.
  /// Copies share what they keep. Any number of threads may call.
  [[nodiscard]] std::vector<HsgdState> states(std::span<const double> times) const;
  [[nodiscard]] HsgdState state(double time) const;  ///< One of them.

 private:
  [[nodiscard]] HsgdState make_state(double time, Eigen::ArrayXd variance) const;
  [[nodiscard]] HsgdState solved_state(double time) const;

  models::LeastSquares problem_;
  std::optional<RiskTrajectory> trajectory_;
  struct Kept;
  std::shared_ptr<Kept> kept_;
  std::function<double(double)> risk_;
  double scale_ = 0.0;
  double settling_ = 0.0;
};

}  // namespace dpcurves::homogenized
