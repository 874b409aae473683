// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Mismatches of loop and accountant: a function each, in the order in which they are listed.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <dpcurves/accounting/detail/shared_contours.hpp>
#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/transcripts/detail/checking.hpp>
#include <dpcurves/transcripts/detail/numbers.hpp>
#include <dpcurves/transcripts/transcript.hpp>
#include <dpcurves/transcripts/verdict.hpp>

namespace dpcurves::transcripts {
namespace {

using mechanism::Phase;
using mechanism::Run;

// Structure.

void history_empty(const Checking& c) {
  if (c.transcript.accountant && c.run.phases.empty()) {
    c.add("HISTORY-EMPTY", Level::yellow, "$.history", "the history has no row: nothing was released, or it was reset");
  }
}

void steps_overlap_or_gap(const Checking& c) {
  struct Range {
    double first, last;
    std::size_t phase;
  };
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < c.run.phases.size(); ++i) {
    const Phase& phase = c.run.phases[i];
    if (phase.first_step && phase.steps > 0.0) {
      ranges.push_back({*phase.first_step, *phase.first_step + phase.steps - 1.0, i});
    }
  }
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (c.run.phases[ranges[i].phase].restart.value_or(0.0) > 0.0) {
      continue;
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (ranges[i].first <= ranges[j].last && ranges[j].first <= ranges[i].last) {
        c.add("STEPS-OVERLAP", Level::red, c.where(ranges[i].phase),
              "steps " + shortest(ranges[i].first) + "-" + shortest(ranges[i].last) + " overlap steps " +
                  shortest(ranges[j].first) + "-" + shortest(ranges[j].last) + " of " + c.where(ranges[j].phase) +
                  "; a resumed run must list what was repeated as steps of their own (add restart=1)");
        break;
      }
    }
  }
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.first < b.first; });
  double reached = 0.0;
  for (const Range& range : ranges) {
    if (range.first > reached + 1.0) {
      c.add("STEPS-GAP", Level::yellow, c.where(range.phase),
            "steps " + shortest(reached + 1.0) + "-" + shortest(range.first - 1.0) +
                " are not listed: they are not in the answer");
    }
    reached = std::max(reached, range.last);
  }
}

void seed_reused(const Checking& c) {
  std::set<std::pair<std::string, double>> seen;
  for (std::size_t i = 0; i < c.run.phases.size(); ++i) {
    const Phase& phase = c.run.phases[i];
    if (!phase.sampler_key) {
      continue;
    }
    const double restart = phase.restart.value_or(0.0);
    const bool other = std::any_of(seen.begin(), seen.end(), [&](const auto& one) {
      return one.first == *phase.sampler_key && one.second != restart;
    });
    if (other) {
      c.add("SEED-REUSED", Level::red, c.where(i),
            "key " + *phase.sampler_key +
                " drew the batches of another restart or worker too: they are the same batches; "
                "one shared key: count the steps as one batch of all workers");
    }
    seen.emplace(*phase.sampler_key, restart);
  }
}

void steps_count(const Checking& c) {
  for (std::size_t i = 0; i < c.run.phases.size(); ++i) {
    const Phase& phase = c.run.phases[i];
    const auto rate = batch_rate(c.run, phase);
    if (!phase.epochs || !(rate || phase.sampling_rate.value_or(0.0) > 0.0) ||
        phase.sampler == mechanism::Sampler::none) {
      continue;
    }
    const double updates = *phase.epochs / (rate ? *rate * phase.accumulation : *phase.sampling_rate);
    const double batches = updates * phase.accumulation;
    const double slack = *phase.epochs + 1.0;  // a last batch of an epoch may be dropped or rounded up
    if (phase.steps < updates - slack) {
      c.add("STEPS-COUNT", Level::red, c.where(i),
            shortest(phase.steps) + " steps are fewer than the " + shortest(std::ceil(updates)) + " updates of " +
                shortest(*phase.epochs) + " epochs");
    } else if (phase.accumulation > 1.0 && std::abs(phase.steps - batches) <= slack &&
               std::abs(phase.steps - updates) > slack) {
      c.add("STEPS-COUNT", Level::red, c.where(i),
            shortest(phase.steps) + " steps are micro-batches; " + shortest(std::ceil(updates)) + " updates");
    }
  }
}

// Clipping.

/// Whether every batch has the same size, of data sets that have.
bool of_one_size(const Phase& phase) {
  using enum mechanism::Sampler;
  return phase.steps == 0.0 || mechanism::in_epochs(phase.sampler) || phase.sampler == fixed_size ||
         phase.sampler == with_replacement || phase.sampler == none;
}

