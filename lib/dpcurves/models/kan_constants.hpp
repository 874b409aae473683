// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Gradient, curvature and smoothness constants of a two-layer KAN, in three versions.
///
/// The paper writes C_{sigma,b} p^3 for the smoothness; here every constant is explicit. The worst case holds for every
/// second layer of an event and is hopeless in size; the spline-sharp version uses the second layer that was drawn; the
/// measured one holds along the path that was walked. All three serve the same calculators.
///
/// Source: Wang et al., "Population Risk Bounds for Kolmogorov-Arnold Networks Trained by DP-SGD with Correlated
/// Noise", Lemmas B.5 to B.7, equations (3) to (5).
#pragma once

#include <dpcurves/models/kan.hpp>

namespace dpcurves::models {

/// |grad f| <= gradient, |Hess f| <= hessian; for the loss: -nu ell <= lambda_min, lambda_max <= beta.
struct KanConstants {
  double gradient = 0.0;    ///< G
  double hessian = 0.0;     ///< H
  double smoothness = 0.0;  ///< beta = G^2/4 + H
  double curvature = 0.0;   ///< nu = H: lambda_min(Hess ell) >= -nu ell

  /// 1/(12 beta), the largest step of the optimisation theorems.
  [[nodiscard]] double largest_step() const { return 1.0 / (12.0 * smoothness); }
};

/// From G and H. \throws DomainError  unless both are >= 0.
[[nodiscard]] KanConstants constants_of(double gradient, double hessian);

/// What the worst case uses of activation, splines and shape.
struct KanBounds {
  double activation_slope = 1.0;      ///< B_s' >= 0
  double activation_curvature = 0.0;  ///< B_s'' >= 0
  double spline = 1.0;                ///< B_b >= 0
  double spline_slope = 0.0;          ///< B_b' >= 0
  double spline_curvature = 0.0;      ///< B_b'' >= 0
  double splines = 1.0;               ///< p >= 1
  double units = 1.0;                 ///< m >= 1
};
/// Of the shape's activation, splines and width; exact suprema.
[[nodiscard]] KanBounds kan_bounds(const KanShape& shape);

/// Lemmas B.6 and B.7 with probability at least 1 - delta over the second layer:
/// G = B_s' B_b B_b' p (4 sqrt p + 2 sqrt(log(2/delta)/m)),
/// H = B_b^2 (B_s'' B_b' + B_s'^2 B_b'') p^(3/2) m^(-1/2) (4 sqrt p + 2 sqrt(log(2 m/delta))).
/// \param delta  in (0, 1). \throws DomainError  outside. Accuracy: 1e-15.
[[nodiscard]] KanConstants worst_case_constants(const KanBounds& bounds, double delta);

/// For the second layer that was drawn, all first layers and all inputs of the unit ball.
[[nodiscard]] KanConstants spline_sharp_constants(const KanNetwork& network);

/// Maxima of G and H over points: a path, the segment to its comparator.
class MeasuredConstants {
 public:
  void see(const KanExtremes& extremes);  ///< One more point.
  /// The constants at the points seen; 0 before the first.
  [[nodiscard]] KanConstants constants() const { return constants_of(seen_.gradient_norm, seen_.hessian_norm); }

 private:
  KanExtremes seen_;
};

}  // namespace dpcurves::models
