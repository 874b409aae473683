// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/kan_constants.hpp>

namespace dpcurves::models {

KanConstants constants_of(double gradient, double hessian) {
  require_domain(gradient >= 0.0, "gradient", gradient, "[0, inf)");
  require_domain(hessian >= 0.0, "hessian", hessian, "[0, inf)");
  return {gradient, hessian, 0.25 * gradient * gradient + hessian, hessian};
}

KanBounds kan_bounds(const KanShape& shape) {
  const ActivationBounds activation = bounds(shape.activation);
  const SplineBounds spline = UniformSplines(shape.splines, shape.degree).bounds();
  return {activation.slope,
          activation.curvature,
          spline.value,
          spline.slope,
          spline.curvature,
          static_cast<double>(shape.splines),
          static_cast<double>(shape.units)};
}

KanConstants worst_case_constants(const KanBounds& b, double delta) {
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  require_domain(b.splines >= 1.0, "splines", b.splines, "[1, inf)");
  require_domain(b.units >= 1.0, "units", b.units, "[1, inf)");
  const double root_p = std::sqrt(b.splines);
  const double gradient = b.activation_slope * b.spline * b.spline_slope * b.splines *
                          (4.0 * root_p + 2.0 * std::sqrt((std::log(2.0) - std::log(delta)) / b.units));
  const double hessian =
      b.spline * b.spline *
      (b.activation_curvature * b.spline_slope + b.activation_slope * b.activation_slope * b.spline_curvature) *
      b.splines * root_p / std::sqrt(b.units) *
      (4.0 * root_p + 2.0 * std::sqrt(std::log(2.0) + std::log(b.units) - std::log(delta)));
  return constants_of(gradient, hessian);
}

KanConstants spline_sharp_constants(const KanNetwork& network) {
  const ActivationBounds activation = bounds(network.shape().activation);
  const SplineBounds spline = network.splines().bounds();
  const double root_m = std::sqrt(static_cast<double>(network.shape().units));
  const Eigen::MatrixXd& c = network.second_layer();
  // |h(x)|^2 <= d sup |h|^2: every coordinate has its own splines.
  return constants_of(
      activation.slope * spline.norm * spline.slope_norm * c.norm() / root_m,
      spline.norm * spline.norm *
          (activation.curvature * spline.slope_norm + activation.slope * activation.slope * spline.curvature_norm) *
          c.colwise().norm().maxCoeff() / root_m);
}

void MeasuredConstants::see(const KanExtremes& extremes) {
  seen_.gradient_norm = std::max(seen_.gradient_norm, extremes.gradient_norm);
  seen_.hessian_norm = std::max(seen_.hessian_norm, extremes.hessian_norm);
}

}  // namespace dpcurves::models
