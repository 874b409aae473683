// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate dp-sgd --run FILE: noisy sums of the run with and without one record whose gradient has the full
// norm, the likelihood-ratio test between them or, of a run that releases less, tests of the iterate, and the guarantee
// that they try to break.
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/mixtures.hpp>
#include <dpcurves/queries/algorithm.hpp>
#include <dpcurves/queries/run_options.hpp>
#include <dpcurves/simulate/record_uses.hpp>

#include "simulate/processes.hpp"
#include "simulate/threshold_tests.hpp"
#include "support/json_record.hpp"
#include "support/simulation.hpp"

namespace dpcurves::tools {
namespace {

using accounting::DpSgd;
using accounting::DpSgdPhase;
using mechanism::Adjacency;
using mechanism::Sampler;
using simulate::RecordUses;
using simulate::UseLaw;

constexpr double most_steps = 1e7;  // of one path

std::vector<Option> table_of() {
  const char* answer = "What is tested";
  std::vector<Option> table{{"run", OptionKind::text, "FILE",
                             "a run file or a transcript of another tool; options given beside it win", "Required"}};
  const auto& all = algorithms();
  const auto sgd = std::find_if(all.begin(), all.end(), [](const Algorithm& one) { return one.name == "dp-sgd"; });
  for (const char* name : {"noise-multiplier", "steps", "sampling-rate", "batch-size", "records", "sampling",
                           "adjacency", "uses-per-round", "separation", "cycle", "largest-batch"}) {
    for (const Option& option : sgd->options) {
      if (option.name == name) {
        table.push_back(option);
        table.back().group = "In place of what the file says";
      }
    }
  }
  for (auto& option : reading_options()) {
    table.push_back(std::move(option));
  }
  table.push_back({"paths", OptionKind::count, "[100, 100000000]",
                   "runs with and as many without the record, default 100000, fewer for long runs", answer});
  table.push_back(
      {"type-one-errors", OptionKind::numbers, "(0, 1)", "where to test, default 0.01,0.05,0.1,0.25,0.4", answer});
  table.push_back({"miss", OptionKind::number, "(0, 1)", "chance that one interval misses, default 1e-6", answer});
  table.push_back({"plot", OptionKind::text, "", "draw into FILE.svg, .png, .html or .pdf", answer});
  return table;
}

/// The gradients of a record under the alternative and the null, less what stands in its place.
struct Gradients {
  double alternative, null;
};

/// The worst that is known: all others 0 where they say nothing, opposite where they fill a place.
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

std::size_t whole(double value) { return static_cast<std::size_t>(std::max(1.0, value)); }

/// Sums over all records are one sum of a smaller noise.
RecordUses all_records(double noise, double count, Gradients g) {
  RecordUses one;
  one.noise_multiplier = noise / std::sqrt(count);
  one.gradient = g.alternative;
  one.null_gradient = g.null;
  return one;
}

RecordUses uses_of(const DpSgd& run, const DpSgdPhase& phase, bool every_step) {
  const Sampler sampler = phase.sampling.value_or(run.sampling);
  const Gradients g = gradients_of(run.adjacency, sampler, phase.records > 0.0);
  constexpr double rounding = 1e-15;  // the rate 1/3 is not a double
  RecordUses uses;
  uses.steps = static_cast<std::size_t>(phase.steps);
  uses.rate = phase.sampling_rate;
  uses.noise_multiplier = phase.noise_multiplier;
  uses.gradient = g.alternative;
  uses.null_gradient = g.null;
  switch (sampler) {
    case Sampler::none:
      if (every_step) {
        break;
      }
      return all_records(phase.noise_multiplier, phase.steps, g);
    case Sampler::cyclic:
      if (every_step) {  // in the first batch of every epoch
        uses.law = UseLaw::turns;
        uses.rate = 1.0;
        uses.round = whole(std::floor((1.0 + rounding) / phase.sampling_rate));
        break;
      }
      return all_records(phase.noise_multiplier, accounting::uses_of_a_record(phase.sampling_rate, phase.steps), g);
    case Sampler::with_replacement:
      uses.law = UseLaw::several;
      uses.round = whole(std::round(phase.sampling_rate * phase.records));
      uses.rate = 1.0 / phase.records;
      break;
    case Sampler::shuffled:
    case Sampler::random_allocation:
      uses.law = UseLaw::rounds;
      uses.chosen = sampler == Sampler::shuffled ? 1 : whole(run.uses_per_round);
      uses.round = whole(std::floor((1.0 + rounding) * static_cast<double>(uses.chosen) / phase.sampling_rate));
      break;
    case Sampler::balls_in_bins:
      uses.law = UseLaw::one_bin;
      uses.round = whole(std::floor((1.0 + rounding) / phase.sampling_rate));
      break;
    case Sampler::b_min_sep:
      uses.law = UseLaw::separated;
      uses.round = whole(run.separation);
      break;
    case Sampler::cyclic_poisson:
      uses.law = UseLaw::turns;
      uses.round = whole(phase.cycle);
      break;
    case Sampler::truncated_poisson:
      uses.rate = accounting::truncation(phase.records, phase.sampling_rate, phase.largest_batch).inclusion_rate.lower;
      break;
    default:
      break;
  }
  return uses;
}

/// \param every_step  sums over all records stay apart: an iterate weighs them, an observer of all steps need not.
std::vector<RecordUses> uses_of(const DpSgd& run, bool every_step) {
  std::vector<RecordUses> all;
  double steps = 0.0;
  for (const DpSgdPhase& phase : run.phases) {
    if (phase.steps > 0.0) {
      require_domain(phase.steps <= most_steps, "steps", phase.steps, "at most 1e7 for a simulation");
      all.push_back(uses_of(run, phase, every_step));
      steps += static_cast<double>(all.back().steps);
    }
  }
  require_domain(steps <= most_steps, "steps", steps, "at most 1e7 for a simulation");
  const Gradients g = gradients_of(run.adjacency, Sampler::none, false);
  for (const auto& release : run.unsampled) {
    if (release.count > 0.0 && !every_step) {
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

/// How one step of the model moves what came before: 1 - eta m of a quadratic, 1 where the file says no curvature.
double contraction_of(const mechanism::Run& run) {
  const auto model = run.model.value_or(mechanism::Model{});
  const double contraction = 1.0 - model.step_size.value_or(0.0) * model.strong_convexity.value_or(0.0);
  require_domain(contraction >= 0.0, "contraction", contraction, "[0, 1]: step_size times strong_convexity is above 1");
  return contraction;
}

/// What is not drawn.
std::vector<std::string> notes_of(const mechanism::Run& run) {
  std::vector<std::string> notes{
      "the other gradients are 0, or opposite where they fill the record's place in a batch"};
  if (!run.claims.empty() || !run.concentrated.empty() || !run.mechanisms.empty()) {
    notes.emplace_back("claims and other mechanisms are not drawn: the test sees less than is released");
  }
  if (run.records && run.records->unit != mechanism::Unit::example && run.records->max_records_per_unit > 1.0) {
    notes.emplace_back("one record is drawn, not all of its owner's");
  }
  if (run.privacy.release != mechanism::Release::all_steps) {
    notes.emplace_back(contraction_of(run) < 1.0 ? "losses are quadratics of the curvature that the file says"
                                                 : "losses are linear: the iterate is the sum of the noisy steps");
    if (!run.releases.empty()) {
      notes.emplace_back("sums that are released beside the iterate are not drawn");
    }
    if (run.model && run.model->diameter) {
      notes.emplace_back("iterates are not projected");
    }
  }
  if (run.privacy.release == mechanism::Release::checkpoints) {
    notes.emplace_back("the test sees the last checkpoint only");
  }
  return notes;
}

/// How many draws are no less than each threshold.
std::vector<std::uint64_t> above(const std::vector<double>& thresholds, const std::vector<double>& draws) {
  std::vector<std::uint64_t> counts;
  for (const double threshold : thresholds) {
    counts.push_back(static_cast<std::uint64_t>(
        std::count_if(draws.begin(), draws.end(), [&](double x) { return !(x < threshold); })));
  }
  return counts;
}

Simulation run(const Asked& asked) {
  const auto& [values, common, table] = asked;
  require_option(values.has("run"), "run", "is required: the file of the run");
  complete_with_run(values, table);
  const mechanism::Run described = run_from(values);
  const DpSgd dp_sgd = accounting::dp_sgd_of(described);
  const bool all_steps = described.privacy.release == mechanism::Release::all_steps;
  const auto uses = uses_of(dp_sgd, !all_steps);
  const auto guarantee = accounting::dp_sgd_guarantee(dp_sgd);
  require_theorem(guarantee.theorem.c_str(), guarantee.violations);
  const std::string direction = dp_sgd.adjacency == Adjacency::add ? "add" : "remove";
  accounting::CurvePtr curve = guarantee.curve;
  for (const auto& one : guarantee.directions) {
    curve = one.direction == direction ? one.curve : curve;
  }
  double steps = 0.0;
  for (const RecordUses& phase : uses) {
    steps += static_cast<double>(phase.steps);
  }
  constexpr double usual_paths = 1e5, usual_work = 2e8;  // steps of all paths: some ten seconds
  const auto paths = static_cast<std::size_t>(
      values.number_or("paths", std::clamp(std::floor(usual_work / steps), 1000.0, usual_paths)));
  const Testing testing = testing_of(values);
  constexpr std::uint32_t pilot_from = 0x80000000U, alternative_from = 0x40000000U;
  constexpr std::size_t pilot_paths = 2000;
  const double sign = uses.front().gradient < uses.front().null_gradient ? -1.0 : 1.0;
  const auto released =
      described.privacy.release == mechanism::Release::average ? simulate::Iterate::mean : simulate::Iterate::last;
  const auto draw = [&](bool null, std::size_t count, std::uint32_t first, unsigned threads) {
    if (all_steps) {
      return simulate::log_likelihood_ratios(uses, null, count, common.seed, first, threads);
    }
    auto ends = simulate::iterates(uses, contraction_of(described), released, null, count, common.seed, first, threads);
    for (double& end : ends) {
      end *= sign;
    }
    return ends;
  };
  const auto thresholds =
      inference::pilot_thresholds(draw(true, pilot_paths, pilot_from, common.threads), testing.type_one_errors);
  struct Counts {  // of draws above each threshold
    std::vector<std::uint64_t> null, alternative;
  };
  constexpr std::size_t block = 500;
  std::vector<Counts> counts((paths + block - 1) / block);
  last_loop(
      common, "simulating", counts.size(),
      [&](std::size_t i) {
        const auto first = static_cast<std::uint32_t>(i * block);
        const std::size_t count = std::min(block, paths - i * block);
        counts[i] = {above(thresholds, draw(true, count, first, 1)),
                     above(thresholds, draw(false, count, alternative_from + first, 1))};
      },
      [&](std::size_t i, Archive& archive) { archive(counts[i].null, counts[i].alternative); });
  std::vector<inference::TradeoffPoint> points;
  for (std::size_t k = 0; k < thresholds.size(); ++k) {
    std::uint64_t false_positives = 0, positives = 0;
    for (const Counts& one : counts) {
      false_positives += one.null[k];
      positives += one.alternative[k];
    }
    points.push_back(inference::tradeoff_point(false_positives, paths, paths - positives, paths, testing.miss));
    points.back().threshold = thresholds[k];
  }
  const Bound bound = bound_of(guarantee.theorem, curve);
  const Tests tests = tested(std::move(points), bound, testing.miss);
  const std::string seen = all_steps                             ? "all steps"
                           : released == simulate::Iterate::mean ? "the mean of the iterates"
                                                                 : "the last iterate";
  const std::string change = dp_sgd.adjacency == Adjacency::replace_one ? "replaced"
                             : direction == "add"                       ? "added"
                                                                        : "removed";
  const Value& transcript = values.value(transcript_key);
  const auto notes = notes_of(described);
  Simulation found = report_of(transcript_text(values) + "\ndp-sgd, " + seen + ", the record " + change + ", " +
                                   std::to_string(paths) + " runs of either law, seed " + std::to_string(common.seed),
                               bound, true, tests, testing.miss);
  for (const std::string& note : notes) {
    found.text += "note: " + note + "\n";
  }
  found.fields["seen"] = seen;
  found.fields["direction"] = direction;
  found.fields["run"] = json_of(values.value("run"));
  found.fields["transcript"] = json_of(transcript);
  found.fields["paths"] = paths;
  found.fields["notes"] = notes;
  const std::string name = described.name.empty()
                               ? std::get<std::string>(std::get<Record>(transcript.data).at("file").data)
                               : described.name;
  found.plot = picture(name + ": tests of " + seen + " against the guarantee", bound, tests.points);
  return found;
}

}  // namespace

Leaf run_file_simulation() {
  Leaf leaf =
      simulation("dp-sgd", "the run of a file: what it releases with and without a record, and tests between them",
                 {"--run data/examples/audit-run.toml"}, table_of(), run);
  leaf.footer = "Exit 1 if the guarantee is refuted.\n" + leaf.footer;
  return leaf;
}

}  // namespace dpcurves::tools
