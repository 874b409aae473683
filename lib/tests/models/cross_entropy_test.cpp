// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cmath>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/detail/cross_entropy.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::models;

TEST_CASE("losses and residuals keep their digits however far the scores lie apart", "[models][cross-entropy]") {
  // Two classes: residual e^-g/(1 + e^-g), loss log1p(e^-g); the exponentials are exact to an ulp.
  test::Worst worst;
  for (const double gap : {-700.0, -40.0, -1.0, 0.0, 1e-9, 3.0, 37.0, 39.0, 555.0, 700.0}) {
    const std::array<double, 2> scores{gap, 0.0};
    std::array<double, 2> p{};
    const auto result = cross_entropy(scores, 0, p);
    const double odds = std::exp(-std::fabs(gap));
    worst.see(test::relative_error(result.loss, std::log1p(odds) + (gap < 0.0 ? -gap : 0.0)), gap);
    worst.see(test::relative_error(result.residual, (gap < 0.0 ? 1.0 : odds) / (1.0 + odds)), gap);
    worst.see(test::relative_error(p[1], result.residual), gap);
    worst.see(std::fabs(result.log_residual - std::log(result.residual)) / (1.0 + std::fabs(gap)), gap);
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1e-14);
  // Beyond underflow the logarithm goes on.
  const std::array<double, 3> far{2000.0, 0.0, -5.0};
  CHECK(cross_entropy(far, 0).residual == 0.0);
  CHECK(cross_entropy(far, 0).log_residual == Approx(-2000.0 + std::log1p(std::exp(-5.0))).epsilon(1e-15));
  CHECK(cross_entropy(far, 2).loss == 2005.0);
}

TEST_CASE("the ratio of residuals survives their underflow", "[models][cross-entropy]") {
  CHECK(residual_ratio(std::array{-900.0, -902.0}) == Approx(std::exp(2.0)).epsilon(1e-14));
  CHECK(residual_ratio(std::array{-3.0}) == 1.0);
  CHECK_THROWS_AS(residual_ratio(std::array{std::nan("")}), DomainError);
  CHECK_THROWS_AS(residual_ratio(std::span<const double>()), DomainError);
}

TEST_CASE("the loss is convex in the scores: its second differences are those of diag(p) - p p'",
          "[models][cross-entropy]") {
  const std::array<double, 4> scores{0.3, -1.0, 2.0, 0.9};
  std::array<double, 4> p{};
  cross_entropy(scores, 1, p);
  const Eigen::Vector4d q(p.data());
  const Eigen::Matrix4d hessian = Eigen::Matrix4d(q.asDiagonal()) - q * q.transpose();
  CHECK(Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(hessian).eigenvalues()(0) > -1e-16);
  const Eigen::Vector4d direction(0.5, -0.2, 0.1, 0.7);
  const double h = 1e-4;
  const auto loss = [&](double t) {
    std::array<double, 4> moved = scores;
    for (int k = 0; k < 4; ++k) {
      moved[static_cast<std::size_t>(k)] += t * direction(k);
    }
    return cross_entropy(moved, 1).loss;
  };
  CHECK((loss(h) - 2.0 * loss(0.0) + loss(-h)) / (h * h) == Approx(direction.dot(hessian * direction)).epsilon(1e-6));
}

TEST_CASE("ties go to the class of lowest number", "[models][cross-entropy]") {
  CHECK(predicted_class(std::array{0.0, 0.0, 0.0}) == 0);
  CHECK(predicted_class(std::array{0.0, 2.0, 2.0}) == 1);
  CHECK_THROWS_AS(cross_entropy(std::array{1.0}, 0), DomainError);
  CHECK_THROWS_WITH(cross_entropy(std::array{1.0, 2.0}, 2), Catch::Contains("label = 2"));
}
