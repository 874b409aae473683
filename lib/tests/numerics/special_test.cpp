// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <exception>
#include <numbers>

#include <Eigen/Core>

#include <dpcurves/numerics/special.hpp>
#include <dpcurves/numerics/symmetric.hpp>

#include "support/support.hpp"

using namespace dpcurves::numerics;

TEST_CASE("special functions have their closed forms, and inverses undo them", "[special]") {
  CHECK(beta_below(1.0, 3.0, 0.2) == Approx(1.0 - std::pow(0.8, 3.0)).epsilon(1e-14));
  CHECK(beta_above(1.0, 3.0, 0.9) == Approx(1e-3).epsilon(1e-13));
  CHECK(beta_below_inverse(2.5, 4.0, beta_below(2.5, 4.0, 0.3)) == Approx(0.3).epsilon(1e-11));
  CHECK(beta_above_inverse(2.5, 4.0, beta_above(2.5, 4.0, 0.3)) == Approx(0.3).epsilon(1e-11));
  CHECK(gamma_above(2.0, 3.0) == Approx(4.0 * std::exp(-3.0)).epsilon(1e-14));
  CHECK(gamma_below_inverse(1.0, 0.5) == Approx(std::numbers::ln2).epsilon(1e-11));
  CHECK(binomial_probability(5.0, 0.5, 2.0) == Approx(10.0 / 32.0).epsilon(1e-14));
  CHECK(binomial_above(5.0, 0.5, 3.0) == Approx(6.0 / 32.0).epsilon(1e-14));
  CHECK(student_above_inverse(1.0, 0.25) == Approx(1.0).epsilon(1e-11));  // Cauchy's law
  CHECK(log1p_less_argument(1e-6) == Approx(-5e-13 + 1e-18 / 3.0 - 2.5e-25).epsilon(1e-14));
  CHECK_THROWS_AS(beta_below(1.0, 1.0, 1.5), std::exception);
}

TEST_CASE("factors of symmetric matrices multiply to them", "[symmetric]") {
  Eigen::Matrix3d a, b;
  a << 4.0, 2.0, 0.6, 2.0, 5.0, 1.0, 0.6, 1.0, 2.0;
  b << 1.0, 0.5, -1.0, 2.0, 0.1, 3.0, -0.7, 0.3, 1.0;
  const Factor factor = cholesky(a);
  CHECK(factor.positive_definite);
  CHECK((factor.lower * factor.lower.transpose()).isApprox(a, 1e-15));
  CHECK((factor.lower * forward_solved(factor.lower, b)).isApprox(b, 1e-15));
  CHECK((factor.lower.transpose() * backward_solved(factor.lower, b)).isApprox(b, 1e-15));
  CHECK((a * solved(a, b.col(0))).isApprox(b.col(0), 1e-15));
  CHECK_FALSE(cholesky(-a).positive_definite);
}

TEST_CASE("symmetric matrices have the eigenvalues that they are made of", "[symmetric]") {
  const Eigen::Matrix2d a{{2.0, 1.0}, {1.0, 2.0}};
  CHECK(symmetric_eigen(a).eigenvalues()[0] == Approx(1.0).epsilon(1e-14));
  CHECK(symmetric_eigenvalues(a)[1] == Approx(3.0).epsilon(1e-14));
  const Eigen::Vector4d values(-1.0, 0.0, 2.0, 5.0);
  CHECK(symmetric_eigen(Eigen::MatrixXd(values.asDiagonal())).eigenvalues().isApprox(Eigen::VectorXd(values)));
  // 2 on the diagonal and 1 beside it: 2 - 2 cos(k pi/(n + 1)).
  const auto chain = tridiagonal_eigen(Eigen::VectorXd::Constant(5, 2.0), Eigen::VectorXd::Constant(4, 1.0));
  CHECK(chain.eigenvalues()[0] == Approx(2.0 - std::numbers::sqrt3).epsilon(1e-13));
  const Eigen::MatrixXd b = Eigen::Vector4d(1.0, 2.0, 4.0, 5.0).asDiagonal();
  const auto pencil = pencil_eigen(Eigen::MatrixXd(values.asDiagonal()), b);
  CHECK(pencil.eigenvalues().isApprox(Eigen::VectorXd(Eigen::Vector4d(-1.0, 0.0, 0.5, 1.0))));
  CHECK(Eigen::MatrixXd(pencil.eigenvectors().transpose() * b * pencil.eigenvectors()).isIdentity(1e-13));
}
