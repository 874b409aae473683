// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The largest margin through the origin, with a certificate on both sides.
///
/// gamma = max over |u| = 1 of min_i <row_i, u> = least norm of a convex combination of the rows, if that is not 0.
/// With rows y_i grad f(x_i) it is the NTK margin of a network at its initialisation. It is found by one nonnegative
/// least squares problem, min over b >= 0 of |R' b|^2 + (sum b - 1)^2, whose solution is proportional to the weights of
/// the combination.
///
/// Source: Wang et al., "Population Risk Bounds for Kolmogorov-Arnold Networks Trained by DP-SGD with Correlated
/// Noise", Assumption 3.3; Lawson and Hanson, "Solving Least Squares Problems" (1974), chapter 23.
#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::models {

/// A margin with both ends and the combination that proves the upper one.
struct Margin {
  /// Lower end: the least <row_i, u> for the u that was found, 0 (of u = 0) if that is not positive. Upper end: the
  /// norm of the combination. Both hold for any weights, and are moved outward by the rounding of their sums.
  Enclosure value;
  bool separable = false;            ///< certified: the lower end is positive
  Eigen::VectorXd weights;           ///< shape (n), nonnegative, sum 1; u = sum weight_i row_i / gamma
  std::vector<std::size_t> support;  ///< rows with positive weight
};

/// From the Gram matrix of the rows, shape (n x n), symmetric.
/// \throws DomainError       for an empty, non-square or non-finite matrix.
/// \throws ConvergenceError  if the active sets do not settle.
/// Accuracy: relative width of the enclosure below 1e-9 where gamma is above 1e-6 of the longest row. Cost: a Cholesky
/// factorisation of the support per iteration; n = 1000 about a second.
[[nodiscard]] Margin margin_of_gram(const Eigen::MatrixXd& gram);

/// From the rows themselves, shape (n x D): as above, with the ends computed from the rows, to rounding.
[[nodiscard]] Margin margin_of_rows(const Eigen::MatrixXd& rows);

/// sqrt(lambda_min(K)/n) <= gamma <= sqrt(1'K1)/n: bounds that need no solver.
[[nodiscard]] Enclosure simple_margin_bounds(const Eigen::MatrixXd& gram);

}  // namespace dpcurves::models
