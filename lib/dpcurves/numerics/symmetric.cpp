// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/numerics/symmetric.hpp>

namespace dpcurves::numerics {

SymmetricEigen2 symmetric_eigen(const Eigen::Matrix2d& a) { return SymmetricEigen2(a); }
SymmetricEigen4 symmetric_eigen(const Eigen::Matrix4d& a) { return SymmetricEigen4(a); }

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& a) {
  return SymmetricEigen(a, Eigen::EigenvaluesOnly).eigenvalues();
}

SymmetricEigen tridiagonal_eigen(const Eigen::VectorXd& diagonal, const Eigen::VectorXd& beside) {
  SymmetricEigen solver;
  solver.computeFromTridiagonal(diagonal, beside);
  return solver;
}

Pencil pencil_eigen(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) { return Pencil(a, b); }
Pencil4 pencil_eigen(const Eigen::Matrix4d& a, const Eigen::Matrix4d& b) { return Pencil4(a, b); }

}  // namespace dpcurves::numerics
