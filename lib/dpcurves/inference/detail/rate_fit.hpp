// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The exponent of a power law from measured values.
#pragma once

#include <span>

#include <dpcurves/core/estimate.hpp>

namespace dpcurves::inference {

/// log y = intercept + slope log x, each with its standard error.
struct RateFit {
  Estimate slope;      ///< the exponent
  Estimate intercept;  ///< natural logarithm of the value at x = 1
};

/// Least squares on the logarithms; the scatter around the line gives the errors.
/// \param x, y  positive, finite, of equal length >= 3, not all x equal.
/// \throws DomainError  otherwise.
[[nodiscard]] RateFit fit_rate(std::span<const double> x, std::span<const double> y);

/// The same with known standard errors of the y: they give the weights and the errors, whatever the scatter.
/// \param y_errors  positive, finite; at least two points.
[[nodiscard]] RateFit fit_rate(std::span<const double> x, std::span<const double> y, std::span<const double> y_errors);

}  // namespace dpcurves::inference
