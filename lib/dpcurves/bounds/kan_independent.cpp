// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numbers>

#include <dpcurves/bounds/detail/checks.hpp>
#include <dpcurves/bounds/kan_concentration.hpp>
#include <dpcurves/bounds/kan_independent.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::bounds {

using namespace checks;

IndependentNoiseBound independent_noise_bound(const IndependentNoiseSetting& s) {
  require(s);
  const double event = 0.25 * s.delta;
  const double cross = 6.0 * std::numbers::sqrt2 * s.projection_radius * std::sqrt(s.iterates * std::log(2.0 / event));
  const double eta = s.step_size;
  IndependentNoiseBound bound{.batch_energy = batch_energy(s.iterates, s.gradient, s.batch, event),
                              .noise_energy = chi_squared_bound(s.iterates * s.parameters, -std::log(event)),
                              .batch_cross = cross * s.gradient / std::sqrt(s.batch),
                              .noise_cross = cross * s.private_noise};
  bound.mean_loss = 4.0 * s.comparator_loss +
                    (1.5 * s.distance_squared / eta +
                     6.0 * eta * (bound.batch_energy + s.private_noise * s.private_noise * bound.noise_energy) +
                     bound.batch_cross + bound.noise_cross) /
                        s.iterates;
  return bound;
}

double descent_step_bound(const DescentStep& s) {
  require(s);
  require_domain(12.0 * s.smoothness * s.step_size <= 1.0, "step_size", s.step_size, "(0, 1/(12 beta)]");
  require_domain(8.0 * s.curvature * s.radius * s.radius <= 1.0, "radius", s.radius, "[0, (8 nu)^(-1/2)]");
  return 4.0 * s.comparator_loss + 1.5 / s.step_size * (s.distance_before - s.distance_after) +
         6.0 * s.step_size * (s.batch_squared + s.private_noise * s.private_noise * s.noise_squared) - 3.0 * s.cross;
}

double independent_noise_rate(const IndependentRateSetting& s) {
  require(s);
  const double log_one = -std::log(s.delta);
  const double log_records = std::log(s.records) + log_one;
  const double log_iterates = std::log(s.iterates);
  const double noise = s.noise_multiplier / s.batch;
  return (log_iterates * log_iterates + log_records) / (s.margin * s.margin * s.step_size * s.iterates) +
         log_one * (log_iterates + std::sqrt(log_records)) / (s.margin * std::sqrt(s.batch * s.iterates)) *
             (1.0 + s.noise_multiplier / std::sqrt(s.batch)) +
         s.step_size * log_one * (1.0 / s.batch + log_one / s.iterates) +
         s.step_size * s.units * s.inputs * log_one * log_one * noise * noise;
}

NonPrivateRate non_private_rate(double margin, double step_size, double iterates, double batch, double records,
                                double delta) {
  require_margin(margin);
  require(NoisyRun{iterates, batch, step_size, 0.0, 0.0});
  require_domain(records >= 1.0, "records", records, "[1, inf)");
  require_domain(delta >= 0.0 && delta < 1.0, "delta", delta, "[0, 1)");
  const double rate =
      1.0 / (margin * margin * step_size * iterates) + 1.0 / (margin * std::sqrt(batch * iterates)) + step_size / batch;
  return {rate, (1.0 + step_size * iterates / records) * (rate + delta) + delta / margin};
}

}  // namespace dpcurves::bounds
