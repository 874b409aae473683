// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <dpcurves/accounting/detail/dp_sgd_laws.hpp>
#include <dpcurves/accounting/mixture/pairs.hpp>
#include <dpcurves/accounting/mixture/runs.hpp>
#include <dpcurves/accounting/mixture/truncated.hpp>
#include <dpcurves/accounting/mixtures.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/rounding.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::mixture {
namespace {

using mechanism::Adjacency;
using mechanism::Sampler;
using rigorous::Precision;
using rigorous::Real;

Sampler sampler_of(const DpSgd& run, const DpSgdPhase& phase) { return phase.sampling.value_or(run.sampling); }

bool presence(Adjacency a) { return a == Adjacency::add || a == Adjacency::remove || a == Adjacency::add_or_remove; }

std::vector<std::pair<std::string, Direction>> directions_of(Adjacency adjacency) {
  switch (adjacency) {
    case Adjacency::add:
      return {{"add", Direction::add}};
    case Adjacency::remove:
      return {{"remove", Direction::remove}};
    case Adjacency::add_or_remove:
      return {{"remove", Direction::remove}, {"add", Direction::add}};
    case Adjacency::zero_out:
      return {{"remove", Direction::zero_remove}, {"add", Direction::zero_add}};
    case Adjacency::replace_one:
      return {{"both", Direction::replace}};
  }
  return {};
}

/// Without records that fill a place: what a zeroed out gradient leaves is what a missing record leaves.
Direction as_presence(Direction d) {
  return d == Direction::zero_remove ? Direction::remove : d == Direction::zero_add ? Direction::add : d;
}

/// Which upper ends of truncated Poisson batches.
enum class Cutting { displaced, by_others };

/// The steps of a phase: what dominates them (each of several by itself), and what they dominate.
struct PhaseSteps {
  std::vector<Step> above;
  Step below;
  bool attained = true;
};

/// The batch of a phase of fixed size.
double batch_of(const DpSgdPhase& phase) { return std::round(phase.sampling_rate * phase.records); }

/// Nothing where Lemma M is not proved: the other bound serves.
std::optional<Step> hidden_if_proved(const Uses& uses, double mu, Direction direction) {
  try {
    return hidden(uses, mu, direction);
  } catch (const ConvergenceError&) {
    return std::nullopt;
  }
}

PhaseSteps steps_of(const DpSgd& run, const DpSgdPhase& phase, Direction direction, Cutting cutting, double log_least) {
  const double mu = ratio_up(1.0, phase.noise_multiplier), k = run.group_size;
  const Precision precision(160);
  PhaseSteps found;
  const Sampler sampler = sampler_of(run, phase);
  double count = phase.steps;
  if (sampler == Sampler::poisson || sampler == Sampler::cyclic_poisson) {
    found.above.push_back(
        shifts(binomial_uses(k, Real(phase.sampling_rate), 0, log_least), mu, as_presence(direction)));
    count = sampler == Sampler::poisson ? count : std::ceil(phase.steps / phase.cycle);
  } else if (sampler == Sampler::truncated_poisson) {
    const CutBatches batches{phase.records, phase.sampling_rate, phase.largest_batch, k, log_least};
    CutSteps cut = cut_steps(batches, mu, direction);
    if (cutting == Cutting::by_others) {
      found.above = cut_steps_by_others(batches, mu, direction);
    } else {
      found.above.push_back(std::move(cut.above));
    }
    found.below = std::move(cut.below);
    found.attained = false;
  } else {
    const double batch = batch_of(phase);
    const UsesOf uses_of = [&](std::size_t least_count) {
      return sampler == Sampler::fixed_size
                 ? hypergeometric_uses(phase.records, k, batch, least_count, log_least)
                 : binomial_uses(batch, Real(k) / Real(phase.records), least_count, log_least);
    };
    const Uses uses = uses_of(0);
    if (direction == Direction::remove || direction == Direction::add) {
      found.above.push_back(shifts(uses, 2.0 * mu, direction));
    } else {
      found.above.push_back(revealed(uses, mu, direction));
      if (uses.weight.size() > 2) {
        if (auto other = hidden_if_proved(uses, mu, direction)) {
          found.above.push_back(std::move(*other));
        }
      }
      found.attained = false;
      found.below = instance(uses_of, mu, -1.0, direction);
    }
  }
  if (found.attained) {
    found.below = found.above.front();
  }
  for (Step& s : found.above) {
    s.count = count;
  }
  found.below.count = count;
  return found;
}

Real gaussian_square(const DpSgd& run) {
  const Precision precision(160);
  const double distance = (run.adjacency == Adjacency::replace_one ? 2.0 : 1.0) * run.group_size;
  Real square;
  for (const DpSgdPhase& phase : run.phases) {
    if (sampler_of(run, phase) == Sampler::none) {
      const Real mu(ratio_up(distance, phase.noise_multiplier));
      square += Real(phase.steps) * mu * mu;
    }
  }
  for (const UnsampledRelease& release : run.unsampled) {
    const Real mu(ratio_up(distance, release.noise_multiplier));
    square += Real(release.count) * mu * mu;
  }
  return square;
}

/// Poisson steps of one record with the pairs of the run, or attained ones where batches are truncated.
std::optional<DpSgd> in_poisson_steps(const DpSgd& run, bool attained) {
  if (run.group_size > 1.0 && !(run.unsampled.empty() && run.mechanisms.empty())) {
    return std::nullopt;
  }
  DpSgd plain = run;
  plain.group_size = 1.0;
  for (DpSgdPhase& phase : plain.phases) {
    const Sampler sampler = sampler_of(run, phase);
    const bool one_draw = presence(run.adjacency) && batch_of(phase) == 1.0 &&
                          (sampler == Sampler::fixed_size || sampler == Sampler::with_replacement);
    if (one_draw) {  // of one of the owner's, or of none
      phase.sampling_rate = ratio_up(run.group_size, phase.records);
      phase.noise_multiplier *= 0.5;
      phase.sampling = Sampler::poisson;
      continue;
    }
    if (run.group_size > 1.0 || (sampler == Sampler::truncated_poisson && !attained)) {
      return std::nullopt;
    }
    switch (sampler) {
      case Sampler::none:
        continue;
      case Sampler::poisson:
        break;
      case Sampler::cyclic_poisson:
        phase.steps = std::ceil(phase.steps / phase.cycle);
        break;
      case Sampler::truncated_poisson:
        phase.sampling_rate = truncation(phase.records, phase.sampling_rate, phase.largest_batch).inclusion_rate.lower;
        break;
      case Sampler::fixed_size:
        if (!presence(run.adjacency)) {
          return std::nullopt;
        }
        phase.noise_multiplier *= 0.5;
        break;
      default:
        return std::nullopt;
    }
    phase.sampling = Sampler::poisson;
  }
  return plain;
}

/// The sum of what all steps of a phase release, over its deviation, as one step. Nothing where the number of uses of
/// the records has no simple law, or too many numbers are likely.
std::optional<Step> summed(const DpSgd& run, const DpSgdPhase& phase, Direction direction, double log_least) {
  constexpr std::size_t most = 64;
  constexpr double rounding = 1.0 - 1e-15;
  const Sampler sampler = sampler_of(run, phase);
  const bool alone = sampler == Sampler::poisson || sampler == Sampler::cyclic_poisson;
  if (!alone && sampler != Sampler::with_replacement && !(sampler == Sampler::fixed_size && run.group_size == 1.0)) {
    return std::nullopt;
  }
  const double count = sampler == Sampler::cyclic_poisson ? std::ceil(phase.steps / phase.cycle) : phase.steps,
               batch = batch_of(phase), mu = rounding / (phase.noise_multiplier * std::sqrt(count));
  const double trials = count * (alone ? run.group_size : sampler == Sampler::fixed_size ? 1.0 : batch);
  const Real chance = alone                            ? Real(phase.sampling_rate)
                      : sampler == Sampler::fixed_size ? Real(batch) / Real(phase.records)
                                                       : Real(run.group_size) / Real(phase.records);
  const UsesOf uses_of = [&](std::size_t least) { return binomial_uses(trials, chance, least, log_least); };
  try {
    const Uses uses = uses_of(0);
    if (uses.weight.size() > most) {
      return std::nullopt;
    }
    return alone                     ? shifts(uses, mu, as_presence(direction))
           : presence(run.adjacency) ? shifts(uses, 2.0 * mu, direction)
                                     : instance(uses_of, mu, -1.0, direction);
  } catch (const DomainError&) {
    return std::nullopt;
  }
}

/// Single steps that a run with these steps dominates, each by itself.
std::vector<Problem> single_steps(const DpSgd& run, const Problem& steps, Direction direction, double log_least) {
  std::vector<Problem> found;
  for (const Step& s : steps.steps) {
    found.push_back({{s}, {}});
    found.back().steps.front().count = 1.0;
  }
  if (run.phases.size() == 1 && found.size() == 1 && run.phases.front().steps > 1.0) {
    if (auto all = summed(run, run.phases.front(), direction, log_least)) {
      found.push_back({{std::move(*all)}, {}});
    }
  }
  return found;
}

const char* name_of(Direction direction) {
  return direction == Direction::remove || direction == Direction::zero_remove ? "remove"
         : direction == Direction::add || direction == Direction::zero_add     ? "add"
                                                                               : "both";
}

CurvePtr attained_curve(const DpSgd& run, Direction direction, Problem below, double log_least) {
  if (const auto plain = in_poisson_steps(run, true)) {
    return composition_curve(accounting::detail::compose(*plain, name_of(direction)));
  }
  Bounds attained{{std::move(below)}, {}, {}};
  attained.below = [=, steps = attained.above.front()] { return single_steps(run, steps, direction, log_least); };
  return mixture_curve(std::move(attained));
}

/// Of the run in which all uses of the owner's records are known: a step moves a sum by so much at most.
double counted_in_full(const DpSgd& run) {
  const Precision precision(160);
  Real square = gaussian_square(run);
  for (const DpSgdPhase& phase : run.phases) {
    const Sampler sampler = sampler_of(run, phase);
    if (sampler == Sampler::none || phase.sampling_rate == 0.0) {
      continue;
    }
    const bool alone = sampler == Sampler::poisson || sampler == Sampler::cyclic_poisson;
    const double uses = sampler == Sampler::with_replacement    ? batch_of(phase)
                        : sampler == Sampler::fixed_size        ? std::min(run.group_size, batch_of(phase))
                        : sampler == Sampler::truncated_poisson ? std::min(run.group_size, phase.largest_batch)
                                                                : run.group_size;
    const bool twice = run.adjacency == Adjacency::replace_one || (presence(run.adjacency) && !alone);
    const Real mu(ratio_up((twice ? 2.0 : 1.0) * uses, phase.noise_multiplier));
    square += Real(sampler == Sampler::cyclic_poisson ? std::ceil(phase.steps / phase.cycle) : phase.steps) * mu * mu;
  }
  return rigorous::sqrt(square).upper();
}

/// At least the mean number of uses of the owner's records, which is at least the chance of one.
double most_used(const DpSgd& run) {
  const Precision precision(160);
  Real uses;
  for (const DpSgdPhase& phase : run.phases) {
    const double turns = sampler_of(run, phase) == Sampler::cyclic_poisson ? phase.cycle : 1.0;
    uses += Real(std::ceil(phase.steps / turns)) * Real(run.group_size) * Real(phase.sampling_rate);
  }
  return gaussian_square(run).positive() ? 1.0 : std::min(1.0, uses.upper());
}

/// Nothing above where there is none for some phase.
Bounds bounds(const DpSgd& run, Direction direction, Cutting cutting, CurvePtr known_attained = {},
              double log_least = log_rare) {
  const Real square = gaussian_square(run);
  Bounds all;
  bool attained = true;
  all.above.resize(1);
  all.above.front().gaussian_square = square;
  Problem below{{}, square};
  for (const DpSgdPhase& phase : run.phases) {
    if (phase.steps == 0.0 || sampler_of(run, phase) == Sampler::none) {
      continue;
    }
    if (phase.sampling_rate == 0.0) {
      continue;
    }
    PhaseSteps steps = steps_of(run, phase, direction, cutting, log_least);
    attained = attained && steps.attained;
    if (steps.above.empty()) {
      return {};
    }
    while (steps.above.size() > all.above.size()) {
      all.above.push_back(all.above.back());
    }
    for (std::size_t i = 0; i < all.above.size(); ++i) {
      all.above[i].steps.push_back(steps.above[std::min(i, steps.above.size() - 1)]);
    }
    below.steps.push_back(std::move(steps.below));
  }
  if (log_least > log_rarest) {
    all.deeper = [=] { return bounds(run, direction, cutting, {}, log_rarest); };
  }
  all.most_used = most_used(run);
  if (const double most = counted_in_full(run); std::isfinite(most)) {
    all.most_mu = most;
  }
  if (!attained) {
    all.attained =
        known_attained ? std::move(known_attained) : attained_curve(run, direction, std::move(below), log_least);
  } else {
    all.below = [=, steps = std::move(below)] { return single_steps(run, steps, direction, log_least); };
  }
  return all;
}

bool is_whole(double v) { return v == std::floor(v); }

}  // namespace

