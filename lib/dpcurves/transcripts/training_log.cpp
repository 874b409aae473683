// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// A table of training steps: a row for each range of them.
#include <algorithm>
#include <map>
#include <utility>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/core/nearest.hpp>
#include <dpcurves/io/rows.hpp>
#include <dpcurves/transcripts/numbers.hpp>
#include <dpcurves/transcripts/transcript.hpp>

namespace dpcurves::transcripts {
namespace {

const std::vector<std::string> columns{
    "first_step", "last_step", "steps",        "noise_multiplier", "noise", "sampling_rate", "batch_size",
    "records",    "sampler",   "accumulation", "noise_on",         "clip",  "clip_per",      "normalisation",
    "restart",    "epochs",    "sampler_key",  "epsilon_logged",   "delta"};

/// The cells of a row by the names of their columns; empty ones are not there.
class Row {
 public:
  Row(const io::Rows& rows, std::size_t row) : where_("row " + std::to_string(rows.line(row))) {
    for (std::size_t i = 0; i < rows.names().size(); ++i) {
      if (!rows.cell(row, i).empty()) {
        cells_[rows.names()[i]] = rows.cell(row, i);
      }
    }
  }
  const std::string& where() const { return where_; }
  const std::string* text(const std::string& name) const {
    const auto found = cells_.find(name);
    return found == cells_.end() ? nullptr : &found->second;
  }
  std::optional<double> number(const std::string& name, const Domain& domain) const {
    const std::string* cell = text(name);
    if (cell == nullptr) {
      return std::nullopt;
    }
    double value = 0.0;
    if (!read_number(*cell, value)) {
      throw UsageError(where_ + ": " + name + ": " + dpcurves::text({*cell}) + " is not a number");
    }
    if (!domain.contains(value)) {
      throw DomainError(where_ + ": " + name + ": " + outside(value, domain));
    }
    return value;
  }
  /// The value of a word. \throws DomainError  that lists the words.
  template <class Enum>
  std::optional<Enum> word(const std::string& name) const {
    const std::string* cell = text(name);
    if (cell == nullptr) {
      return std::nullopt;
    }
    std::string known;
    for (const auto& [value, spelt] : enumerators(Enum{})) {
      std::string dashed = *cell;
      std::replace(dashed.begin(), dashed.end(), '_', '-');
      if (spelt == dashed) {
        return value;
      }
      known += (known.empty() ? "" : ", ") + std::string(spelt);
    }
    throw DomainError(where_ + ": " + name + ": \"" + *cell + "\" is not one of " + known);
  }

 private:
  std::string where_;
  std::map<std::string, std::string> cells_;
};

constexpr Domain step_number{"[1, 1e15]", true};

mechanism::Phase phase_of(const Row& row, Transcript& transcript, const Given& given) {
  mechanism::Phase phase;
  phase.first_step = row.number("first_step", step_number);
  const auto last = row.number("last_step", step_number);
  const auto steps = row.number("steps", Domain("[0, 1e15]", true));
  if (steps) {
    phase.steps = *steps;
  } else if (phase.first_step && last && *last >= *phase.first_step) {
    phase.steps = *last - *phase.first_step + 1.0;
  } else {
    throw UsageError(row.where() + ": neither steps nor first_step and a last_step that is not before it");
  }
  phase.noise_multiplier = row.number("noise_multiplier", Domain("[0, inf)"));
  phase.noise = row.number("noise", Domain("[0, inf)"));
  if (!phase.noise_multiplier && !phase.noise) {
    throw UsageError(row.where() + ": noise_multiplier is missing");
  }
  phase.sampling_rate = row.number("sampling_rate", Domain("[0, inf)"));
  phase.batch_size = row.number("batch_size", Domain("(0, inf)"));
  phase.accumulation = row.number("accumulation", step_number).value_or(1.0);
  if (const auto sampler = row.word<mechanism::Sampler>("sampler")) {
    phase.sampler = *sampler;
  } else {
    phase.sampler = given.sampler.value_or(mechanism::Sampler::poisson);
    transcript.sampler_known = given.sampler.has_value();
  }
  phase.restart = row.number("restart", Domain("[0, 1e9]", true));
  phase.epochs = row.number("epochs", Domain("(0, inf)"));
  phase.epsilon_logged = row.number("epsilon_logged", Domain("[0, inf]"));
  if (const std::string* key = row.text("sampler_key")) {
    phase.sampler_key = *key;
  }
  return phase;
}

/// What holds for the whole run must be the same in every row that says it.
template <class T>
void agree(std::optional<T>& known, const std::optional<T>& value, const Row& row, const char* name) {
  if (known && value && *known != *value) {
    throw UsageError(row.where() + ": " + name + " differs from the rows before");
  }
  known = known ? known : value;
}

}  // namespace

Transcript read_training_log(const std::string& text, const Given& given) {
  const io::Rows rows = io::parse_rows(text, "training log");
  for (const std::string& name : rows.names()) {
    if (std::find(columns.begin(), columns.end(), name) == columns.end()) {
      throw UsageError("training log: unknown column " + name + suggestion(name, columns));
    }
  }
  if (rows.size() == 0) {
    throw UsageError("training log: no row");
  }
  Transcript transcript;
  mechanism::Run& run = transcript.run;
  run.source = "training log";
  std::optional<double> records = given.records;
  std::optional<double> norm;
  std::optional<double> delta;
  std::optional<mechanism::NoiseOn> noise_on;
  std::optional<mechanism::Normalisation> normalisation;
  std::optional<mechanism::ClippedPer> per;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row row(rows, i);
    agree(records, row.number("records", step_number), row, "records");
    agree(norm, row.number("clip", Domain("(0, inf)")), row, "clip");
    agree(delta, row.number("delta", Domain("(0, 1)")), row, "delta");
    agree(noise_on, row.word<mechanism::NoiseOn>("noise_on"), row, "noise_on");
    agree(normalisation, row.word<mechanism::Normalisation>("normalisation"), row, "normalisation");
    agree(per, row.word<mechanism::ClippedPer>("clip_per"), row, "clip_per");
    mechanism::Phase phase = phase_of(row, transcript, given);
    if (phase.sampler != mechanism::Sampler::none && !phase.sampling_rate && !(phase.batch_size && records)) {
      throw UsageError(row.where() + ": neither sampling_rate nor batch_size and records");
    }
    transcript.add(std::move(phase), row.where(), "row");
  }
  if (records) {
    run.records = mechanism::Records{*records};
  }
  run.clipping.norm = norm.value_or(1.0);
  run.clipping.noise_on = noise_on.value_or(mechanism::NoiseOn::sum);
  run.clipping.normalisation = normalisation.value_or(mechanism::Normalisation::expected);
  run.clipping.per = per.value_or(mechanism::ClippedPer::record);
  if (delta) {
    run.privacy.delta = {*delta};
  }
  run.privacy.adjacency = given.adjacency.value_or(mechanism::usual_adjacency(run.phases.front().sampler));
  if (!given.adjacency) {
    transcript.assumed.emplace_back("adjacency " + std::string(mechanism::name(run.privacy.adjacency)) +
                                    ": the log does not say it");
  }
  return transcript;
}

}  // namespace dpcurves::transcripts
