// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Pieces in doubles, for planning: they prove nothing. Internal.
#pragma once

#include <complex>
#include <utility>
#include <vector>

#include <dpcurves/accounting/mixture/law.hpp>

namespace dpcurves::accounting::mixture {

/// A piece in doubles: losses and logs of the alternative's density.
class PlainPiece {
 public:
  explicit PlainPiece(const Piece& piece);
  using Complex = std::complex<double>;
  /// {log of the alternative's density, loss} at x, real or complex.
  template <class Number>
  [[nodiscard]] std::pair<Number, Number> at(Number x) const {
    const Number a = log_sum(alternative_, x);
    return {a + log_weight_ - 0.5 * x * x - 0.91893853320467274178, a - log_sum(null_, x)};
  }
  /// About log of the alternative's mass right of x (or left of it).
  [[nodiscard]] double log_tail(double x, bool right) const;
  [[nodiscard]] double from() const { return from_; }
  [[nodiscard]] double least_mean() const { return least_; }
  [[nodiscard]] double largest_mean() const { return largest_; }

 private:
  struct Term {
    double log_weight, mean;
  };
  template <class Number>
  [[nodiscard]] static Number log_sum(const std::vector<Term>& terms, Number x);
  std::vector<Term> alternative_, null_;
  double log_weight_, from_, least_, largest_;
};

}  // namespace dpcurves::accounting::mixture