/// A size that is random says who was in the batch, whichever data sets are neighbours: divided by it, the others move
/// with the record, by as much as its own gradient does.
void normalisation_realised(const Checking& c) {
  const auto adjacency = c.run.privacy.adjacency;
  const bool counted = adjacency == mechanism::Adjacency::replace_one || adjacency == mechanism::Adjacency::zero_out;
  const bool constant = std::all_of(c.run.phases.begin(), c.run.phases.end(), of_one_size);
  if (c.run.clipping.normalisation != mechanism::Normalisation::realised || (counted && constant) ||
      c.run.phases.empty()) {
    return;
  }
  c.add("NORMALISATION-REALISED", Level::red, c.transcript.reader == "log" ? c.where(0) : "clipping.normalisation",
        c.run.clipping.noise_on == mechanism::NoiseOn::mean
            ? "noise_on mean with normalisation realised: the noise of standard deviation Z C was added after dividing "
              "by the realised batch size; the size depends on the record, and no theorem covers it"
            : "normalisation realised: the noisy sum is divided by the realised batch size; the size depends on the "
              "record, and no theorem covers it");
}

void noise_on_mean(const Checking& c) {
  for (std::size_t i = 0; i < c.run.phases.size(); ++i) {
    const Phase& phase = c.run.phases[i];
    const auto added = mechanism::multiplier_of_noise(c.run, phase);
    if (c.run.clipping.noise_on != mechanism::NoiseOn::mean || !phase.noise || !phase.noise_multiplier || !added ||
        !(*added < 0.5 * *phase.noise_multiplier)) {
      continue;
    }
    c.add("NOISE-ON-MEAN", Level::red, c.where(i),
          "noise " + rounded(*phase.noise, 3) + " on the mean of " + shortest(*mechanism::update_size(c.run, phase)) +
              " is noise multiplier " + rounded(*added, 3) + ", not " + shortest(*phase.noise_multiplier) +
              ": a factor " + rounded(*phase.noise_multiplier / *added, 4));
  }
}

/// Noise and noise multiplier of one phase, which are two words for one thing.
void noise_given_twice(const Checking& c) {
  for (std::size_t i = 0; i < c.run.phases.size(); ++i) {
    const Phase& phase = c.run.phases[i];
    const auto added = mechanism::multiplier_of_noise(c.run, phase);
    const bool mean = c.run.clipping.noise_on == mechanism::NoiseOn::mean;
    if (!mechanism::noises_contradict(c.run, phase) || (mean && *added < 0.5 * *phase.noise_multiplier)) {
      continue;  // or NOISE-ON-MEAN
    }
    c.add("NOISE-TWICE", Level::red, c.where(i),
          "noise " + rounded(*phase.noise, 4) + " on the " + (mean ? "mean" : "sum") + " is noise multiplier " +
              rounded(*added, 4) + ", not " + shortest(*phase.noise_multiplier) +
              ": one of the two is wrong; answered with the smaller");
  }
}

void clip_per(const Checking& c) {
  if (c.run.clipping.per == mechanism::ClippedPer::batch) {
    c.add("CLIP-PER-BATCH", Level::red, "clipping.per", "clipping the batch gradient bounds nothing about a record");
  } else if (c.run.clipping.per == mechanism::ClippedPer::micro_batch) {
    const auto halved = c.epsilon([](Run&) {});
    const auto full = c.epsilon([](Run& run) { run.clipping.per = mechanism::ClippedPer::record; });
    const bool same = halved && full && *halved == *full;
    const bool replaced = c.run.privacy.adjacency == mechanism::Adjacency::replace_one;
    c.add("CLIP-PER-MICROBATCH", Level::yellow, "clipping.per",
          replaced && same
              ? "a replaced record moves its micro-batch by two norms, as it would move alone: answered with Z"
              : std::string("sensitivity 2: answered with Z/2") +
                    (halved && full ? " (" + at_most(*halved, 2) + " instead of " + at_most(*full, 2) + ")" : "") +
                    (replaced ? ", an upper end" : ""));
  }
}

void adaptive_clipping(const Checking& c) {
  const mechanism::Clipping& clipping = c.run.clipping;
  if (!clipping.adaptive) {
    return;
  }
  if (!clipping.quantile_noise_multiplier) {
    c.add("ADAPTIVE-CLIP-UNPRICED", Level::red, "clipping.adaptive",
          "the quantile is published too: give quantile_noise_multiplier");
  } else if (!clipping.quantile_range) {
    c.add("ADAPTIVE-CLIP-CONVENTION", Level::yellow, "clipping.quantile_range",
          "bit 0/1 has twice the sensitivity of -1/2,1/2; answered for 0/1");
  }
}

// Noise.

