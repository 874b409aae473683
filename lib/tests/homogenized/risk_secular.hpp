// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The expected risk at a constant step for any spectrum, as a finite sum of exponentials: exact for every t.
///
/// The variances of Theorem 4.2 obey v' = M v + source with M = -2 gamma diag(alpha) + (gamma^2/d) lambda lambda',
/// a diagonal plus a matrix of rank one. Its eigenvalues mu_j are the roots of the secular equation
/// 1 = (gamma^2/d) sum lambda_i^2/(mu + 2 gamma alpha_i), one right of each pole, and the risk is a sum of exponentials
/// with rates -mu_j, gamma alpha_i and 2 gamma alpha_i, joined by divided differences where rates coincide.
#pragma once

#include <Eigen/Core>

#include <dpcurves/models/least_squares.hpp>

namespace dpcurves::test {

/// The risk at a constant step as a finite sum, from the roots of the secular equation.
class SecularRisk {
 public:
  /// Finds the roots for constant gamma = `rate` > 0, whatever problem.schedule says. Cost: O(B^2) for B different
  /// eigenvalues; at most 10000. \throws DomainError  for an invalid problem or rate, or more eigenvalues.
  SecularRisk(const models::LeastSquares& problem, double rate);

  /// P_t; infinity where it exceeds the doubles. Cost: O(B^2), the same for every t.
  /// Accuracy: relative error below 1e-11 of the larger of the risk and xtilde' Sigma xtilde/2: the exponentials of
  /// P_gf cancel where a run starts at the truth. RiskTrajectory does not. \throws DomainError  unless t >= 0 is
  /// finite.
  [[nodiscard]] double population_risk(double t) const;

  /// The eigenvalues mu_j of M that the risk sees, ascending; the last is < 0 exactly if the step is stable.
  [[nodiscard]] const Eigen::ArrayXd& growth_rates() const { return roots_; }

 private:
  Eigen::ArrayXd roots_;
  Eigen::ArrayXd kernel_weight_;  // of exp(mu_j t) in the response to the source P_gf
  Eigen::ArrayXd noise_weight_;   // in the response to sigma^2
  Eigen::ArrayXd flow_rates_;     // r_k and c_k of P_gf = constant + sum c_k exp(-r_k t)
  Eigen::ArrayXd flow_weights_;
  double constant_ = 0.0;
  double noise2_ = 0.0;
};

}  // namespace dpcurves::test
