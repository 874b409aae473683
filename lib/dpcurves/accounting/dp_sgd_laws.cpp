// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/dp_sgd_laws.hpp>
#include <dpcurves/accounting/position_samplers.hpp>
#include <dpcurves/core/rounding.hpp>

namespace dpcurves::accounting::detail {

using mechanism::Adjacency;
using mechanism::in_epochs;
using mechanism::Sampler;
using mechanism::steps_of_epoch;

std::vector<Law> laws(Sampler sampling, Adjacency adjacency) {
  const bool replace = adjacency == Adjacency::replace_one;
  switch (sampling) {
    case Sampler::poisson: {
      const Law remove{"remove", Pair::poisson_remove, 1.0};
      const Law add{"add", Pair::poisson_add, 1.0};
      return replace                          ? std::vector<Law>{{"both", Pair::poisson_replace_one, 1.0}}
             : adjacency == Adjacency::remove ? std::vector<Law>{remove}
             : adjacency == Adjacency::add    ? std::vector<Law>{add}
                                              : std::vector<Law>{remove, add};
    }
    case Sampler::fixed_size:
      if (replace) {
        return {{"both", Pair::symmetrised, 2.0}};
      }
      return adjacency == Adjacency::zero_out
                 ? std::vector<Law>{{"remove", Pair::fixed_size_remove, 1.0}, {"add", Pair::fixed_size_add, 1.0}}
                 : std::vector<Law>{};
    case Sampler::none:
      return {{"both", Pair::symmetrised, replace ? 2.0 : 1.0}};
    case Sampler::balls_in_bins:      // the directions; the laws are those of position_samplers.hpp
    case Sampler::b_min_sep:          // the same
    case Sampler::random_allocation:  // those of random_allocation.hpp
      return laws(Sampler::poisson, adjacency);
    case Sampler::shuffled:
    case Sampler::cyclic:
      return replace || adjacency == Adjacency::zero_out
                 ? std::vector<Law>{{"both", Pair::symmetrised, replace ? 2.0 : 1.0}}
                 : std::vector<Law>{};
    default:
      return {};
  }
}

std::vector<Sampler> samplers(const DpSgd& run) {
  std::vector<Sampler> list;
  for (const DpSgdPhase& phase : run.phases) {
    const Sampler one = phase.sampling.value_or(run.sampling);
    if (std::find(list.begin(), list.end(), one) == list.end()) {
      list.push_back(one);
    }
  }
  return list.empty() ? std::vector{run.sampling} : list;
}

bool allocated(const DpSgd& run) {
  const auto used = samplers(run);
  return std::any_of(used.begin(), used.end(), stands_alone);
}

std::vector<std::string> direction_names(const DpSgd& run) {
  std::vector<std::string> names;
  for (const Sampler sampling : samplers(run)) {
    for (const Law& law : laws(sampling, run.adjacency)) {
      if (law.direction != std::string("both") && std::find(names.begin(), names.end(), law.direction) == names.end()) {
        names.emplace_back(law.direction);
      }
    }
  }
  return names.empty() ? std::vector<std::string>{"both"} : names;
}

std::vector<std::string> mechanism_directions(const DpSgd& run) {
  auto names = direction_names(run);
  const bool symmetric = std::all_of(run.mechanisms.begin(), run.mechanisms.end(), [](const auto& m) {
    return m.sampling_rate == 1.0 && m.kind != mechanism::MechanismKind::losses &&
           m.kind != mechanism::MechanismKind::mixture;
  });
  if (names.front() == "both" && !symmetric) {
    names = run.adjacency == Adjacency::add      ? std::vector<std::string>{"add"}
            : run.adjacency == Adjacency::remove ? std::vector<std::string>{"remove"}
                                                 : std::vector<std::string>{"remove", "add"};
  }
  return names;
}

RandomAllocation allocation(const DpSgd& run) {
  const DpSgdPhase& phase = run.phases.front();
  const double steps = steps_of_epoch(phase.sampling_rate / run.uses_per_round);
  return {phase.noise_multiplier, steps, run.uses_per_round, std::ceil(phase.steps / steps)};
}

Composition compose(const DpSgd& run, const std::string& direction) {
  Composition composition;
  const auto add_gaussian = [&](double mu, double count) {
    composition.components.push_back({1.0, mu, count, Pair::symmetrised});
  };
  for (const DpSgdPhase& phase : run.phases) {
    const Sampler sampling = phase.sampling.value_or(run.sampling);
    for (const Law& law : laws(sampling, run.adjacency)) {
      if (law.direction != direction && law.direction != std::string("both")) {
        continue;
      }
      const double mu = ratio_up(law.distance, phase.noise_multiplier);
      if (sampling == Sampler::none) {
        add_gaussian(mu, phase.steps);
      } else if (in_epochs(sampling)) {
        add_gaussian(mu, uses_of_a_record(phase.sampling_rate, phase.steps));
      } else {
        composition.components.push_back({phase.sampling_rate, mu, phase.steps, law.pair});
      }
    }
  }
  for (const UnsampledRelease& release : run.unsampled) {
    // A replaced record moves a sum twice as far as one that is left out.
    const double distance = run.adjacency == Adjacency::replace_one ? 2.0 : 1.0;
    if (release.noise_multiplier > 0.0) {
      add_gaussian(ratio_up(distance, release.noise_multiplier), release.count);
    }
  }
  return composition;
}

std::vector<ClaimedRelease> claims_of(const DpSgd& run) {
  auto claims = run.claims;
  for (const UnsampledRelease& release : run.unsampled) {
    if (release.noise_multiplier == 0.0) {
      claims.push_back({0.0, 1.0, release.count});
    }
  }
  return claims;
}

}  // namespace dpcurves::accounting::detail
