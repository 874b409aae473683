// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/bounds/correlated_quadratic.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::bounds {
namespace {

void check_stable(double curvature, double step_size) {
  require_domain(curvature > 0.0 && std::isfinite(curvature), "curvature", curvature, "(0, inf)");
  require_domain(step_size > 0.0 && step_size * curvature < 2.0, "step_size", step_size, "(0, 2/curvature)");
}

void check_correlation(double correlation) {
  require_domain(correlation >= 0.0 && correlation <= 1.0, "correlation", correlation, "[0, 1]");
}

}  // namespace

double cumulative_noise_variance(double steps, double correlation) {
  require_domain(steps >= 1.0, "steps", steps, "[1, inf)");
  check_correlation(correlation);
  return 1.0 + (steps - 1.0) * (1.0 - correlation) * (1.0 - correlation);
}

double stationary_variance(const NoisyQuadratic& s) {
  require(s);
  check_stable(s.curvature, s.step_size);
  const double kept = 1.0 - s.correlation;
  // fma: near the end of stability the product rounds by more than what is left of 2.
  const double stable = std::fma(-s.step_size, s.curvature, 2.0);
  return s.step_size * s.noise * s.noise * (kept * kept + 2.0 * s.correlation * s.step_size * s.curvature) /
         (s.curvature * stable);
}

double best_quadratic_correlation(double curvature, double step_size) {
  check_stable(curvature, step_size);
  return std::fma(-step_size, curvature, 1.0);
}

}  // namespace dpcurves::bounds
