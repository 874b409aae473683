// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <Eigen/Cholesky>

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

Factor cholesky(const Eigen::MatrixXd& a) {
  const Eigen::LLT<Eigen::MatrixXd> factor(a);
  return {factor.matrixL(), factor.info() == Eigen::Success};
}

Eigen::MatrixXd forward_solved(const Eigen::MatrixXd& lower, const Eigen::MatrixXd& b) {
  return lower.triangularView<Eigen::Lower>().solve(b);
}

Eigen::MatrixXd backward_solved(const Eigen::MatrixXd& lower, const Eigen::MatrixXd& b) {
  return lower.transpose().triangularView<Eigen::Upper>().solve(b);
}

Eigen::VectorXd solved(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  return Eigen::LLT<Eigen::MatrixXd>(a).solve(b);
}

}  // namespace dpcurves::numerics
