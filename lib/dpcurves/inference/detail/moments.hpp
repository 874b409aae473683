// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Means and variances of samples with their standard errors.
#pragma once

#include <cstddef>
#include <vector>

namespace dpcurves::inference {

/// Mean and unbiased variance of a sample, and the standard errors of both.
struct Moments {
  double mean = 0.0;            ///< of the sample
  double mean_error = 0.0;      ///< sqrt(variance / n)
  double variance = 0.0;        ///< with n - 1 in the denominator
  double variance_error = 0.0;  ///< sqrt((fourth central moment - variance^2) / n), for large n
  std::size_t count = 0;        ///< n
};

/// Of n >= 2 independent values; NaN from a single one. Two passes, O(n); relative error about 1e-16 sqrt(n).
[[nodiscard]] Moments moments(const std::vector<double>& sample);

/// Of the differences a_i - b_i of paired runs. \throws DomainError  unless both have the same length.
[[nodiscard]] Moments paired(const std::vector<double>& a, const std::vector<double>& b);

/// How many standard errors the mean of normal values may be off, by Student's law with count - 1 degrees of freedom.
///
/// \param miss  chance of a larger deviation, both sides together, in (0, 1).
/// \throws DomainError  unless count >= 2 and miss is in (0, 1). Accuracy: relative 1e-10. Cost: about 10 us.
[[nodiscard]] double student_quantile(std::size_t count, double miss);

/// How many standard errors a mean may be off: 1e-10 for a normal law on both sides.
constexpr double standard_errors = 6.5;

}  // namespace dpcurves::inference
