// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The pair of normal laws of a release of noisy HSGD under two data sets that differ in one record, in O(d).
///
/// The record used at time s enters through an affine jump. In the eigenbasis of the features both covariances are one
/// diagonal D plus a matrix of rank two spanned by w1_i = f a_i and w2_i = g a_i (products by coordinate):
///   V_i = D - eta (w2_i w1_i' + w1_i w2_i') + eta^2 q_i w1_i w1_i',  q_i = a_i' V(s) a_i,
/// and the mean gap is eta (r_2 w1_2 - r_1 w1_1), r_i = a_i' m(s) - b_i. All divergences come from a 4 x 4 problem.
///
/// Source: Lin, Kolaczyk, Smith and Paquette, "High-Dimensional Privacy-Utility Dynamics of Noisy Stochastic Gradient
/// Descent on Least Squares", Lemmas C.1 and C.2, Theorems 4.3 to 4.5, the last two in the corrected form.
#pragma once

#include <array>

#include <Eigen/Core>

#include <dpcurves/divergence/gaussian_pair.hpp>
#include <dpcurves/models/least_squares.hpp>

namespace dpcurves::homogenized {

using divergence::Direction;

/// What a release shows of a record used at one time, whatever the record: diagonals, shape (blocks) each.
struct JumpWeights {
  double step_size = 0.0;     ///< eta(s); 0: the record leaves no trace
  bool noiseless = false;     ///< sigma = 0: any difference of the records is taken to be seen
  Eigen::ArrayXd f2{};        ///< f^2 / D
  Eigen::ArrayXd fg{};        ///< f g / D
  Eigen::ArrayXd g2{};        ///< g^2 / D
  Eigen::ArrayXd variance;    ///< of the state before the jump; for a joint release given the previous one
  Eigen::ArrayXd known{};     ///< joint release: variance of that state's mean given the previous release; or empty
  Eigen::ArrayXd mean_start;  ///< m(s) = mean_start x0 + mean_truth xtilde
  Eigen::ArrayXd mean_truth;  ///< its other part
};

/// Inner products of two records within each block of the spectrum, shape (blocks) each: all that is ever needed.
struct PairProducts {
  Eigen::ArrayXd first_first;    ///< a_1' a_1
  Eigen::ArrayXd first_second;   ///< a_1' a_2
  Eigen::ArrayXd second_second;  ///< a_2' a_2
  Eigen::ArrayXd first_start;    ///< a_1' x0
  Eigen::ArrayXd second_start;   ///< a_2' x0
  Eigen::ArrayXd first_truth;    ///< a_1' xtilde
  Eigen::ArrayXd second_truth;   ///< a_2' xtilde
  double first_label = 0.0;      ///< b_1
  double second_label = 0.0;     ///< b_2
  bool equal = false;            ///< the records are the same
};

/// \throws DomainError  unless the problem has coordinates and the records their number.
[[nodiscard]] PairProducts pair_products(const models::LeastSquares& problem, const models::RecordPair& pair);

/// The few numbers of a pair that change with the release and with s.
struct PairSums {
  Eigen::Vector2d residual;                         ///< r_1, r_2
  Eigen::Matrix2d f2{};                             ///< a_i' diag(f^2/D) a_j, symmetric
  Eigen::Matrix2d fg{};                             ///< a_i' diag(f g/D) a_j, symmetric
  Eigen::Matrix2d g2{};                             ///< a_i' diag(g^2/D) a_j, symmetric
  Eigen::Vector2d quadratic;                        ///< q_1, q_2
  Eigen::Matrix2d known = Eigen::Matrix2d::Zero();  ///< a_i' diag(known) a_j
  bool equal = false;                               ///< the records are the same: every divergence is 0
};

[[nodiscard]] PairSums pair_sums(const JumpWeights& weights, const PairProducts& products);  ///< Cost: O(blocks).

/// The two laws, first record first.
class NeighbouringLaws {
 public:
  /// Cost: two 4 x 4 eigenproblems, about 3 microseconds.
  /// \throws ConvergenceError  if the first covariance is singular to rounding.
  NeighbouringLaws(const JumpWeights& weights, const PairSums& sums);

  /// D_a in the given direction; 0 for equal records or none, infinite without noise, infinite at and above
  /// order_limit. \param renyi_order  a > 1, finite. Accuracy: 4e-12 (D + 1e-3), also for sigma = 1e-4, eta = 1e-6,
  /// repeated eigenvalues and parallel records.
  [[nodiscard]] double renyi(double renyi_order, Direction direction) const;

  /// Supremum of the orders with finite divergence; infinity where it exceeds 1e8. Relative error 1e-10 times itself.
  [[nodiscard]] double order_limit(Direction direction) const;

 private:
  static constexpr int rank = 4;
  [[nodiscard]] Eigen::Matrix2d gap_form(double renyi_order, Direction direction) const;

  std::array<divergence::PrincipalAxis, rank> axes_{};  // at the expected residuals; without them for joint releases
  std::array<Eigen::Vector2d, rank> gap_directions_{};  // gap along axis j = gap_directions_[j]' residual
  Eigen::Vector2d residual_ = Eigen::Vector2d::Zero();
  Eigen::Matrix2d residual_factor_ = Eigen::Matrix2d::Zero();  // L with L L' = covariance of the residuals
  bool random_residual_ = false;
  bool revealed_ = false;
};

}  // namespace dpcurves::homogenized