bool needs_mixtures(const DpSgd& run) {
  return std::any_of(run.phases.begin(), run.phases.end(), [&](const DpSgdPhase& phase) {
    const Sampler s = sampler_of(run, phase);
    return run.group_size > 1.0 || s == Sampler::with_replacement || s == Sampler::cyclic_poisson ||
           s == Sampler::truncated_poisson ||
           (s == Sampler::fixed_size && presence(run.adjacency) && phase.records > 0.0);
  });
}

std::vector<Violation> violations(const DpSgd& run) {
  std::vector<Violation> found;
  const auto say = [&](std::string needs, std::string has, std::string remedy) {
    found.push_back({std::move(needs), std::move(has), std::move(remedy)});
  };
  if (!run.claims.empty() || !run.concentrated.empty()) {
    say("no claims of other mechanisms beside groups or these batches", "claims beside the steps",
        "one record and poisson batches");
  }
  for (const UnsampledRelease& release : run.unsampled) {
    if (release.noise_multiplier == 0.0) {
      say("noise on every sum that is released", "a noise multiplier of 0", "noise");
    }
  }
  for (const DpSgdPhase& phase : run.phases) {
    const Sampler s = sampler_of(run, phase);
    const std::string batches = std::string(name(s)) + " batches";
    switch (s) {
      case Sampler::poisson:
      case Sampler::none:
        break;
      case Sampler::cyclic_poisson:
        if (!(phase.cycle >= 1.0 && is_whole(phase.cycle))) {
          say("a whole number of parts of the cycle, at least 1", shortest(phase.cycle), "the number of parts");
        }
        break;
      case Sampler::truncated_poisson:
        if (run.group_size > std::min(largest_cut_group, std::max(1.0, phase.records))) {
          say("groups of at most " + shortest(largest_cut_group) + " of the records with truncated-poisson batches",
              "a group of " + shortest(run.group_size), "a smaller group, or poisson batches");
        }
        if (!(phase.records >= 1.0 && is_whole(phase.records) && phase.largest_batch >= 1.0 &&
              is_whole(phase.largest_batch))) {
          say("the number of records and the largest batch, whole and at least 1, with truncated-poisson batches",
              shortest(phase.records) + " records, largest batch " + shortest(phase.largest_batch), "both numbers");
        }
        break;
      case Sampler::fixed_size:
      case Sampler::with_replacement: {
        const double batch = batch_of(phase);
        if (!(phase.records >= 1.0 && is_whole(phase.records) && run.group_size <= phase.records)) {
          say("the number of records, whole and at least the size of the group, with " + batches,
              shortest(phase.records) + " records", "the number of records, of the larger data set");
        } else if (batch < 1.0 || std::abs(batch - phase.sampling_rate * phase.records) > 1e-6 * batch) {
          say("a whole number of records in a batch", shortest(phase.sampling_rate * phase.records),
              "a sampling rate of batch size over records");
        }
        break;
      }
      default:
        say("poisson, fixed-size, with-replacement, or no sampling with a group of records",
            batches + " and a group of " + shortest(run.group_size) + ": no bound is proved here",
            "a group of one record, or poisson batches");
    }
  }
  return found;
}

