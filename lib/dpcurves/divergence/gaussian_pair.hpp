// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Renyi divergences of two multivariate normal laws P and Q, in nats, through the axes that diagonalise both.
///
/// In suitable coordinates P is N(0, I) and Q is a product of N(gap_j, 1 + excess_j). The axes are computed once and
/// then give every order in both directions, and the orders past which the divergence is infinite.
///
/// Source: Lin, Kolaczyk, Smith and Paquette, "High-Dimensional Privacy-Utility Dynamics of Noisy Stochastic Gradient
/// Descent on Least Squares", Lemma C.2. As printed there the formula is the divergence with P and Q exchanged.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

namespace dpcurves::divergence {

/// Which law comes first in D_a(. || .): P, or Q.
enum class Direction { first_to_second, second_to_first };

/// One axis: Q has variance 1 + excess and mean gap where P has variance 1 and mean 0.
struct PrincipalAxis {
  double excess = 0.0;       ///< > -1
  double gap_squared = 0.0;  ///< >= 0
};

/// The axes of P = N(mean1, covariance1) and Q = N(mean2, covariance2), by ascending excess.
///
/// \param covariance1, covariance2  symmetric positive definite, shape (d x d); the lower triangles are read.
/// \throws DomainError  unless shapes agree, entries are finite and both matrices are positive definite.
/// Accuracy: 1e-14 times the condition number of covariance1. Cost: O(d^3).
[[nodiscard]] std::vector<PrincipalAxis> principal_axes(const Eigen::VectorXd& mean1,
                                                        const Eigen::MatrixXd& covariance1,
                                                        const Eigen::VectorXd& mean2,
                                                        const Eigen::MatrixXd& covariance2);

/// The divergence in one direction: infinite at and above order_limit.
/// \param renyi_order  a >= 1, finite; order 1 is Kullback-Leibler. \throws DomainError outside.
/// Accuracy: relative 1e-14 in terms of the axes while a is not within 1e-3 of the limit. Cost: two logarithms per
/// axis.
[[nodiscard]] double renyi(double renyi_order, std::span<const PrincipalAxis> axes, Direction direction);

/// The supremum of the orders with a finite divergence, > 1: the order below which a S_Q + (1 - a) S_P (for
/// first_to_second) is positive definite. Limits above 1e8 are reported as infinity: rounding makes them.
[[nodiscard]] double order_limit(std::span<const PrincipalAxis> axes, Direction direction);

}  // namespace dpcurves::divergence
