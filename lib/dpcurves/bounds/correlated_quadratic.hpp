// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Two exact facts about lambda-correlated noise: its cumulative sum, and what a quadratic keeps of it.
///
/// xi_t = kappa (Z_t - lambda Z_{t-1}), Z_0 = 0. The sums telescope: sum of xi_1..xi_t = kappa (Z_t + (1 - lambda)
/// sum_{s<t} Z_s).
///
/// Derived beside Remark 4.2 and Figure 1 (right) of Wang et al., "Population Risk Bounds for Kolmogorov-Arnold
/// Networks Trained by DP-SGD with Correlated Noise". Accuracy 1e-15.
#pragma once

#include <dpcurves/core/field.hpp>

namespace dpcurves::bounds {

/// Variance per coordinate of xi_1 + ... + xi_t over kappa^2: 1 + (t - 1)(1 - lambda)^2.
/// \param steps  t >= 1. \param correlation  in [0, 1]. \throws DomainError outside.
[[nodiscard]] double cumulative_noise_variance(double steps, double correlation);

/// x_t = (1 - eta a) x_{t-1} - eta c (Z_t - lambda Z_{t-1}).
struct NoisyQuadratic {
  double curvature = 1.0;
  double step_size = 0.1;
  double correlation = 0.0;
  double noise = 1.0;
  static constexpr std::tuple fields{
      required("curvature", "a", &NoisyQuadratic::curvature, "(0, inf)", "curvature"),
      required("step_size", "eta", &NoisyQuadratic::step_size, "(0, inf)", "step size"),
      required("correlation", "lambda", &NoisyQuadratic::correlation, "[0, 1]", "noise correlation"),
      required("noise", "c", &NoisyQuadratic::noise, "[0, inf)", "noise per step size")};
};
/// The stationary variance eta c^2 ((1 - lambda)^2 + 2 lambda eta a)/(a (2 - eta a)). \throws DomainError outside.
[[nodiscard]] double stationary_variance(const NoisyQuadratic& setting);
/// The lambda of least stationary variance, 1 - eta a; negative (noise should alternate) for eta a > 1.
[[nodiscard]] double best_quadratic_correlation(double curvature, double step_size);

}  // namespace dpcurves::bounds