void require_group(const DpSgd& run) {
  require_domain(run.group_size >= 1.0 && run.group_size <= 2000.0 && is_whole(run.group_size), "group_size",
                 run.group_size, "the whole numbers [1, 2000]");
}

std::vector<DirectedCurve> curves(const DpSgd& run) {
  std::vector<DirectedCurve> found;
  for (const auto& [name, direction] : directions_of(run.adjacency)) {
    Bounds all = bounds(run, direction, Cutting::displaced);
    const bool gaussian = all.above.front().steps.empty();  // whose parameter is that of uses counted in full
    found.push_back({name, gaussian && all.most_mu ? gaussian_curve(outward(exactly(*all.most_mu), 1e-15))
                                                   : mixture_curve(std::move(all))});
  }
  return found;
}

std::optional<DpSgd> as_poisson(const DpSgd& run) { return in_poisson_steps(run, false); }

std::vector<DirectedCurve> curves_by_others(const DpSgd& run, std::span<const DirectedCurve> beside) {
  const bool cut = std::any_of(run.phases.begin(), run.phases.end(), [&](const DpSgdPhase& phase) {
    return sampler_of(run, phase) == Sampler::truncated_poisson && phase.steps > 0.0 && phase.sampling_rate > 0.0;
  });
  std::vector<DirectedCurve> found;
  for (const auto& [name, direction] : directions_of(run.adjacency)) {
    const auto known = std::find_if(beside.begin(), beside.end(),
                                    [&, &asked = name](const DirectedCurve& c) { return c.direction == asked; });
    Bounds all = cut ? bounds(run, direction, Cutting::by_others,
                              known == beside.end() ? CurvePtr{} : attained_by(*known->curve))
                     : Bounds{};
    if (all.above.empty()) {
      return {};
    }
    found.push_back({name, mixture_curve(std::move(all))});
  }
  return found;
}

double approximate_mu(const DpSgd& run) {
  double square = gaussian_square(run).middle();
  for (const DpSgdPhase& phase : run.phases) {
    const Sampler s = sampler_of(run, phase);
    if (s == Sampler::none) {
      continue;
    }
    const double distance =
        (s == Sampler::poisson || s == Sampler::cyclic_poisson ? 1.0 : 2.0) / phase.noise_multiplier;
    const double rate = run.group_size * phase.sampling_rate;
    square += phase.steps / (s == Sampler::cyclic_poisson ? phase.cycle : 1.0) * rate * rate *
              std::expm1(std::min(distance * distance, 600.0));
  }
  return std::sqrt(square);
}

}  // namespace dpcurves::accounting::mixture
