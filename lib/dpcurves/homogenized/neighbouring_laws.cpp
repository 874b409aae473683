// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/neighbouring_laws.hpp>
#include <dpcurves/numerics/symmetric.hpp>

namespace dpcurves::homogenized {
namespace {

using Matrix4 = Eigen::Matrix4d;
using Vector4 = Eigen::Vector4d;

double dot(const Eigen::ArrayXd& a, const Eigen::ArrayXd& b) { return (a * b).sum(); }

Eigen::Matrix2d form(const Eigen::ArrayXd& weights, const PairProducts& pair) {
  Eigen::Matrix2d result;
  result(0, 0) = dot(weights, pair.first_first);
  result(1, 1) = dot(weights, pair.second_second);
  result(0, 1) = result(1, 0) = dot(weights, pair.first_second);
  return result;
}

// The factor that the excess of an axis takes in a S_second + (1 - a) S_first, and the same reversed.
double mixing(double order, Direction direction) {
  return direction == Direction::first_to_second ? order : 1.0 - order;
}

}  // namespace

PairProducts pair_products(const models::LeastSquares& problem, const models::RecordPair& pair) {
  const auto& spectrum = problem.spectrum;
  require_domain(problem.has_coordinates(), "x0", 0.0, "problems with coordinates");
  for (const auto* record : {&pair.first, &pair.second}) {
    require_domain(record->features.size() == spectrum.size(), "number of features",
                   static_cast<double>(record->features.size()), "{" + std::to_string(spectrum.size()) + "}");
    require_domain(record->features.allFinite() && std::isfinite(record->label), "record",
                   std::numeric_limits<double>::quiet_NaN(), "finite numbers");
  }
  const auto& a = pair.first.features;
  const auto& b = pair.second.features;
  PairProducts products{spectrum.block_sums(a.square()),
                        spectrum.block_sums(a * b),
                        spectrum.block_sums(b.square()),
                        spectrum.block_sums(a * problem.x0),
                        spectrum.block_sums(b * problem.x0),
                        spectrum.block_sums(a * problem.xtilde),
                        spectrum.block_sums(b * problem.xtilde),
                        pair.first.label,
                        pair.second.label};
  products.equal = pair.first.label == pair.second.label && (a == b).all();
  return products;
}

PairSums pair_sums(const JumpWeights& weights, const PairProducts& pair) {
  PairSums sums;
  sums.equal = pair.equal;
  sums.residual = {
      dot(weights.mean_start, pair.first_start) + dot(weights.mean_truth, pair.first_truth) - pair.first_label,
      dot(weights.mean_start, pair.second_start) + dot(weights.mean_truth, pair.second_truth) - pair.second_label};
  sums.f2 = form(weights.f2, pair);
  sums.fg = form(weights.fg, pair);
  sums.g2 = form(weights.g2, pair);
  sums.quadratic = {dot(weights.variance, pair.first_first), dot(weights.variance, pair.second_second)};
  if (weights.known.size() > 0) {
    sums.known = form(weights.known, pair);
  }
  return sums;
}

NeighbouringLaws::NeighbouringLaws(const JumpWeights& weights, const PairSums& sums) {
  const double step_size = weights.step_size;
  if (step_size == 0.0 || sums.equal) {
    return;  // the same law
  }
  if (weights.noiseless) {
    revealed_ = true;
    return;
  }
  // Gram matrix of w1_1, w2_1, w1_2, w2_2 in the metric 1/D, scaled to unit diagonal: singular for parallel records,
  // for one eigenvalue and for s = 0, so it is neither factored by Cholesky nor inverted.
  Matrix4 gram;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      gram(2 * i, 2 * j) = sums.f2(i, j);
      gram(2 * i, 2 * j + 1) = gram(2 * j + 1, 2 * i) = sums.fg(i, j);
      gram(2 * i + 1, 2 * j + 1) = sums.g2(i, j);
    }
  }
  Vector4 scale = gram.diagonal().cwiseMax(0.0).cwiseSqrt();
  scale = (scale.array() > 0.0).select(scale, Vector4::Ones());
  gram = scale.cwiseInverse().asDiagonal() * gram * scale.cwiseInverse().asDiagonal();
  const auto spectral = numerics::symmetric_eigen(gram);
  const Matrix4 root =
      spectral.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal() * spectral.eigenvectors().transpose();

  Matrix4 inner[2];
  for (int i = 0; i < 2; ++i) {
    const int at = 2 * i;
    Matrix4 block = Matrix4::Zero();
    block(at, at) = step_size * step_size * sums.quadratic[i] * scale[at] * scale[at];
    block(at, at + 1) = block(at + 1, at) = -step_size * scale[at] * scale[at + 1];
    inner[i] = block;
  }
  const Matrix4 first = Matrix4::Identity() + root * inner[0] * root.transpose();
  // Records that differ in their labels only have one covariance, to the last digit.
  const bool same = (sums.f2.array() == sums.f2(0, 0)).all() && (sums.fg.array() == sums.fg(0, 0)).all() &&
                    (sums.g2.array() == sums.g2(0, 0)).all() && sums.quadratic[0] == sums.quadratic[1];
  const Matrix4 difference = same ? Matrix4(Matrix4::Zero()) : Matrix4(root * (inner[1] - inner[0]) * root.transpose());
  const auto pencil = numerics::pencil_eigen(difference, first);
  if (pencil.info() != Eigen::Success) {
    throw ConvergenceError("neighbouring laws: the covariance is singular to rounding");
  }

  residual_ = sums.residual;
  Eigen::Matrix<double, rank, 2> gaps = Eigen::Matrix<double, rank, 2>::Zero();
  gaps.col(0) = -step_size * scale[0] * root.col(0);
  gaps.col(1) = step_size * scale[2] * root.col(2);
  const Eigen::Matrix<double, rank, 2> along = pencil.eigenvectors().transpose() * gaps;
  random_residual_ = sums.known.trace() > 0.0;
  for (std::size_t j = 0; j < rank; ++j) {
    const auto row = static_cast<Eigen::Index>(j);
    gap_directions_[j] = along.row(row).transpose();
    const double gap = random_residual_ ? 0.0 : gap_directions_[j].dot(residual_);
    axes_[j] = {pencil.eigenvalues()[row], gap * gap};
  }
  if (random_residual_) {
    const auto known = numerics::symmetric_eigen(sums.known);
    residual_factor_ = known.eigenvectors() * known.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
  }
}

