// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Mismatches of loop and accountant: a function each, in the order in which they are listed.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/transcripts/numbers.hpp>
#include <dpcurves/transcripts/transcript.hpp>
#include <dpcurves/transcripts/verdict.hpp>

namespace dpcurves::transcripts {
namespace {

using mechanism::Phase;
using mechanism::Run;
using mechanism::Sampler;

constexpr double rate_tolerance = 1e-6;  // rates are often printed with seven digits

/// What is asked, and where findings go.
struct Checking {
  const Transcript& transcript;
  const Run& run;
  std::optional<double> delta;
  std::vector<Finding>& findings;

  void add(const char* id, Level level, std::string where, std::string message) const {
    findings.push_back({id, level, std::move(where), std::move(message)});
  }
  [[nodiscard]] std::string where(std::size_t phase) const { return transcript.where(phase); }
  /// "epsilon <= 5.3471" of a run like this one with other phases; empty where it is not known.
  [[nodiscard]] std::optional<double> epsilon(const std::function<void(Run&)>& change) const {
    Run other = run;
    change(other);
    return epsilon_of(other, delta);
  }
};

bool close(double a, double b) { return std::abs(a - b) <= rate_tolerance * std::max(std::abs(a), std::abs(b)); }

/// One micro-batch over the records; nothing where sizes are not known.
std::optional<double> batch_rate(const Run& run, const Phase& phase) {
  return phase.batch_size && run.records ? std::optional(*phase.batch_size / run.records->count) : std::nullopt;
}

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
    if (!(phase.accumulation > 1.0) || !phase.epochs || !rate) {
      continue;
    }
    const double batches = *phase.epochs / *rate;
    const double updates = batches / phase.accumulation;
    const double slack = *phase.epochs + 1.0;  // a last batch of an epoch may be dropped or rounded up
    if (std::abs(phase.steps - batches) <= slack && std::abs(phase.steps - updates) > slack) {
      c.add("STEPS-COUNT", Level::red, c.where(i),
            shortest(phase.steps) + " steps are micro-batches; " + shortest(std::ceil(updates)) + " updates");
    }
  }
}

// Rates.

void sampler_unknown(const Checking& c) {
  if (c.transcript.sampler_known || c.run.phases.empty()) {
    return;
  }
  const auto poisson = c.epsilon([](Run&) {});
  const auto shuffled = c.epsilon([](Run& run) {
    run.privacy.adjacency = mechanism::Adjacency::zero_out;
    for (Phase& phase : run.phases) {
      phase.sampler = Sampler::shuffled;
    }
  });
  c.add("SAMPLER-UNKNOWN", Level::yellow, "",
        "Poisson assumed; a loader that shuffles is not covered" +
            (poisson && shuffled
                 ? ": it has epsilon <= " + at_most(*shuffled, 2) + " (zero-out), not " + at_most(*poisson, 2)
                 : std::string()));
}

void sampler_shuffled(const Checking& c) {
  for (std::size_t i = 0; i < c.run.phases.size(); ++i) {
    if (!mechanism::in_epochs(c.run.phases[i].sampler)) {
      continue;
    }
    const auto without = c.epsilon([](Run&) {});
    const auto poisson = c.epsilon([](Run& run) {
      for (Phase& phase : run.phases) {
        phase.sampler = mechanism::in_epochs(phase.sampler) ? Sampler::poisson : phase.sampler;
      }
    });
    c.add("SAMPLER-SHUFFLED", Level::yellow, c.where(i),
          "no amplification is proved for " + std::string(name(c.run.phases[i].sampler)) + " batches" +
              (without && poisson
                   ? ": epsilon <= " + at_most(*without, 3) + " (" + std::string(name(c.run.privacy.adjacency)) +
                         "); the Poisson number " + at_most(*poisson, 4) + " is not about this run"
                   : std::string()));
    return;
  }
}

void sampler_weighted(const Checking& c) {
  for (std::size_t i = 0; i < c.run.phases.size(); ++i) {
    if (c.run.phases[i].sampler == Sampler::weighted) {
      c.add("SAMPLER-WEIGHTED", Level::red, c.where(i),
            "records have unequal rates: give the LARGEST rate of a record, with poisson batches");
    }
  }
}

