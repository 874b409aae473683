// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/special.hpp>
#include <dpcurves/simulate/detail/run_uses.hpp>

namespace dpcurves::simulate {
namespace {

using mechanism::Adjacency;
using mechanism::Phase;
using mechanism::Release;
using mechanism::Run;
using mechanism::Sampler;

constexpr double most_steps = 1e7;  // of one path

/// The gradients of a record under the alternative and the null, less what stands in its place.
struct Gradients {
  double alternative, null;
};

/// \param sized  the number of records is known: a batch of a fixed size has another record in place of one that is not
/// there.
Gradients gradients_of(Adjacency adjacency, Sampler sampler, bool sized) {
  const bool fills = sampler == Sampler::fixed_size || sampler == Sampler::with_replacement;
  switch (adjacency) {
    case Adjacency::replace_one:
      return fills ? Gradients{2.0, 0.0} : Gradients{1.0, -1.0};
    case Adjacency::zero_out:
      return fills ? Gradients{2.0, 1.0} : Gradients{1.0, 0.0};
    case Adjacency::add:
      return fills && sized ? Gradients{0.0, 2.0} : Gradients{0.0, 1.0};
    default:
      return fills && sized ? Gradients{2.0, 0.0} : Gradients{1.0, 0.0};
  }
}

std::size_t count_of(double value) { return static_cast<std::size_t>(std::max(1.0, value)); }

/// Sums over all records are one sum of a smaller noise.
RecordUses all_records(double noise, double count, Gradients g) {
  return RecordUses{.noise_multiplier = noise / std::sqrt(count), .gradient = g.alternative, .null_gradient = g.null};
}

/// The chance that a Poisson batch, cut to a uniform choice of `most`, has one of `records`: q E[min(1, B/(1 + K))], K
/// binomial over the others, which is q P(K < B) + B/n P(1 more than K > B).
double truncated_rate(double records, double rate, double most) {
  require_domain(records >= 1.0, "records", records, "[1, inf): truncated batches need their number");
  const auto at_least = [rate](double n, double k) {  // of n records
    return k > n ? 0.0 : numerics::beta_below(k, n - k + 1.0, rate);
  };
  return rate * (1.0 - at_least(records - 1.0, most)) + most / records * at_least(records, most + 1.0);
}

RecordUses uses_of(const Run& run, std::size_t index) {
  const Phase& phase = run.phases[index];
  const double records = run.records ? run.records->count : 0.0;
  const bool every_step = run.privacy.release != Release::all_steps;
  const Gradients g = gradients_of(run.privacy.adjacency, phase.sampler, records > 0.0);
  RecordUses uses{.steps = static_cast<std::size_t>(phase.steps),
                  .rate = mechanism::sampling_rate(run, index),
                  .noise_multiplier = mechanism::noise_over_record(run, index),
                  .gradient = g.alternative,
                  .null_gradient = g.null};
  switch (phase.sampler) {
    case Sampler::none:
      return every_step ? uses : all_records(uses.noise_multiplier, phase.steps, g);
    case Sampler::cyclic:
      if (!every_step) {
        return all_records(uses.noise_multiplier, mechanism::uses_of_a_record(uses.rate, phase.steps), g);
      }
      uses.law = UseLaw::turns;  // in the first batch of every epoch
      uses.round = count_of(mechanism::steps_of_epoch(uses.rate));
      uses.rate = 1.0;
      break;
    case Sampler::with_replacement:
      uses.law = UseLaw::several;
      uses.round = count_of(std::round(uses.rate * records));
      uses.rate = 1.0 / records;
      break;
    case Sampler::shuffled:
    case Sampler::random_allocation:
      uses.law = UseLaw::rounds;
      uses.chosen = phase.sampler == Sampler::shuffled ? 1 : count_of(phase.uses_per_round);
      uses.round = count_of(mechanism::steps_of_epoch(uses.rate / static_cast<double>(uses.chosen)));
      break;
    case Sampler::balls_in_bins:
      uses.law = UseLaw::one_bin;
      uses.round = count_of(mechanism::steps_of_epoch(uses.rate));
      break;
    case Sampler::b_min_sep:
      uses.law = UseLaw::separated;
      uses.round = count_of(phase.separation.value_or(1.0));
      break;
    case Sampler::cyclic_poisson:
      uses.law = UseLaw::turns;
      uses.round = count_of(phase.cycle.value_or(1.0));
      break;
    case Sampler::truncated_poisson:
      uses.rate = truncated_rate(records, uses.rate, phase.largest_batch.value_or(records));
      break;
    default:
      break;
  }
  return uses;
}

/// How one step of the model moves what came before: 1 - eta m of a quadratic, 1 where the file says no curvature.
double contraction_of(const Run& run) {
  const auto model = run.model.value_or(mechanism::Model{});
  const double contraction = 1.0 - model.step_size.value_or(0.0) * model.strong_convexity.value_or(0.0);
  require_domain(contraction >= 0.0, "contraction", contraction, "[0, 1]: step_size times strong_convexity is above 1");
  return contraction;
}

}  // namespace

std::vector<RecordUses> uses_of(const Run& run) {
  std::vector<RecordUses> all;
  double steps = 0.0;
  for (std::size_t i = 0; i < run.phases.size(); ++i) {
    const double own = run.phases[i].steps;
    if (own > 0.0 && mechanism::noise_over_record(run, i) > 0.0) {
      require_domain(own <= most_steps, "steps", own, "at most 1e7 for a simulation");
      all.push_back(uses_of(run, i));
      steps += static_cast<double>(all.back().steps);
    }
  }
  require_domain(steps <= most_steps, "steps", steps, "at most 1e7 for a simulation");
  const Gradients g = gradients_of(run.privacy.adjacency, Sampler::none, false);
  for (const auto& release : run.releases) {
    if (release.count > 0.0 && run.privacy.release == Release::all_steps) {
      if (release.noise_multiplier == 0.0) {
        throw DomainError("a sum without noise reveals the record: there is nothing to simulate");
      }
      all.push_back(all_records(release.noise_multiplier, release.count, g));
    }
  }
  if (all.empty()) {
    throw DomainError("the run has neither steps nor sums: there is nothing to simulate");
  }
  return all;
}

std::vector<double> statistics(const Run& run, bool null, std::size_t paths, std::uint64_t seed,
                               std::uint32_t first_path, unsigned threads) {
  const auto uses = uses_of(run);
  if (run.privacy.release == Release::all_steps) {
    return log_likelihood_ratios(uses, null, paths, seed, first_path, threads);
  }
  const auto published = run.privacy.release == Release::average ? Iterate::mean : Iterate::last;
  auto ends = iterates(uses, contraction_of(run), published, null, paths, seed, first_path, threads);
  if (uses.front().gradient < uses.front().null_gradient) {
    std::transform(ends.begin(), ends.end(), ends.begin(), std::negate<>());
  }
  return ends;
}

std::vector<std::string> simplifications(const Run& run) {
  std::vector<std::string> notes{
      "the other gradients are 0, or opposite where they fill the record's place in a batch"};
  if (!run.claims.empty() || !run.concentrated.empty() || !run.mechanisms.empty()) {
    notes.emplace_back("claims and other mechanisms are not drawn: the test sees less than is released");
  }
  if (run.records && run.records->unit != mechanism::Unit::example && run.records->max_records_per_unit > 1.0) {
    notes.emplace_back("one record is drawn, not all of its owner's");
  }
  if (run.privacy.release != Release::all_steps) {
    notes.emplace_back(contraction_of(run) < 1.0 ? "losses are quadratics of the curvature that the file says"
                                                 : "losses are linear: the iterate is the sum of the noisy steps");
    if (!run.releases.empty()) {
      notes.emplace_back("sums that are released beside the iterate are not drawn");
    }
    if (run.model && run.model->diameter) {
      notes.emplace_back("iterates are not projected");
    }
  }
  if (run.privacy.release == Release::checkpoints) {
    notes.emplace_back("the test sees the last checkpoint only");
  }
  return notes;
}

}  // namespace dpcurves::simulate
