// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What the accountant reads of a run.
#include <string>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting {
namespace {

using mechanism::Run;
using mechanism::Sampler;

/// Whether a replaced record is drawn for its batch by a theorem that asks where the sum is without it. Without it a
/// micro-batch is anywhere in the ball, not at 0: as far from both as for a record that is zeroed out. Batches of one
/// size, and steps that are not amplified, ask for the distance of two sums alone.
bool drawn_micro_batches(const Run& run, const mechanism::Phase& phase) {
  using enum Sampler;
  return run.clipping.per == mechanism::ClippedPer::micro_batch &&
         run.privacy.adjacency == mechanism::Adjacency::replace_one && phase.sampler != none &&
         phase.sampler != fixed_size && phase.sampler != shuffled && phase.sampler != cyclic;
}

/// What a sampler cannot do without, and what others have no use for.
double needed(const mechanism::Phase& phase, Sampler sampler, const std::optional<double>& value,
              const std::string& where, double otherwise) {
  if (value.has_value() != (phase.sampler == sampler)) {
    throw UsageError(where + (value ? ": has a meaning only with the sampler " : ": is missing, with the sampler ") +
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
  DpSgd result{.sampling = run.phases.empty() ? Sampler::none : run.phases.front().sampler,
               .adjacency = run.privacy.adjacency,
               .release = run.privacy.release};
  for (std::size_t i = 0; i < run.phases.size(); ++i) {
    const mechanism::Phase& phase = run.phases[i];
    const std::string where = "phases[" + std::to_string(i) + "]";
    const bool pair_known = phase.sampler == Sampler::none || (phase.sampler == Sampler::poisson &&
                                                               result.adjacency != mechanism::Adjacency::replace_one);
    if (pair_known && noise_over_record(run, i) == 0.0) {  // reveals whether the record was used
      mechanism::Mechanism bare{.count = phase.steps, .sampling_rate = sampling_rate(run, i)};
      result.mechanisms.push_back(bare);
      continue;
    }
    const bool halved = drawn_micro_batches(run, phase);
    const double noise = noise_over_record(run, i, halved ? mechanism::Adjacency::zero_out : result.adjacency);
    result.upper_only = result.upper_only || (halved && phase.steps > 0.0);
    result.phases.push_back({noise, sampling_rate(run, i), phase.steps, phase.sampler});
    if (run.records) {
      result.phases.back().records = run.records->count;
    }
    if (phase.restart.value_or(0.0) == 0.0) {  // after one an epoch may begin anew
      result.phases.back().first_step = phase.first_step;
    }
    if (phase.sampler == Sampler::random_allocation) {
      result.uses_per_round = phase.uses_per_round;
    }
    result.phases.back().cycle = needed(phase, Sampler::cyclic_poisson, phase.cycle, where + ".cycle", 1.0);
    result.phases.back().largest_batch =
        needed(phase, Sampler::truncated_poisson, phase.largest_batch, where + ".largest_batch", 0.0);
    if (phase.sampler == Sampler::truncated_poisson && !run.records) {
      throw UsageError("records.count: is missing, with the sampler truncated-poisson of " + where);
    }
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
