// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What the accountant reads of a run.
#include <cmath>
#include <string>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting {
namespace {

using mechanism::Run;
using mechanism::Sampler;

/// Two sums on one batch are one, with 1/Z^2 the sum of theirs: a sufficient statistic. Rounded down.
double merged(double a, double b) {
  const double smaller = std::min(a, b);
  const double ratio = smaller / std::max(a, b);
  return smaller / std::sqrt(1.0 + ratio * ratio) * (1.0 - 4.0 * 0x1p-53);
}

double noise_multiplier(const Run& run, const mechanism::Phase& phase, const std::string& where) {
  const auto given = mechanism::noise_multiplier(run, phase);
  if (!given) {
    throw DomainError(where + ": neither noise_multiplier nor a noise whose scale is known");
  }
  double multiplier = *given;
  if (run.clipping.per == mechanism::ClippedPer::micro_batch) {
    multiplier *= 0.5;  // a record that comes or goes turns one clipped mean into another: twice the norm
  }
  if (run.clipping.adaptive) {
    if (!run.clipping.quantile_noise_multiplier) {
      throw DomainError("clipping: adaptive without quantile_noise_multiplier: the quantile is published too");
    }
    const bool centred = run.clipping.quantile_range == mechanism::QuantileRange::centred;
    multiplier = merged(multiplier, *run.clipping.quantile_noise_multiplier * (centred ? 2.0 : 1.0));
  }
  return multiplier;
}

double sampling_rate(const Run& run, const mechanism::Phase& phase, const std::string& where) {
  if (phase.sampler == Sampler::none) {
    return 1.0;
  }
  if (phase.sampling_rate) {
    return *phase.sampling_rate;
  }
  if (!phase.batch_size || !run.records) {
    throw DomainError(where + ": neither sampling_rate nor batch_size and records");
  }
  return sampling_rate_of(*phase.batch_size * phase.accumulation, run.records->count);
}

/// What a sampler cannot do without, and what others have no use for.
double needed(const mechanism::Phase& phase, Sampler sampler, const std::optional<double>& value,
              const std::string& where, double otherwise) {
  if (value.has_value() != (phase.sampler == sampler)) {
    throw DomainError(where + (value ? ": has a meaning only with the sampler " : ": is missing, with the sampler ") +
                      std::string(name(sampler)));
  }
  return value.value_or(otherwise);
}

}  // namespace

DpSgd dp_sgd_of(const Run& run) {
  if (run.noise.strategy != mechanism::Strategy::identity) {
    throw DomainError(
        "noise.strategy: correlated noise is no composition of steps; ask dpcurves privacy correlated --run FILE");
  }
  DpSgd result;
  result.sampling = run.phases.empty() ? Sampler::none : run.phases.front().sampler;
  result.adjacency = run.privacy.adjacency;
  for (std::size_t i = 0; i < run.phases.size(); ++i) {
    const mechanism::Phase& phase = run.phases[i];
    const std::string where = "phases[" + std::to_string(i) + "]";
    const bool pair_known = phase.sampler == Sampler::none || (phase.sampler == Sampler::poisson &&
                                                               result.adjacency != mechanism::Adjacency::replace_one);
    if (pair_known && noise_multiplier(run, phase, where) == 0.0) {  // reveals whether the record was used
      mechanism::Mechanism bare;
      bare.count = phase.steps;
      bare.sampling_rate = sampling_rate(run, phase, where);
      result.mechanisms.push_back(bare);
      continue;
    }
    result.phases.push_back(
        {noise_multiplier(run, phase, where), sampling_rate(run, phase, where), phase.steps, phase.sampler});
    if (run.records) {
      result.phases.back().records = run.records->count;
    }
    if (phase.sampler == Sampler::random_allocation) {
      result.uses_per_round = phase.uses_per_round;
    }
    result.phases.back().cycle = needed(phase, Sampler::cyclic_poisson, phase.cycle, where + ".cycle", 1.0);
    result.phases.back().largest_batch =
        needed(phase, Sampler::truncated_poisson, phase.largest_batch, where + ".largest_batch", 0.0);
    result.separation = needed(phase, Sampler::b_min_sep, phase.separation, where + ".separation", result.separation);
  }
  if (run.records && run.records->unit != mechanism::Unit::example) {
    result.group_size = run.records->max_records_per_unit;
  }
  for (const mechanism::Sum& release : run.releases) {
    result.unsampled.push_back({release.noise_multiplier, release.count, release.upper_only});
  }
  for (const mechanism::Claim& claim : run.claims) {
    result.claims.push_back({claim.epsilon, claim.delta, claim.count});
  }
  for (const mechanism::Concentrated& other : run.concentrated) {
    result.concentrated.push_back({other.rho, other.xi, other.count});
  }
  for (const mechanism::Mechanism& other : run.mechanisms) {
    result.mechanisms.push_back(other);
  }
  return result;
}

}  // namespace dpcurves::accounting
