// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// B-splines of any degree on uniform knots over [-1, 1], extended beyond the ends: the edges of a KAN.
///
/// With q the degree and p the number of splines, [-1, 1] has p - q spans of width h = 2/(p - q). Spline k is the
/// uniform B-spline that starts at -1 + (k - q) h; on span s only the splines s, ..., s + q are not zero. On every span
/// they are the same q + 1 polynomials of the position within the span, which GSL's B-splines give once.
///
/// Source: Wang et al., "Population Risk Bounds for Kolmogorov-Arnold Networks Trained by DP-SGD with Correlated
/// Noise", Assumption 3.2. The paper leaves the knots open; with these the splines sum to 1 on [-1, 1].
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dpcurves::models {

/// Exact suprema over [-1, 1].
struct SplineBounds {
  double value = 0.0;           ///< B_b = sup |b_k|
  double slope = 0.0;           ///< B_b' = sup |b_k'|
  double curvature = 0.0;       ///< B_b'' = sup |b_k''|
  double norm = 0.0;            ///< sup |h(v)|, h = (b_1, ..., b_p)
  double slope_norm = 0.0;      ///< sup |h'(v)|
  double curvature_norm = 0.0;  ///< sup |h''(v)|
};

/// The splines of one edge: their values, derivatives and coefficients.
class UniformSplines {
 public:
  /// \param count   p >= degree + 1, at most 2^20.
  /// \param degree  q in [2, 15]: two derivatives are needed.
  /// \throws DomainError  outside.
  explicit UniformSplines(std::size_t count, std::size_t degree = 3);

  /// p, the number of splines.
  [[nodiscard]] std::size_t count() const { return count_; }
  /// q, the degree of their pieces.
  [[nodiscard]] std::size_t degree() const { return degree_; }
  /// p - q, the intervals between knots within [-1, 1].
  [[nodiscard]] std::size_t spans() const { return count_ - degree_; }
  [[nodiscard]] double spacing() const { return 2.0 / static_cast<double>(spans()); }          ///< h
  [[nodiscard]] double inverse_spacing() const { return 0.5 * static_cast<double>(spans()); }  ///< 1/h

  /// Where a point of [-1, 1] lies; points beyond are held at the ends.
  struct Place {
    std::size_t span = 0;  ///< also the number of the first spline that is not zero
    double offset = 0.0;   ///< from the middle of the span, in units of h: in [-1/2, 1/2]
  };
  [[nodiscard]] Place place(double v) const;  ///< Of any v, finite.

  /// The q + 1 splines that are not zero at v, or their first or second derivative.
  /// \param derivative  0, 1 or 2.
  /// \param out         shape (degree + 1)
  /// Accuracy: 4e-15 relative to the largest of them for degrees up to 5.
  void evaluate(double v, int derivative, std::span<double> out) const;

  /// Coefficient of offset^power of spline number `spline` of a span. \param spline, power  in [0, degree].
  [[nodiscard]] double coefficient(std::size_t spline, std::size_t power) const {
    return polynomials_[spline * (degree_ + 1) + power];
  }
  /// All of them, shape (degree + 1 splines x degree + 1 powers).
  [[nodiscard]] const double* coefficients() const { return polynomials_.data(); }

  /// Accuracy: 1e-14; for cubic splines 2/3, 2/(3 h), 2/h^2, sqrt(1/2), 0.9013878/h, sqrt(6)/h^2.
  [[nodiscard]] SplineBounds bounds() const;

 private:
  [[nodiscard]] double polynomial(std::size_t spline, int derivative, double offset) const;

  std::size_t count_;
  std::size_t degree_;
  std::vector<double> polynomials_;  // shape (degree + 1 splines x degree + 1 powers)
};

}  // namespace dpcurves::models