// K with gap' (mixed covariance)^-1 gap = residual' K residual.
Eigen::Matrix2d NeighbouringLaws::gap_form(double renyi_order, Direction direction) const {
  Eigen::Matrix2d form = Eigen::Matrix2d::Zero();
  for (std::size_t j = 0; j < rank; ++j) {
    form +=
        gap_directions_[j] * gap_directions_[j].transpose() / (1.0 + mixing(renyi_order, direction) * axes_[j].excess);
  }
  return form;
}

double NeighbouringLaws::renyi(double renyi_order, Direction direction) const {
  if (revealed_) {
    return infinity;
  }
  const double given = divergence::renyi(renyi_order, axes_, direction);
  if (!random_residual_ || std::isinf(given)) {
    return given;
  }
  // Expectation over the residuals, which are normal given the previous release, of exp((a - 1) D).
  const Eigen::Matrix2d form = gap_form(renyi_order, direction);
  const Eigen::Matrix2d spread = residual_factor_.transpose() * form * residual_factor_;
  const auto spectral = numerics::symmetric_eigen(spread);
  const double excess = renyi_order - 1.0;
  const double moment = renyi_order * excess;
  double log_det = 0.0;
  Eigen::Vector2d lift;
  for (int j = 0; j < 2; ++j) {
    const double left = 1.0 - moment * spectral.eigenvalues()[j];
    if (!(left > 0.0)) {
      return infinity;
    }
    log_det += std::log1p(-moment * spectral.eigenvalues()[j]);
    lift[j] = 1.0 / left;
  }
  const Eigen::Vector2d weighted = form * residual_;
  const Eigen::Vector2d turned = spectral.eigenvectors().transpose() * residual_factor_.transpose() * weighted;
  const double square = residual_.dot(weighted) + moment * turned.cwiseAbs2().dot(lift);
  return given + 0.5 * renyi_order * square - 0.5 * log_det / excess;
}

double NeighbouringLaws::order_limit(Direction direction) const {
  if (revealed_) {
    return 1.0;
  }
  const double limit = divergence::order_limit(axes_, direction);
  if (!random_residual_) {
    return limit;
  }
  constexpr double largest = 1e8;
  const double above = std::min(limit, largest);
  const auto is_finite = [&](double order) {
    for (const auto& axis : axes_) {
      if (!(1.0 + mixing(order, direction) * axis.excess > 0.0)) {
        return false;
      }
    }
    const Eigen::Matrix2d spread = residual_factor_.transpose() * gap_form(order, direction) * residual_factor_;
    const double half = 0.5 * spread.trace();
    const double radius = std::hypot(0.5 * (spread(0, 0) - spread(1, 1)), spread(0, 1));
    return 1.0 - order * (order - 1.0) * (half + radius) > 0.0;
  };
  if (is_finite(above)) {
    return limit;
  }
  // The orders with finite divergence are an interval: bisection of the excess over 1 on a logarithmic scale.
  double low = std::log(1e-12), high = std::log(above - 1.0);
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double middle = 0.5 * (low + high);
    (is_finite(1.0 + std::exp(middle)) ? low : high) = middle;
  }
  return 1.0 + std::exp(low);
}

}  // namespace dpcurves::homogenized
