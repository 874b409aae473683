// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Eigenvalues of symmetric matrices by Eigen's solvers, compiled once: their templates cost every source that uses
/// one, for each type of matrix, seven to fourteen seconds.
///
/// Only lower triangles are read. Eigenvalues rise. Accuracy: a few roundings of the largest one. Cost: about 10 n^3.
#pragma once

#include <Eigen/Eigenvalues>

namespace dpcurves::numerics {

using SymmetricEigen = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;
using SymmetricEigen2 = Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d>;
using SymmetricEigen4 = Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>;
using Pencil = Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>;
using Pencil4 = Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::Matrix4d>;

/// Eigenvalues and eigenvectors.
[[nodiscard]] SymmetricEigen2 symmetric_eigen(const Eigen::Matrix2d& a);
[[nodiscard]] SymmetricEigen4 symmetric_eigen(const Eigen::Matrix4d& a);
/// Eigenvalues only.
[[nodiscard]] Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& a);
/// Of a tridiagonal matrix. \param beside  one entry less than the diagonal.
[[nodiscard]] SymmetricEigen tridiagonal_eigen(const Eigen::VectorXd& diagonal, const Eigen::VectorXd& beside);
/// The lambda and v with a v = lambda b v and v' b v = 1, for positive definite b.
[[nodiscard]] Pencil pencil_eigen(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
[[nodiscard]] Pencil4 pencil_eigen(const Eigen::Matrix4d& a, const Eigen::Matrix4d& b);

}  // namespace dpcurves::numerics
