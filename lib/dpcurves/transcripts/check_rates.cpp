// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Samplers and rates of a transcript: a function for each check, in the order in which they are listed.
#include <algorithm>
#include <cmath>
#include <set>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/transcripts/detail/checking.hpp>
#include <dpcurves/transcripts/detail/numbers.hpp>

namespace dpcurves::transcripts {
namespace {

using mechanism::Phase;
using mechanism::Run;
using mechanism::Sampler;

constexpr double rate_tolerance = 1e-6;  // rates are often printed with seven digits

bool close(double a, double b) { return std::abs(a - b) <= rate_tolerance * std::max(std::abs(a), std::abs(b)); }

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
            (poisson && shuffled && *shuffled > *poisson
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
          "the amplification of Poisson batches is not proved for " + std::string(name(c.run.phases[i].sampler)) +
              " ones" +
              (without && poisson ? ": without any epsilon <= " + at_most(*without, 3) + " (" +
                                        std::string(name(c.run.privacy.adjacency)) + "); the Poisson number " +
                                        at_most(*poisson, 4) + " is not about this run"
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

/// The rate of an update as it is written; nothing where only sizes that are not known say it.
std::optional<double> written_rate(const Run& run, const Phase& phase) {
  const auto rate = batch_rate(run, phase);
  return phase.sampling_rate ? phase.sampling_rate : rate ? std::optional(*rate * phase.accumulation) : std::nullopt;
}

void rate_drift(const Checking& c) {
  std::set<double> rates;
  std::optional<std::size_t> smaller_last;
  for (std::size_t i = 0; i < c.run.phases.size(); ++i) {
    const Phase& phase = c.run.phases[i];
    const auto rate = written_rate(c.run, phase);
    if (!rate) {
      continue;
    }
    rates.insert(*rate);
    const auto before = i > 0 ? written_rate(c.run, c.run.phases[i - 1]) : std::nullopt;
    if (!smaller_last && before && phase.steps == 1.0 && c.run.phases[i - 1].steps > 1.0 && *rate < *before) {
      smaller_last = i;
    }
  }
  constexpr std::size_t usual = 3;
  if (rates.size() > usual) {
    c.add("RATE-DRIFT", Level::yellow, "",
          std::to_string(rates.size()) + " different rates, from " + rounded(*rates.begin(), 4) + " to " +
              rounded(*rates.rbegin(), 4) + ": a last batch that is smaller, or a rate that follows the data");
  } else if (smaller_last) {
    c.add("RATE-DRIFT", Level::yellow, c.where(*smaller_last),
          "the last step of each epoch has rate " + rounded(*written_rate(c.run, c.run.phases[*smaller_last]), 4) +
              ", not " + rounded(*written_rate(c.run, c.run.phases[*smaller_last - 1]), 4) +
              ": a last batch that is smaller, or a rate that follows the data");
  }
}

}  // namespace

std::optional<double> batch_rate(const Run& run, const Phase& phase) {
  return phase.batch_size && run.records ? std::optional(*phase.batch_size / run.records->count) : std::nullopt;
}

std::optional<double> Checking::epsilon(const std::function<void(Run&)>& change) const {
  Run other = run;
  change(other);
  return epsilon_of(other, delta);
}

void check_rates(const Checking& checking) {
  for (auto* one :
       {&sampler_unknown, &sampler_shuffled, &sampler_weighted, &rate_above_one, &rate_against_sizes, &rate_drift}) {
    one(checking);
  }
}

}  // namespace dpcurves::transcripts
