// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// One vertical contour: the numbers on it, once, and the inversion integral for any threshold. Internal.
///
/// On Re z = c the trapezoid rule with step 2 pi / period gives, for c > 0,
///   delta(epsilon), P(loss > epsilon) under the alternative and e^epsilon P(loss > epsilon) under the null,
/// and for -1 < c < 0, past the pole at 0,
///   1 - delta(epsilon), P(loss <= epsilon) under the alternative and the same third number,
/// each relative to exp(K(c) - c epsilon). The error consists of aliasing (one-signed), truncation (a bound on |M| on
/// the rest of the line), quadrature of M and rounding; each is computed.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <dpcurves/accounting/few_steps/moment_grid.hpp>
#include <dpcurves/accounting/few_steps/transform.hpp>

namespace dpcurves::accounting::detail {

/// A nonnegative number value exp(log_scale) with |error| on value.
struct Scaled {
  double value = 0.0;  ///< >= 0, in units of exp(log_scale)
  double error = 0.0;  ///< bound on its absolute error, in the same units
};

/// What one contour says at one threshold; numbers in units of exp(log_scale), log_scale itself uncertain by
/// log_error.
struct ContourValues {
  Scaled first;            ///< delta, or 1 - delta on a contour left of 0
  Scaled second;           ///< power, or the type II error on a contour left of 0
  Scaled third;            ///< e^epsilon times the type I error
  double density = 0.0;    ///< of the loss under the alternative, for Newton steps; no error bound
  double log_scale = 0.0;  ///< K(c) - c epsilon
  double log_error = 0.0;  ///< the true log_scale is within log_error of this one
};

/// What a contour is built for.
struct ContourPlan {
  double c = 1.0;                    ///< in (-1/2, inf), not 0
  double period = 1.0;               ///< of the aliasing
  double log_tail = -42.0;           ///< wanted bound of log |exp(K(z) - K(c))| beyond the last node
  double log_tail_expanded = -44.0;  ///< the same where atoms and single jumps are subtracted: slow decay
  std::size_t most_nodes = 100000;   ///< past so many, truncation or decay count as too slow: ConvergenceError
};

/// The numbers exp(K(z) - K(c)) on the line Re z = c, in the precision of Real.
template <class Real>
class Contour {
 public:
  /// \throws ConvergenceError  if the truncation cannot be certified within the node and time limits.
  Contour(const Transform& transform, const ContourPlan& plan, const Deadline& deadline);

  /// The real part of the line, in (-1/2, inf).
  [[nodiscard]] double c() const { return plan_.c; }
  /// 2 pi over the step of the trapezoid rule.
  [[nodiscard]] double period() const { return plan_.period; }
  /// In the upper half plane; the lower half is its mirror image.
  [[nodiscard]] std::size_t nodes() const { return frequency_.size(); }
  /// Which atoms and single jumps were subtracted: 0 none, 2 both (then epsilon > 0 and the caller adds them).
  [[nodiscard]] bool expanded() const { return expanded_; }
  /// log K(c) and its error.
  [[nodiscard]] double log_moment() const { return static_cast<double>(log_moment_); }

  /// The three numbers of the head of this file at one threshold, with their errors. Cost: one sine and cosine per
  /// node.
  [[nodiscard]] ContourValues at(double epsilon) const;

  /// More than half of the error of delta is rounding, and it matters.
  [[nodiscard]] bool rounding_rules(double epsilon) const;

  /// A second contour agreed with this one.
  void confirm() { confirmed_ = true; }
  /// Whether confirm() was called.
  [[nodiscard]] bool confirmed() const { return confirmed_; }

 private:
  void truncate(const Transform& transform, const Deadline& deadline);
  void fill(const Transform& transform, const Deadline& deadline);
  [[nodiscard]] double log_aliasing(double epsilon, double lowest) const;

  ContourPlan plan_;
  double step_ = 0.0;
  double end_ = 0.0;  // beyond it the truncation bound holds
  bool expanded_ = false;
  bool confirmed_ = false;
  Real log_moment_{};
  double log_moment_error_ = 0.0;
  std::array<double, 2> tail_{};              // kernels 1/w^2 and 1/w, already divided by pi
  std::vector<std::array<double, 2>> right_;  // (c', K(c')) for the aliasing from the right
  std::vector<std::array<double, 2>> left_;
  std::vector<double> frequency_;
  std::vector<Real> real_;  // exp(K(z) - K(c)), first node halved
  std::vector<Real> imaginary_;
  std::array<std::array<double, 2>, 3> rounding_{};  // per kernel: constant and per unit of |epsilon|
};

}  // namespace dpcurves::accounting::detail
