// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Gradient flow of regularised least squares: the mean of homogenised SGD, and its risk.
///
/// m_i(t) = exp(-alpha_i Gamma) x0_i + lambda_i w_i xtilde_i with alpha_i = lambda_i + delta, Gamma = Gamma(t) and
/// w_i = (1 - exp(-alpha_i Gamma))/alpha_i. Per block, m - xtilde = A exp(-alpha Gamma) + B with A = x0 -
/// (lambda/alpha) xtilde and B = -(delta/alpha) xtilde, so that norms of A and B per block carry every risk.
///
/// Source: Lin, Kolaczyk, Smith and Paquette, equation (5).
#pragma once

#include <Eigen/Core>

#include <dpcurves/models/least_squares.hpp>

namespace dpcurves::homogenized {

/// The risk of gradient flow as a function of tau = Gamma(t), in O(blocks).
class GradientFlow {
 public:
  /// \throws DomainError  unless models::require_valid(problem).
  explicit GradientFlow(const models::LeastSquares& problem);

  /// P = 1/2 (m - xtilde)' Sigma (m - xtilde) + E[w^2]/2 at tau >= 0 (infinity: the limit), as a sum of squares.
  /// Relative error below 1e-13 where coordinates are known and neither part turns against the other. Cost: an
  /// exponential per block.
  [[nodiscard]] double population_risk(double tau) const;
  /// |m|^2, which enters R = P + delta/2 |m|^2.
  [[nodiscard]] double mean_norm2(double tau) const;
  /// m per coordinate, shape (spectrum.size()). \throws DomainError  if the problem has no coordinates.
  [[nodiscard]] Eigen::ArrayXd mean(double tau) const;

  /// alpha = lambda + delta, shape (blocks).
  [[nodiscard]] const Eigen::ArrayXd& rates() const { return rates_; }
  /// |A|^2, A'B and |B|^2, shape (blocks) each.
  [[nodiscard]] const Eigen::ArrayXd& decaying() const { return aa_; }
  /// A'B.
  [[nodiscard]] const Eigen::ArrayXd& mixed() const { return ab_; }
  /// |B|^2.
  [[nodiscard]] const Eigen::ArrayXd& staying() const { return bb_; }

 private:
  models::LeastSquares problem_;
  Eigen::ArrayXd rates_, share_;            // share = lambda/alpha, 1 where alpha = 0
  Eigen::ArrayXd start_, turn_;             // |x0 - xtilde|^2, (x0 - xtilde)'B
  Eigen::ArrayXd aa_, ab_, bb_;             // products of A and B
  Eigen::ArrayXd a_xtilde_, norm2_xtilde_;  // A'xtilde, |xtilde|^2
};

}  // namespace dpcurves::homogenized
