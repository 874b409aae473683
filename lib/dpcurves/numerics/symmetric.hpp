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

}  // namespace dpcurves::numerics
