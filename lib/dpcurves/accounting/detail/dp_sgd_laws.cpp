// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/detail/dp_sgd_laws.hpp>
#include <dpcurves/accounting/detail/position_samplers.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/detail/rounding.hpp>

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
  const double whole = std::floor(phase.steps / steps);
  return {phase.noise_multiplier, steps, run.uses_per_round, whole, phase.steps - whole * steps};
}

namespace {

/// Epochs as they fill with steps.
class Epochs {
 public:
  /// \param before  steps at this rate that the first epoch has had.
  Epochs(double rate, double before) : rate_(rate), steps_(before), used_(rate * before) {}

  void add(const DpSgdPhase& phase) {
    const double rate = phase.sampling_rate;
    const double taken = std::min(phase.steps, room(rate));
    if (taken > 0.0) {
      least_ = std::min(least_, phase.noise_multiplier);
      rate_ = steps_ == 0.0 || rate == rate_ ? rate : mixed;
      steps_ += taken;
      used_ += rate * taken;
    }
    const double left = phase.steps - taken;
    if (left == 0.0) {
      return;
    }
    close(1.0);
    const double more = std::ceil(left / steps_of_epoch(rate)) - 1.0;
    least_ = phase.noise_multiplier;
    close(more);
    least_ = phase.noise_multiplier;
    rate_ = rate;
    steps_ = left - more * steps_of_epoch(rate);
    used_ = rate * steps_;
  }

  std::vector<EpochUses> all() {
    close(1.0);
    return std::move(uses_);
  }

 private:
  static constexpr double mixed = 0.0;

  /// How many steps at this rate the open epoch still has.
  [[nodiscard]] double room(double rate) const {
    if (steps_ == 0.0 || rate == rate_) {
      return steps_of_epoch(rate) - steps_;
    }
    if (rate_ != mixed && steps_ == steps_of_epoch(rate_)) {  // a smaller batch may be the last of the epoch
      constexpr double nearly = 0.01;                         // of a batch: rates are printed with few digits
      return std::abs(used_ + rate - 1.0) <= nearly * rate ? 1.0 : 0.0;
    }
    constexpr double rounding = 1e-9;
    return std::max(0.0, std::floor((1.0 - used_) / rate + rounding));
  }

  void close(double count) {
    if (count > 0.0 && std::isfinite(least_)) {
      uses_.push_back({least_, count});
    }
    least_ = infinity;
  }

  std::vector<EpochUses> uses_;
  double rate_;              // of all steps of the open epoch
  double steps_;             // that it has had
  double used_;              // of the records
  double least_ = infinity;  // noise of its steps
};

double precision(const std::vector<EpochUses>& uses) {
  return sum_over(uses, [&](const EpochUses& one) { return one.count / one.noise_multiplier / one.noise_multiplier; });
}

}  // namespace

std::vector<EpochUses> epoch_uses(const DpSgd& run) {
  std::vector<const DpSgdPhase*> phases;
  for (const DpSgdPhase& phase : run.phases) {
    if (in_epochs(phase.sampling.value_or(run.sampling)) && phase.steps > 0.0) {
      phases.push_back(&phase);
    }
  }
  std::vector<EpochUses> all;
  for (std::size_t i = 0; i < phases.size();) {
    const DpSgdPhase& first = *phases[i];
    const Sampler sampling = first.sampling.value_or(run.sampling);
    const bool numbered = first.first_step.has_value();
    Epochs going_on(first.sampling_rate,
                    numbered ? std::fmod(*first.first_step - 1.0, steps_of_epoch(first.sampling_rate)) : 0.0);
    std::vector<EpochUses> anew;
    double next = first.first_step.value_or(0.0);
    for (; i < phases.size() && phases[i]->sampling.value_or(run.sampling) == sampling &&
           phases[i]->first_step.has_value() == numbered && (!numbered || *phases[i]->first_step == next);
         ++i) {
      const DpSgdPhase& phase = *phases[i];
      next += phase.steps;
      going_on.add(phase);
      anew.push_back({phase.noise_multiplier, uses_of_a_record(phase.sampling_rate, phase.steps)});
    }
    // In a fixed order the uses of a record are an epoch apart, wherever it begins: anew is then an upper bound.
    std::vector<EpochUses> together = going_on.all();
    const bool worse = numbered || (sampling == Sampler::shuffled && precision(together) > precision(anew));
    const auto& counted = worse ? together : anew;
    all.insert(all.end(), counted.begin(), counted.end());
  }
  return all;
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
      } else if (!in_epochs(sampling)) {
        composition.components.push_back({phase.sampling_rate, mu, phase.steps, law.pair});
      }
    }
  }
  // A replaced record moves a sum twice as far as one that is left out.
  const double distance = run.adjacency == Adjacency::replace_one ? 2.0 : 1.0;
  for (const EpochUses& uses : epoch_uses(run)) {
    add_gaussian(ratio_up(distance, uses.noise_multiplier), uses.count);
  }
  for (const UnsampledRelease& release : run.unsampled) {
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
