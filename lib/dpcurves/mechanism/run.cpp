// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/mechanism/run.hpp>

namespace dpcurves::mechanism {

std::optional<double> update_size(const Run& run, const Phase& phase) {
  if (phase.batch_size) {
    return *phase.batch_size * phase.accumulation;
  }
  if (phase.sampling_rate && run.records) {
    return *phase.sampling_rate * run.records->count;
  }
  return std::nullopt;
}

std::optional<double> noise_multiplier(const Run& run, const Phase& phase) {
  if (!phase.noise) {
    return phase.noise_multiplier;
  }
  const double over_norm = *phase.noise / run.clipping.norm;
  if (run.clipping.noise_on == NoiseOn::sum) {
    return over_norm;
  }
  const auto size = update_size(run, phase);
  return size ? std::optional(over_norm * *size) : std::nullopt;
}

}  // namespace dpcurves::mechanism
