// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numbers>

#include <dpcurves/bounds/detail/checks.hpp>
#include <dpcurves/bounds/long_tail_memorization.hpp>

namespace dpcurves::bounds {

using namespace checks;

double accumulated_noise_radius(double step_size, double private_noise, double steps, double length,
                                double failure_probability) {
  require_positive(step_size, "step_size");
  require_nonnegative(private_noise, "private_noise");
  require_count(steps, "steps");
  require_nonnegative(length, "length");
  const double log_two = std::numbers::ln2 + log_inverse(failure_probability, "failure_probability");
  return step_size * private_noise * std::sqrt(steps) * length * std::sqrt(2.0 * log_two);
}

NoiseMemorizationBound noise_memorization(const NoiseMemorization& setting) {
  const auto& s = setting;
  require(s);
  const double radius =
      accumulated_noise_radius(s.step_size, s.private_noise, s.steps, s.noise_norm, s.failure_probability);
  require_domain(s.summed_residuals >= 0.0 && s.summed_residuals <= s.steps, "summed_residuals", s.summed_residuals,
                 "[0, steps]");
  const double lead = s.lead_constant * s.step_size * s.clipping_factor * s.summed_residuals * s.noise_norm_squared /
                      (s.records * std::sqrt(s.filters));
  const double one_step = s.noise_constant * s.step_size * s.private_noise * s.noise_frobenius;
  return {lead, lead - one_step, lead - s.steps * one_step, lead - radius};
}

}  // namespace dpcurves::bounds
