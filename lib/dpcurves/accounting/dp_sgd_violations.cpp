// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What a run of DP-SGD lacks for a theorem, in words.
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/detail/dp_sgd_laws.hpp>
#include <dpcurves/accounting/detail/dp_sgd_mechanisms.hpp>
#include <dpcurves/accounting/detail/position_samplers.hpp>
#include <dpcurves/accounting/mixture/runs.hpp>
#include <dpcurves/core/detail/format.hpp>

namespace dpcurves::accounting {
namespace {

using mechanism::Adjacency;
using mechanism::in_epochs;
using mechanism::Sampler;
using mechanism::steps_of_epoch;

/// What random_allocation_curves needs beyond a supported adjacency.
std::vector<Violation> allocation_violations(const DpSgd& run) {
  if (run.phases.size() != 1 || !run.unsampled.empty() || !run.claims.empty() || !run.concentrated.empty() ||
      !run.mechanisms.empty()) {
    return {{"steps of one kind and nothing else with random-allocation", "several phases or unsampled releases",
             "poisson or fixed-size batches, which compose with anything"}};
  }
  std::vector<Violation> found;
  const DpSgdPhase& phase = run.phases.front();
  if (!(phase.noise_multiplier <= 1e4)) {
    found.push_back({"a noise multiplier of at most 1e4 with random-allocation", shortest(phase.noise_multiplier),
                     "less noise, or poisson batches"});
  }
  if (!(phase.sampling_rate > 0.0) || steps_of_epoch(phase.sampling_rate / run.uses_per_round) > 1e7) {
    found.push_back({"at most 1e7 steps in a round of random-allocation",
                     "sampling rate " + shortest(phase.sampling_rate),
                     "a sampling rate of at least 1e-7, or poisson batches"});
  } else if (std::isfinite(phase.steps)) {
    const RandomAllocation rounds = detail::allocation(run);
    if (rounds.epochs > 1e6 || rounds.epochs + rounds.rest < 1.0) {
      found.push_back({"1 to 1e6 rounds of random-allocation, the last one cut or not",
                       shortest(rounds.epochs) + " rounds", "fewer steps, and at least one"});
    }
  }
  return found;
}

}  // namespace

std::vector<Violation> violations(const DpSgd& run) {
  std::vector<Violation> found;
  const auto used = detail::samplers(run);
  const bool mixed = mixture::needs_mixtures(run);
  if (mixed) {
    found = mixture::violations(run);
  }
  const auto refused = mixed ? used.end() : std::find_if(used.begin(), used.end(), [&](Sampler sampling) {
    return detail::laws(sampling, run.adjacency).empty();
  });
  if (refused != used.end() && *refused != Sampler::fixed_size && !in_epochs(*refused)) {
    found.push_back(
        {"batches that are poisson, fixed-size, shuffled, cyclic, random-allocation, balls-in-bins, b-min-sep or none",
         std::string(name(*refused)) + " batches: no theorem is known here", "poisson batches"});
  } else if (refused != used.end()) {
    found.push_back(
        {"adjacency zero-out (the nearest) or replace-one with " + std::string(name(*refused)) + " batches, or " +
             std::string(name(run.adjacency)) + " with poisson batches",
         "adjacency " + std::string(name(run.adjacency)) + ": the law of the batches depends on the number of records",
         std::string(*refused == Sampler::fixed_size ? "batch size and number of records, " : "") +
             "adjacency zero-out or replace-one, or poisson batches"});
  }
  const bool endless =
      std::any_of(run.phases.begin(), run.phases.end(), [](const auto& p) { return std::isinf(p.steps); }) ||
      std::any_of(run.unsampled.begin(), run.unsampled.end(), [](const auto& r) { return std::isinf(r.count); });
  if (endless) {
    found.push_back({"a finite number of steps, at most 1e15", "unlimited",
                     "a number of steps: the loss of independent steps adds up without limit"});
  } else if (detail::allocated(run) && !mixed) {
    const Sampler alone = *std::find_if(used.begin(), used.end(), detail::stands_alone);
    const auto more =
        alone == Sampler::random_allocation ? allocation_violations(run) : detail::position_violations(run, alone);
    found.insert(found.end(), more.begin(), more.end());
  }
  if (!run.mechanisms.empty()) {
    const auto more = detail::mechanism_violations(run);
    found.insert(found.end(), more.begin(), more.end());
  }
  return found;
}

}  // namespace dpcurves::accounting
