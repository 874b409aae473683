// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Eigenvalues and factors of symmetric matrices by Eigen's solvers, compiled once: their templates cost every source
/// that uses one, for each type of matrix, three to fourteen seconds.
///
/// Only lower triangles are read. Eigenvalues rise. Accuracy: a few roundings of the largest one. Cost: about 10 n^3
/// for eigenvalues, n^3 / 3 for a factor.
#pragma once

#include <Eigen/Eigenvalues>

namespace dpcurves::numerics {

/// What has eigenvalues() and eigenvectors().
using SymmetricEigen = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;
/// The same of a pencil, with info(): whether b was positive definite to rounding.
using Pencil = Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>;

/// Eigenvalues and eigenvectors.
[[nodiscard]] SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& a);
/// Eigenvalues only.
[[nodiscard]] Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& a);
/// Of a tridiagonal matrix. \param beside  one entry less than the diagonal.
[[nodiscard]] SymmetricEigen tridiagonal_eigen(const Eigen::VectorXd& diagonal, const Eigen::VectorXd& beside);
/// Of a x = lambda b x, with eigenvectors x that have x^T b x = 1. \param b  positive definite.
[[nodiscard]] Pencil pencil_eigen(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// Cholesky's factor.
struct Factor {
  Eigen::MatrixXd lower;           ///< triangular, a = lower lower^T; of no meaning where a is not positive definite
  bool positive_definite = false;  ///< to rounding
};
[[nodiscard]] Factor cholesky(const Eigen::MatrixXd& a);  ///< Of any symmetric matrix.
/// x of lower x = b. Shapes (n x n), (n x k). Cost: k n^2.
[[nodiscard]] Eigen::MatrixXd forward_solved(const Eigen::MatrixXd& lower, const Eigen::MatrixXd& b);
/// x of lower^T x = b.
[[nodiscard]] Eigen::MatrixXd backward_solved(const Eigen::MatrixXd& lower, const Eigen::MatrixXd& b);
/// x of a x = b. \param a  positive definite.
[[nodiscard]] Eigen::VectorXd solved(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

}  // namespace dpcurves::numerics
