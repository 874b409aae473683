// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Sums that keep their digits, and elementary functions in the log domain.
#pragma once

#include <span>

namespace dpcurves::numerics {

/// A running sum whose rounding error does not grow with the number of terms (Neumaier's form of Kahan's sum).
///
/// Accuracy: |error| <= 2u |sum| + O(n u^2) sum of |terms|, u = 2^-53.
class CompensatedSum {
 public:
  CompensatedSum& operator+=(double term);  ///< Adds one term, with the rounding error of the addition kept apart.
  /// The sum so far.
  [[nodiscard]] double value() const { return sum_ + carry_; }

 private:
  double sum_ = 0.0;
  double carry_ = 0.0;
};

/// The compensated sum of `terms`; 0 if there are none.
[[nodiscard]] double sum(std::span<const double> terms);

/// log(sum of exp(x)) without overflow; -infinity for an empty span. \throws DomainError if an entry is NaN.
[[nodiscard]] double log_sum_exp(std::span<const double> x);

/// log(exp(a) + exp(b)); either may be -infinity.
[[nodiscard]] double log_add_exp(double a, double b);

/// log(1 - exp(x)) for x <= 0; -infinity at 0. Relative error below 4u. \throws DomainError if x > 0 or NaN.
[[nodiscard]] double log1m_exp(double x);

/// log(exp(x) - 1) for x >= 0; -infinity at 0, no overflow. \throws DomainError if x < 0 or NaN.
[[nodiscard]] double log_expm1(double x);

}  // namespace dpcurves::numerics
