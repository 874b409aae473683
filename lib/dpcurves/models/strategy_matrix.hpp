// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Strategy matrices of the matrix mechanism: step t of training gets the noise (C^{-1} Z)_t, Z independent normals.
///
/// C is lower triangular with a positive diagonal, one row and one column per step. lambda-CGD, the mechanism of the
/// paper, has C_{t,u} = lambda^{t-u}: its inverse has 1 on the diagonal and -lambda below it, so that the noise of a
/// step is Z_t - lambda Z_{t-1}.
///
/// Source: Wang, Schuchardt, Kalinin, Zhou, Fellenz, Lampert and Kloft, "Population risk bounds for
/// Kolmogorov-Arnold networks trained by DP-SGD with correlated noise", Algorithm 1 and Theorem F.8.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dpcurves::models {

/// A lower-triangular matrix in the form that makes its products cheapest. Indices of steps start at 0.
class StrategyMatrix {
 public:
  /// How the entries are stored.
  enum class Form {
    exponential,       ///< C_{t,u} = lambda^{t-u}
    toeplitz,          ///< C_{t,u} = c_{t-u}, 0 for t-u >= bandwidth
    lower_triangular,  ///< any, stored by rows from the first non-zero entry of the band
  };

  /// lambda-CGD. \param lambda  in [0, 1]. \param steps  1 to 1e8. \throws DomainError otherwise.
  static StrategyMatrix exponential(double lambda, std::size_t steps);
  /// \param coefficients  c_0 > 0, c_1, ...: those beyond `steps` are dropped, those missing are 0.
  static StrategyMatrix toeplitz(std::vector<double> coefficients, std::size_t steps);
  /// \param rows  row t has entries for the columns 0 to t; the diagonal is positive. Leading zeros that all rows share
  ///              are recognised as a band.
  /// \throws DomainError  for a row of another length, an entry that is not finite, or a diagonal that is not positive.
  static StrategyMatrix lower_triangular(const std::vector<std::vector<double>>& rows);

  /// The cheapest form that was recognised.
  [[nodiscard]] Form form() const { return form_; }
  /// T, the number of rows and columns.
  [[nodiscard]] std::size_t steps() const { return steps_; }
  /// Diagonals that are not all zero, counted from the main one: 1 for a diagonal matrix. lambda-CGD with lambda > 0
  /// has `steps`.
  [[nodiscard]] std::size_t bandwidth() const { return bandwidth_; }
  /// lambda; only for Form::exponential.
  [[nodiscard]] double lambda() const { return lambda_; }
  /// C_{row,column}; 0 above the diagonal. \throws DomainError past the last step.
  [[nodiscard]] double operator()(std::size_t row, std::size_t column) const;
  /// The same structure with the absolute values of the entries.
  [[nodiscard]] StrategyMatrix absolute() const;
  [[nodiscard]] bool nonnegative() const;  ///< whether no entry is negative
  /// A Toeplitz matrix whose coefficients are nonnegative and do not increase.
  [[nodiscard]] bool monotone_toeplitz() const;
  /// c_0, c_1, ... up to the bandwidth. \throws DomainError for Form::lower_triangular.
  [[nodiscard]] std::vector<double> coefficients() const;

  // In-place products of x, shape (steps). Cost: O(steps) for lambda-CGD; O(steps bandwidth) otherwise.
  // \throws DomainError  for another length.
  void multiply(std::span<double> x) const;             ///< x <- C x
  void multiply_transposed(std::span<double> x) const;  ///< x <- C' x
  void solve(std::span<double> x) const;                ///< x <- C^{-1} x
  void solve_transposed(std::span<double> x) const;     ///< x <- C^{-T} x

  /// Norms of the columns, shape (steps): how far one participation at a step moves the encoded sums. O(steps) for
  /// Toeplitz matrices.
  [[nodiscard]] std::vector<double> column_norms() const;
  /// Norms of the rows of A C^{-1}, shape (steps), A the matrix of the linear recursion s_t = retention s_{t-1} + x_t:
  /// the standard deviation of the noise that has built up after each step, per unit noise multiplier. retention = 1
  /// gives the prefix sums. Cost: O(steps) for lambda-CGD, O(steps bandwidth) for Toeplitz matrices, otherwise
  /// O(steps^2 bandwidth).
  /// \param retention  in [-1, 1].
  [[nodiscard]] std::vector<double> accumulated_noise(double retention = 1.0) const;

 private:
  StrategyMatrix() = default;
  [[nodiscard]] const double* row(std::size_t t) const;  ///< entry of column t - bandwidth + 1, stored matrices only
  void check(std::span<const double> x) const;

  Form form_ = Form::exponential;
  std::size_t steps_ = 0;
  std::size_t bandwidth_ = 1;
  double lambda_ = 0.0;
  std::vector<double> entries_;  ///< coefficients, or rows of `bandwidth_` entries that end at the diagonal
};

}  // namespace dpcurves::models
