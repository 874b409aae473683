// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <bit>
#include <cmath>
#include <numbers>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/phase_schedule.hpp>

namespace dpcurves::models {
namespace {

bool projects(PhasedAlgorithm algorithm) {
  return algorithm == PhasedAlgorithm::projected || algorithm == PhasedAlgorithm::projected_smoothed;
}

}  // namespace

int phase_count(std::uint64_t records) {
  require_domain(records >= 1, "records", static_cast<double>(records), "[1, 2^64)");
  return static_cast<int>(std::bit_width(records)) - 1;
}

int printed_phase_count(std::uint64_t records) { return phase_count(records) + (std::has_single_bit(records) ? 0 : 1); }

std::vector<std::uint64_t> phase_sizes(std::uint64_t records) {
  require_domain(records >= 2, "records", static_cast<double>(records), "[2, 2^64)");
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(phase_count(records)));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = records >> (i + 1);
  }
  return sizes;
}

double printed_noise_per_step(PhasedAlgorithm algorithm, double label_bound, double epsilon, double delta) {
  require_domain(label_bound > 0.0 && std::isfinite(label_bound), "label_bound", label_bound, "(0, inf)");
  require_domain(epsilon > 0.0, "epsilon", epsilon, "(0, inf]");
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  const bool smoothed = algorithm == PhasedAlgorithm::smoothed || algorithm == PhasedAlgorithm::projected_smoothed;
  const double log_term = (projects(algorithm) ? std::numbers::ln2 : 0.0) - std::log(delta);
  return (smoothed ? 10.0 : 8.0) * (projects(algorithm) ? 2.0 : 1.0) * label_bound * std::sqrt(log_term) / epsilon;
}

double largest_phase_step(PhasedAlgorithm algorithm, double smoothness) {
  require_domain(smoothness > 0.0, "smoothness", smoothness, "(0, inf]");
  return (projects(algorithm) ? 0.5 : 2.0) / smoothness;
}

std::vector<Phase> phase_schedule(std::uint64_t records, double step_size, double noise_per_step) {
  require_domain(step_size > 0.0 && std::isfinite(step_size), "step_size", step_size, "(0, inf)");
  require_domain(noise_per_step >= 0.0 && std::isfinite(noise_per_step), "noise_per_step", noise_per_step, "[0, inf)");
  std::vector<Phase> phases;
  for (const std::uint64_t size : phase_sizes(records)) {
    const double step = std::ldexp(step_size, -2 * (static_cast<int>(phases.size()) + 1));
    phases.push_back({size, step, noise_per_step * step});
  }
  return phases;
}

}  // namespace dpcurves::models