void noise_varies(const Checking& c) {
  std::vector<double> noises;
  for (const Phase& phase : c.run.phases) {
    if (const auto one = mechanism::noise_multiplier(c.run, phase)) {
      noises.push_back(*one);
    }
  }
  constexpr std::size_t few = 2;  // two are a schedule
  const std::set<double> distinct(noises.begin(), noises.end());
  const bool monotone = std::is_sorted(noises.begin(), noises.end()) || std::is_sorted(noises.rbegin(), noises.rend());
  if (distinct.size() > few && !monotone) {
    c.add("NOISE-VARIES", Level::yellow, "",
          std::to_string(distinct.size()) +
              " noise multipliers that go up and down: were they fixed in advance? adaptive schedules are not covered");
  }
}

void opacus_accountant(const Checking& c) {
  if (!c.transcript.accountant) {
    return;
  }
  const std::string& accountant = *c.transcript.accountant;
  if (accountant == "gdp") {
    const auto certified = c.epsilon([](Run&) {});
    std::string numbers;
    if (certified && !c.run.phases.empty()) {
      const auto mu = accounting::central_limit_mu(accounting::dp_sgd_of(c.run));
      if (mu && std::isfinite(*mu)) {
        const double limit = accounting::gaussian_curve(exactly(*mu))->epsilon(*c.delta).value.upper;
        numbers =
            ": " + rounded(limit, 5) + (limit < *certified ? " is too small: " : " against ") + at_most(*certified, 4);
      }
    }
    c.add("OPACUS-GDP-NOT-A-BOUND", Level::yellow, "$.mechanism",
          "the value that Opacus prints is a central limit" + numbers);
  } else if (accountant != "rdp" && accountant != "prv") {
    c.add("OPACUS-MECHANISM-UNKNOWN", Level::yellow, "$.mechanism",
          "mechanism " + accountant + " is not one of Opacus; the history is answered as it stands");
  }
}

void sensitivity_regime(const Checking& c) {
  const auto& column = c.run.noise.coefficients;
  const bool proved = std::is_sorted(column.rbegin(), column.rend()) &&
                      std::all_of(column.begin(), column.end(), [](double x) { return x >= 0.0; });
  if (c.run.noise.strategy == mechanism::Strategy::file && !c.run.noise.participation && !proved) {
    c.add("SENSITIVITY-REGIME", Level::red, "noise.coefficients",
          "the formula is proved for non-increasing, non-negative coefficients");
  }
}

// Release and selection.

void last_iterate_checkpoints(const Checking& c) {
  if (c.run.privacy.release == mechanism::Release::last_iterate &&
      (!c.run.privacy.checkpoints.empty() || c.run.selection.best)) {
    c.add("LAST-ITERATE-CHECKPOINTS", Level::red, "privacy.release",
          "theorems about the last iterate say nothing about a chosen checkpoint");
  }
}

void delta_large(const Checking& c) {
  if (c.delta && c.run.records && *c.delta >= 1.0 / c.run.records->count) {
    c.add("DELTA-LARGE", Level::yellow, "privacy.delta",
          "delta " + shortest(*c.delta) + " is not below 1/n = " + rounded(1.0 / c.run.records->count, 3));
  }
}

void user_level(const Checking& c) {
  if (c.run.records && c.run.records->unit == mechanism::Unit::user && c.run.records->max_records_per_unit > 1.0) {
    c.add("USER-LEVEL", Level::red, "records.unit",
          "per-record epsilon; a user has up to " + shortest(c.run.records->max_records_per_unit) +
              " records: unit = \"group\" answers for all of them together");
  }
}

void selection(const Checking& c) {
  if (c.run.selection.best && c.run.selection.runs > 1.0) {
    c.add("SELECTION", Level::red, "selection",
          "the epsilon of the best of " + shortest(c.run.selection.runs) + " runs is not the epsilon of one run");
  }
}

void not_private(const Checking& c) {
  for (const Part& part : c.transcript.parts) {
    if (part.kind == Part::Kind::release && c.run.releases[part.place].noise_multiplier == 0.0) {
      c.add("NODE-NONPRIVATE", Level::yellow, part.where, part.label + ": reveals everything; epsilon is infinite");
    }
    if (part.kind == Part::Kind::phase && c.run.phases[part.place].steps > 0.0 &&
        mechanism::noise_multiplier(c.run, c.run.phases[part.place]) == 0.0) {
      c.add(
          "NODE-NONPRIVATE", Level::yellow, part.where,
          part.label + ": without noise a step reveals the records that it uses; delta is at least its sampling rate");
    }
  }
}

