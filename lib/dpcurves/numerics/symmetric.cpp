// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/numerics/symmetric.hpp>

namespace dpcurves::numerics {

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& a) { return SymmetricEigen(a); }

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& a) {
  return SymmetricEigen(a, Eigen::EigenvaluesOnly).eigenvalues();
}

SymmetricEigen tridiagonal_eigen(const Eigen::VectorXd& diagonal, const Eigen::VectorXd& beside) {
  SymmetricEigen solver;
  solver.computeFromTridiagonal(diagonal, beside);
  return solver;
}

Pencil pencil_eigen(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) { return Pencil(a, b); }

}  // namespace dpcurves::numerics
