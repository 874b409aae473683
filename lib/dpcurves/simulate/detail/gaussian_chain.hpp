// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Laws of noisy descent with affine steps, in closed form.
///
/// X_{k+1} = factor_k X_k + shift_k + noise N(0, 1) stays Gaussian. In d dimensions with scalar factors and isotropic
/// noise the same holds along the line that joins two means, so this is the law of quadratics of one curvature.
#pragma once

#include <span>

namespace dpcurves::simulate {

/// The step x -> factor x + shift, before its noise.
struct AffineStep {
  double factor = 1.0;  ///< 1 - step size times curvature
  double shift = 0.0;   ///< the same for every x
};

/// N(mean, variance); variance 0 is a point.
struct GaussianLaw {
  double mean = 0.0;      ///< of the iterate
  double variance = 0.0;  ///< >= 0, in squared units of the iterate
};

/// The law after all of `steps`, each with noise of standard deviation `noise`, from a fixed start.
/// \throws DomainError  unless noise >= 0 and everything is finite.
/// Accuracy: relative 4e-16 per step for the variance. Cost: O(steps).
[[nodiscard]] GaussianLaw gaussian_chain(double start, std::span<const AffineStep> steps, double noise);

/// The mu of the Gaussian trade-off function between two laws of equal variance: difference of means over the
/// standard deviation; infinite for distinct points.
/// \throws DomainError  unless the variances agree within a relative 1e-12.
[[nodiscard]] double separation(const GaussianLaw& first, const GaussianLaw& second);

}  // namespace dpcurves::simulate