/// Of each verdict the first in full, and how many more there are.
void epsilon_logged(const Checking& c) {
  const std::vector<Logged>& all = c.transcript.logged;
  const auto& written = c.run.privacy.delta;  // what was logged is of the delta of the log, whatever is asked
  const auto delta = written.empty() ? c.delta : std::optional(written.front());
  if (!delta || all.empty()) {
    return;
  }
  std::vector<Verdict> verdicts(all.size());
  std::vector<double> certified(all.size());
  accounting::in_shared_pieces(all.size(), 0, [&](std::size_t i) {
    Transcript part = c.transcript;
    part.run.phases.resize(all[i].phase + 1);
    part.run.phases.back().steps = all[i].steps;
    std::erase_if(part.parts, [&](const Part& p) { return p.kind == Part::Kind::phase && p.place > all[i].phase; });
    const auto found = guarantee(part, {}, delta);
    const Enclosure ends = found.curve->epsilon(*delta).value;
    const bool is_exact = !found.upper_only && exact(found.theorem);
    verdicts[i] = judge({all[i].epsilon, ends.lower, ends.upper, digits_of(all[i].epsilon), is_exact, usual_loose});
    certified[i] = ends.upper;
  });
  std::set<Judgement> told;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Judgement judged = verdicts[i].verdict;
    if (judged == Judgement::correct || !told.insert(judged).second) {
      continue;
    }
    const auto alike =
        std::count_if(verdicts.begin(), verdicts.end(), [&](const Verdict& other) { return other.verdict == judged; });
    c.add("EPSILON-LOGGED", judged == Judgement::too_small ? Level::red : Level::yellow, all[i].where,
          "logged epsilon " + shortest(all[i].epsilon) + ": " + std::string(name(judged)) + ", certified " +
              rounded_up(certified[i], 8) +
              (alike > 1 ? "; so are " + std::to_string(alike - 1) + " more" : std::string()));
  }
}

void budget_kept(const Checking& c) {
  const auto held = budget(c.transcript, c.delta);
  if (held && held->upper > held->epsilon && (!held->exact || *held->lower > held->epsilon)) {
    c.add(held->exact ? "BUDGET-EXCEEDED" : "BUDGET-UNDECIDED", Level::yellow, "privacy.epsilon_budget",
          "budget " + shortest(held->epsilon) +
              (c.delta && *c.delta != held->delta ? " at delta " + shortest(held->delta) : std::string()) +
              ", epsilon " +
              (held->exact ? "at least " + at_least(*held->lower, 4)
                           : "is only known to be at most " + at_most(held->upper, 4)));
  }
}

}  // namespace

const char* Budget::verdict() const {
  return upper <= epsilon ? "kept" : lower && *lower > epsilon ? "exceeded" : "undecided";
}

std::optional<Budget> budget(const Run& run, const accounting::Guarantee& whole, std::optional<double> delta) {
  const auto& said = run.privacy.delta;
  const auto held = said.empty() ? delta : std::optional(*std::min_element(said.begin(), said.end()));
  if (!run.privacy.epsilon_budget || !held) {
    return std::nullopt;
  }
  const Enclosure ends = whole.curve->epsilon(*held).value;
  const bool attained = !whole.upper_only && exact(whole.theorem);
  return Budget{*run.privacy.epsilon_budget, *held, attained ? std::optional(ends.lower) : std::nullopt, ends.upper,
                attained};
}

std::optional<Budget> budget(const Transcript& transcript, std::optional<double> delta) {
  return transcript.run.privacy.epsilon_budget
             ? budget(transcript.run, guarantee(transcript, {}, delta_of(transcript.run, delta)), delta)
             : std::nullopt;
}

std::vector<Finding> check(const Transcript& transcript, std::optional<double> delta) {
  std::vector<Finding> findings;
  const Checking c{transcript, transcript.run, delta_of(transcript.run, delta), findings};
  for (auto* one : {&history_empty, &steps_overlap_or_gap, &seed_reused, &steps_count,
                    &not_private,  // structure
                    &check_rates, &normalisation_realised, &clip_per,
                    &adaptive_clipping,  // clipping
                    &noise_on_mean, &noise_given_twice, &noise_varies, &opacus_accountant,
                    &sensitivity_regime,  // noise
                    &last_iterate_checkpoints,
                    &delta_large,                // release
                    &user_level, &selection}) {  // selection
    one(c);
  }
  const bool answered = std::none_of(findings.begin(), findings.end(),
                                     [](const Finding& finding) { return finding.level == Level::red; });
  if (answered && c.run.noise.strategy == mechanism::Strategy::identity) {
    static_cast<void>(accounting::dp_sgd_of(c.run));  // that a sampler has what it needs is no matter of the loop
  }
  if (answered) {
    epsilon_logged(c);
    budget_kept(c);
  }
  return findings;
}

}  // namespace dpcurves::transcripts