void rate_above_one(const Checking& c) {
  for (std::size_t i = 0; i < c.run.phases.size(); ++i) {
    const Phase& phase = c.run.phases[i];
    if (phase.sampling_rate && *phase.sampling_rate > 1.0) {
      const bool opacus = c.transcript.accountant.has_value() || c.transcript.reader == "opacus";
      c.add("RATE-ABOVE-ONE", Level::red, c.where(i) + (opacus ? "[1]" : ""),
            std::string(opacus ? "sample_rate " : "sampling_rate ") + shortest(*phase.sampling_rate) +
                " is above 1: more accumulated batches than one pass holds, or a sampler whose length is not the "
                "number of records");
    } else if (const auto rate = batch_rate(c.run, phase);
               !phase.sampling_rate && rate && *rate * phase.accumulation > 1.0 && phase.sampler != Sampler::none) {
      c.add("RATE-ABOVE-ONE", Level::red, c.where(i),
            "an update of " + shortest(*phase.batch_size * phase.accumulation) + " records has more than the " +
                shortest(c.run.records->count) + " that there are");
    }
  }
}

/// ACCUMULATION-RATE, RATE-MULTIPLE-OF-BATCH and RATE-AGAINST-SIZES: the rate that was written against the sizes.
void rate_against_sizes(const Checking& c) {
  for (std::size_t i = 0; i < c.run.phases.size(); ++i) {
    const Phase& phase = c.run.phases[i];
    const auto rate = batch_rate(c.run, phase);
    if (!phase.sampling_rate || !rate || *phase.sampling_rate > 1.0 || phase.sampler == Sampler::none) {
      continue;
    }
    const double given = *phase.sampling_rate;
    const double update = *rate * phase.accumulation;
    const std::string sizes = shortest(*phase.batch_size) + "/" + shortest(c.run.records->count);
    const double multiple = given / *rate;
    if (close(given, update)) {
      continue;
    }
    if (phase.accumulation > 1.0 && close(given, *rate)) {
      const auto right = c.epsilon([&](Run& run) { run.phases[i].sampling_rate = std::min(1.0, update); });
      const auto wrong = c.epsilon([](Run&) {});
      c.add("ACCUMULATION-RATE", Level::red, c.where(i),
            "sampling_rate " + nearest(given, 5) + " is one batch of " + sizes + ", but accumulation is " +
                shortest(phase.accumulation) + ": a noisy step uses " + shortest(phase.accumulation) +
                " batches, rate " + nearest(update, 5) + "." +
                (right && wrong ? " At that rate epsilon <= " + at_most(*right, 4) + ", at the rate written " +
                                      at_most(*wrong, 4) + "."
                                : std::string()) +
                " Write the rate of a noisy step.");
    } else if (phase.accumulation == 1.0 && multiple > 1.5 && close(multiple, std::round(multiple))) {
      c.add("RATE-MULTIPLE-OF-BATCH", Level::yellow, c.where(i),
            shortest(std::round(multiple)) + " accumulated batches per step: the rate is " +
                shortest(std::round(multiple)) + " times " + sizes);
    } else {
      c.add("RATE-AGAINST-SIZES", Level::red, c.where(i),
            "rate " + rounded(given, 6) + " against " +
                (phase.accumulation > 1.0 ? shortest(phase.accumulation) + " x " : std::string()) + sizes + " = " +
                rounded(update, 6) + ": " + rounded(given / update, 3) + " times");
    }
  }
}

void rate_drift(const Checking& c) {
  std::set<double> rates;
  for (const Phase& phase : c.run.phases) {
    const auto rate = batch_rate(c.run, phase);
    if (phase.sampling_rate || rate) {
      rates.insert(phase.sampling_rate ? *phase.sampling_rate : *rate * phase.accumulation);
    }
  }
  constexpr std::size_t usual = 3;
  if (rates.size() > usual) {
    c.add("RATE-DRIFT", Level::yellow, "",
          std::to_string(rates.size()) + " different rates, from " + rounded(*rates.begin(), 4) + " to " +
              rounded(*rates.rbegin(), 4) + ": a last batch that is smaller, or a rate that follows the data");
  }
}

// Clipping.

