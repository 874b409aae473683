// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/bounds/detail/checks.hpp>
#include <dpcurves/bounds/long_tail_clipping.hpp>

namespace dpcurves::bounds {

using namespace checks;

double clipping_factor(double clip, double signal_norm, double noise_frobenius) {
  require_positive(clip, "clip");
  require_nonnegative(signal_norm, "signal_norm");
  require_nonnegative(noise_frobenius, "noise_frobenius");
  require_domain(signal_norm + noise_frobenius > 0.0, "signal_norm + noise_frobenius", signal_norm + noise_frobenius,
                 "(0, inf)");
  return clip / (signal_norm + noise_frobenius);
}

double gradient_norm_bound(double filters, double residual, double signal_norm, double noise_norm_squared) {
  require_count(filters, "filters");
  require_domain(residual >= 0.0 && residual <= 1.0, "residual", residual, "[0, 1]");
  require_nonnegative(signal_norm, "signal_norm");
  require_nonnegative(noise_norm_squared, "noise_norm_squared");
  return std::sqrt(2.0 / filters) * residual * std::hypot(signal_norm, std::sqrt(noise_norm_squared));
}

double clip_multiplier_lower_bound(double clip, double filters, double signal_norm, double noise_norm_squared) {
  require_domain(clip > 0.0, "clip", clip, "(0, inf]");
  require_count(filters, "filters");
  require_nonnegative(signal_norm, "signal_norm");
  require_nonnegative(noise_norm_squared, "noise_norm_squared");
  const double length = std::hypot(signal_norm, std::sqrt(noise_norm_squared));
  return length > 0.0 ? std::min(1.0, clip * (std::sqrt(filters) / (std::numbers::sqrt2 * length))) : 1.0;
}

}  // namespace dpcurves::bounds
