// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <limits>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/divergence/gaussian_pair.hpp>
#include <dpcurves/divergence/renyi.hpp>
#include <dpcurves/numerics/symmetric.hpp>

namespace dpcurves::divergence {
namespace {

void require_shape(bool holds, const char* argument, Eigen::Index found) {
  require_domain(holds, argument, static_cast<double>(found), "the dimension of mean1");
}

void require_positive_definite(const Eigen::MatrixXd& covariance, const char* argument) {
  require_domain(covariance.allFinite(), argument, std::numeric_limits<double>::quiet_NaN(), "finite numbers");
  require_domain(numerics::cholesky(covariance).positive_definite, argument, covariance.diagonal().minCoeff(),
                 "the positive definite matrices (smallest diagonal entry shown)");
}

}  // namespace

std::vector<PrincipalAxis> principal_axes(const Eigen::VectorXd& mean1, const Eigen::MatrixXd& covariance1,
                                          const Eigen::VectorXd& mean2, const Eigen::MatrixXd& covariance2) {
  const Eigen::Index d = mean1.size();
  require_shape(d > 0, "mean1", d);
  require_shape(mean2.size() == d, "mean2", mean2.size());
  require_shape(covariance1.rows() == d && covariance1.cols() == d, "covariance1", covariance1.rows());
  require_shape(covariance2.rows() == d && covariance2.cols() == d, "covariance2", covariance2.rows());
  require_domain(mean1.allFinite() && mean2.allFinite(), "mean", std::numeric_limits<double>::quiet_NaN(),
                 "finite numbers");
  require_positive_definite(covariance1, "covariance1");
  require_positive_definite(covariance2, "covariance2");
  // The difference is formed first, so that nearly equal laws keep their digits.
  const auto pencil = numerics::pencil_eigen(covariance2 - covariance1, covariance1);
  const Eigen::VectorXd gaps = pencil.eigenvectors().transpose() * (mean2 - mean1);
  std::vector<PrincipalAxis> axes;
  for (Eigen::Index j = 0; j < d; ++j) {
    axes.push_back({pencil.eigenvalues()[j], gaps[j] * gaps[j]});
  }
  return axes;
}

double renyi(double renyi_order, std::span<const PrincipalAxis> axes, Direction direction) {
  double total = 0.0;
  for (const auto& axis : axes) {
    const double relative = 1.0 + axis.excess;
    // The law that comes first, relative to the other: for first_to_second, P in units of Q.
    const bool forward = direction == Direction::first_to_second;
    total += forward ? relative_renyi(renyi_order, -axis.excess / relative, axis.gap_squared / relative)
                     : relative_renyi(renyi_order, axis.excess, axis.gap_squared);
  }
  return total;
}

double order_limit(std::span<const PrincipalAxis> axes, Direction direction) {
  constexpr double rounding = 1e-8;
  double least = 0.0, greatest = 0.0;
  for (const auto& axis : axes) {
    least = std::min(least, axis.excess);
    greatest = std::max(greatest, axis.excess);
  }
  if (direction == Direction::first_to_second) {  // 1 + a excess > 0
    return least < -rounding ? -1.0 / least : infinity;
  }
  return greatest > rounding ? 1.0 + 1.0 / greatest : infinity;  // 1 + (1 - a) excess > 0
}

}  // namespace dpcurves::divergence