void normalisation_realised(const Checking& c) {
  const auto adjacency = c.run.privacy.adjacency;
  const bool counted = adjacency == mechanism::Adjacency::replace_one || adjacency == mechanism::Adjacency::zero_out;
  if (c.run.clipping.normalisation != mechanism::Normalisation::realised || counted || c.run.phases.empty()) {
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
    const auto added = mechanism::noise_multiplier(c.run, phase);
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

void clip_per(const Checking& c) {
  if (c.run.clipping.per == mechanism::ClippedPer::batch) {
    c.add("CLIP-PER-BATCH", Level::red, "clipping.per", "clipping the batch gradient bounds nothing about a record");
  } else if (c.run.clipping.per == mechanism::ClippedPer::micro_batch) {
    const auto halved = c.epsilon([](Run&) {});
    const auto full = c.epsilon([](Run& run) { run.clipping.per = mechanism::ClippedPer::record; });
    c.add("CLIP-PER-MICROBATCH", Level::yellow, "clipping.per",
          "sensitivity 2: answered with Z/2" +
              (halved && full ? " (" + at_most(*halved, 2) + " instead of " + at_most(*full, 2) + ")" : std::string()));
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

/// Both need the answer.
void budget_and_logged(const Checking& c) {
  if (!c.delta || !(c.run.privacy.epsilon_budget || std::any_of(c.run.phases.begin(), c.run.phases.end(),
                                                                [](const Phase& p) { return p.epsilon_logged; }))) {
    return;
  }
  const auto bracket = [&](std::size_t phases) {
    Transcript part = c.transcript;
    part.run.phases.resize(phases);
    std::erase_if(part.parts, [&](const Part& p) { return p.kind == Part::Kind::phase && p.place >= phases; });
    const auto found = guarantee(part, {}, c.delta);
    return std::pair(found.curve->epsilon(*c.delta).value, !found.upper_only && exact(found.theorem));
  };
  for (std::size_t i = 0; i < c.run.phases.size(); ++i) {
    const auto& logged = c.run.phases[i].epsilon_logged;
    if (!logged) {
      continue;
    }
    const auto [ends, is_exact] = bracket(i + 1);
    const Verdict verdict = judge({*logged, ends.lower, ends.upper, digits_of(*logged), is_exact, usual_loose});
    if (verdict.verdict != Judgement::correct) {
      c.add("EPSILON-LOGGED", verdict.verdict == Judgement::too_small ? Level::red : Level::yellow, c.where(i),
            "logged epsilon " + shortest(*logged) + ": " + std::string(name(verdict.verdict)) + ", certified " +
                rounded(ends.upper, 8));
    }
  }
  if (c.run.privacy.epsilon_budget) {
    const double budget = *c.run.privacy.epsilon_budget;
    const auto [ends, is_exact] = bracket(c.run.phases.size());
    if (ends.lower > budget) {
      c.add("BUDGET-EXCEEDED", Level::yellow, "privacy.epsilon_budget",
            "budget " + shortest(budget) + ", epsilon " + (is_exact ? "at least " : "is only known to be at most ") +
                (is_exact ? at_least(ends.lower, 4) : at_most(ends.upper, 4)));
    }
  }
}

}  // namespace

std::vector<Finding> check(const Transcript& transcript, std::optional<double> delta) {
  std::vector<Finding> findings;
  const Checking c{transcript, transcript.run, delta_of(transcript.run, delta), findings};
  for (auto* one : {&history_empty,
                    &steps_overlap_or_gap,
                    &seed_reused,
                    &steps_count,
                    &not_private,  // structure
                    &sampler_unknown,
                    &sampler_shuffled,
                    &sampler_weighted,
                    &rate_above_one,
                    &rate_against_sizes,
                    &rate_drift,  // rates
                    &normalisation_realised,
                    &clip_per,
                    &adaptive_clipping,  // clipping
                    &noise_on_mean,
                    &noise_varies,
                    &opacus_accountant,
                    &sensitivity_regime,  // noise
                    &last_iterate_checkpoints,
                    &delta_large,  // release
                    &user_level,
                    &selection}) {  // selection
    one(c);
  }
  const bool answered = std::none_of(findings.begin(), findings.end(),
                                     [](const Finding& finding) { return finding.level == Level::red; });
  if (answered) {
    budget_and_logged(c);
  }
  return findings;
}

}  // namespace dpcurves::transcripts
