// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/mechanism/run.hpp>

namespace dpcurves::mechanism {
namespace {

std::string name_of(std::size_t phase) { return "phases[" + std::to_string(phase) + "]"; }

/// Two sums on one batch are one, with 1/Z^2 the sum of theirs: a sufficient statistic. Rounded down.
double merged(double a, double b) {
  const double smaller = std::min(a, b);
  const double ratio = smaller / std::max(a, b);
  return smaller / std::sqrt(1.0 + ratio * ratio) * (1.0 - 4.0 * 0x1p-53);
}

}  // namespace

std::optional<double> update_size(const Run& run, const Phase& phase) {
  if (phase.batch_size) {
    return *phase.batch_size * phase.accumulation;
  }
  if (phase.sampling_rate && run.records) {
    return *phase.sampling_rate * run.records->count;
  }
  return std::nullopt;
}

std::optional<double> multiplier_of_noise(const Run& run, const Phase& phase) {
  if (!phase.noise || !run.clipping.norm) {
    return std::nullopt;
  }
  const double over_norm = *phase.noise / *run.clipping.norm;
  if (run.clipping.noise_on == NoiseOn::sum) {
    return over_norm;
  }
  const auto size = update_size(run, phase);
  return size ? std::optional(over_norm * *size) : std::nullopt;
}

std::optional<double> noise_multiplier(const Run& run, const Phase& phase) {
  if (!phase.noise) {
    return phase.noise_multiplier;
  }
  const auto added = multiplier_of_noise(run, phase);
  return added && noises_contradict(run, phase) ? std::min(*added, *phase.noise_multiplier) : added;
}

bool noises_contradict(const Run& run, const Phase& phase) {
  constexpr double rounded_off = 0.005;  // of numbers that were printed with few digits
  const auto added = multiplier_of_noise(run, phase);
  return added && phase.noise_multiplier &&
         std::abs(*added - *phase.noise_multiplier) > rounded_off * *phase.noise_multiplier;
}

double sampling_rate(const Run& run, std::size_t index) {
  const Phase& phase = run.phases[index];
  if (phase.sampler == Sampler::none) {
    return 1.0;
  }
  if (phase.sampling_rate) {
    return *phase.sampling_rate;
  }
  if (!phase.batch_size || !run.records) {
    throw DomainError(name_of(index) + ": neither sampling_rate nor batch_size and records");
  }
  return sampling_rate_of(*phase.batch_size * phase.accumulation, run.records->count);
}

double noise_over_record(const Run& run, std::size_t index) {
  return noise_over_record(run, index, run.privacy.adjacency);
}

double noise_over_record(const Run& run, std::size_t index, Adjacency adjacency) {
  const auto given = noise_multiplier(run, run.phases[index]);
  if (!given) {
    throw DomainError(name_of(index) + (run.phases[index].noise && !run.clipping.norm
                                            ? ".noise: is measured in clipping norms, and clipping.norm is not said"
                                            : ": neither noise_multiplier nor a noise whose scale is known"));
  }
  double multiplier = *given;
  if (run.clipping.per == ClippedPer::micro_batch && adjacency != Adjacency::replace_one) {
    multiplier *= 0.5;  // a record that comes or goes turns one clipped mean into another: twice the norm
  }
  if (run.clipping.adaptive) {
    if (!run.clipping.quantile_noise_multiplier) {
      throw DomainError("clipping: adaptive without quantile_noise_multiplier: the quantile is published too");
    }
    const bool centred = run.clipping.quantile_range == QuantileRange::centred;
    multiplier = merged(multiplier, *run.clipping.quantile_noise_multiplier * (centred ? 2.0 : 1.0));
  }
  return multiplier;
}

}  // namespace dpcurves::mechanism
