// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Squared Mahalanobis distances of samples from a normal law with independent coordinates, and the chi-squared law
/// that they have if the samples come from it.
#pragma once

#include <span>

namespace dpcurves::inference {

/// sum (x_i - mean_i)^2/variance_i.
/// \param x, mean, variance  shape (dimension), variances > 0. \throws DomainError  otherwise.
[[nodiscard]] double squared_mahalanobis(std::span<const double> x, std::span<const double> mean,
                                         std::span<const double> variance);

/// The number below which a chi-squared variable falls with probability p.
/// \param degrees  degrees of freedom > 0. \param p  in [0, 1). \throws DomainError  outside. Accuracy: 1e-13.
[[nodiscard]] double chi_squared_quantile(double degrees, double p);

}  // namespace dpcurves::inference
