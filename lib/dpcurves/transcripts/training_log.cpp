// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// A table of training steps: a row for each range of them, in CSV, or a [[phases]] of TOML with the same names.
#include <algorithm>
#include <map>
#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/detail/names.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/rows.hpp>
#include <dpcurves/io/detail/toml.hpp>
#include <dpcurves/transcripts/detail/numbers.hpp>
#include <dpcurves/transcripts/transcript.hpp>

namespace dpcurves::transcripts {
namespace {

const std::vector<std::string> columns{
    "step",           "first_step", "last_step",     "steps",         "noise_multiplier", "noise",
    "sampling_rate",  "batch_size", "records",       "sampler",       "accumulation",     "noise_on",
    "clip",           "clip_per",   "normalisation", "restart",       "epochs",           "sampler_key",
    "epsilon_logged", "delta",      "cycle",         "largest_batch", "separation"};

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
  Row(const Record& record, std::size_t place) : where_("phases[" + std::to_string(place) + "]") {
    for (const Entry& entry : record.entries()) {
      const auto* word = entry.value.get<std::string>();
      cells_[entry.name] = word != nullptr ? *word : dpcurves::text(entry.value);
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
    return value_in(enumerators(Enum{}), *cell, where_ + ": " + name);
  }

 private:
  std::string where_;
  std::map<std::string, std::string> cells_;
};

constexpr Domain step_number{"[0, 1e15]", true};
constexpr Domain positive_number{"[1, 1e15]", true};

/// Whether a log counts its steps from 0.
bool from_zero(const std::vector<Row>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const Row& row) {
    return row.number("step", step_number) == 0.0 || row.number("first_step", step_number) == 0.0;
  });
}

/// The steps of a row: `steps` of them, from first_step to last_step, or the one that is `step`. Two that are given
/// agree.
void read_steps(const Row& row, mechanism::Phase& phase) {
  const auto one = row.number("step", step_number);
  phase.first_step = row.number("first_step", step_number);
  auto last = row.number("last_step", step_number);
  const auto steps = row.number("steps", Domain("[0, 1e15]", true));
  if (one) {
    if (phase.first_step || last || steps) {
      throw UsageError(row.where() + ": step beside steps, first_step or last_step");
    }
    phase.first_step = last = one;
  }
  if (steps) {
    phase.steps = *steps;
    if (phase.first_step && last && *last - *phase.first_step + 1.0 != *steps) {
      throw UsageError(row.where() + ": " + shortest(*steps) + " steps, but first_step " + shortest(*phase.first_step) +
                       " and last_step " + shortest(*last) + " are " +
                       shortest(std::max(0.0, *last - *phase.first_step + 1.0)));
    }
  } else if (phase.first_step && last && *last >= *phase.first_step) {
    phase.steps = *last - *phase.first_step + 1.0;
  } else {
    throw UsageError(row.where() + ": neither steps nor step nor first_step and a last_step that is not before it");
  }
}

/// \param shift  of the numbers of steps, which start at 1 in a run.
mechanism::Phase phase_of(const Row& row, double shift, Transcript& transcript, const Given& given) {
  mechanism::Phase phase;
  read_steps(row, phase);
  if (phase.first_step) {
    *phase.first_step += shift;
  }
  phase.noise_multiplier = row.number("noise_multiplier", Domain("[0, inf)"));
  phase.noise = row.number("noise", Domain("[0, inf)"));
  if (!phase.noise_multiplier && !phase.noise) {
    throw UsageError(row.where() + ": noise_multiplier is missing");
  }
  phase.sampling_rate = row.number("sampling_rate", Domain("[0, inf)"));
  phase.batch_size = row.number("batch_size", Domain("(0, inf)"));
  phase.accumulation = row.number("accumulation", positive_number).value_or(1.0);
  if (const auto sampler = row.word<mechanism::Sampler>("sampler")) {
    phase.sampler = *sampler;
  } else {
    phase.sampler = given.sampler.value_or(mechanism::Sampler::poisson);
    transcript.sampler_known = given.sampler.has_value();
  }
  phase.cycle = row.number("cycle", positive_number);
  phase.largest_batch = row.number("largest_batch", positive_number);
  phase.separation = row.number("separation", positive_number);
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

void require_known(const std::string& name) {
  if (std::find(columns.begin(), columns.end(), name) == columns.end()) {
    throw UsageError("training log: unknown column " + name + suggestion(name, columns));
  }
}

std::vector<Row> rows_of_csv(const std::string& text) {
  const io::Rows table = io::parse_rows(text, "training log");
  for (const std::string& name : table.names()) {
    require_known(name);
  }
  return mapped(table.size(), [&](std::size_t i) { return Row(table, i); });
}

std::vector<Row> rows_of_toml(const std::string& text) {
  const Value root = io::read_toml(text, "training log");
  const auto* record = root.get<Record>();
  const Value* phases = record == nullptr ? nullptr : record->find("phases");
  const auto* list = phases == nullptr ? nullptr : phases->get<List>();
  if (list == nullptr || record->entries().size() != 1) {
    throw UsageError("training log: a TOML log has [[phases]] and nothing else");
  }
  std::vector<Row> rows;
  for (const Value& one : *list) {
    const auto* row = one.get<Record>();
    if (row == nullptr) {
      throw UsageError("training log: phases[" + std::to_string(rows.size()) + "] is no table");
    }
    for (const Entry& entry : row->entries()) {
      require_known(entry.name);
    }
    rows.emplace_back(*row, rows.size());
  }
  return rows;
}

}  // namespace

Transcript read_training_log(const std::string& text, bool toml, const Given& given) {
  const std::vector<Row> rows = toml ? rows_of_toml(text) : rows_of_csv(text);
  if (rows.empty()) {
    throw UsageError("training log: no row");
  }
  Transcript transcript;
  mechanism::Run& run = transcript.run;
  run.source = "training log";
  std::optional<double> records = given.records;
  std::optional<double> norm;
  bool norms_differ = false;
  std::optional<double> delta;
  std::optional<mechanism::NoiseOn> noise_on;
  std::optional<mechanism::Normalisation> normalisation;
  std::optional<mechanism::ClippedPer> per;
  const double shift = from_zero(rows) ? 1.0 : 0.0;
  for (const Row& row : rows) {
    agree(records, row.number("records", positive_number), row, "records");
    const auto own_norm = row.number("clip", Domain("(0, inf)"));
    norms_differ = norms_differ || (norm && own_norm && *norm != *own_norm);
    norm = norm ? norm : own_norm;
    agree(delta, row.number("delta", Domain("(0, 1)")), row, "delta");
    agree(noise_on, row.word<mechanism::NoiseOn>("noise_on"), row, "noise_on");
    agree(normalisation, row.word<mechanism::Normalisation>("normalisation"), row, "normalisation");
    agree(per, row.word<mechanism::ClippedPer>("clip_per"), row, "clip_per");
    mechanism::Phase phase = phase_of(row, shift, transcript, given);
    if (phase.sampler != mechanism::Sampler::none && !phase.sampling_rate && !(phase.batch_size && records)) {
      throw UsageError(row.where() + ": neither sampling_rate nor batch_size and records");
    }
    if (norms_differ && phase.noise) {
      throw UsageError(row.where() +
                       ": noise is measured in clip, which differs from the rows before; write noise_multiplier");
    }
    transcript.add(std::move(phase), row.where(), "row");
  }
  if (records) {
    run.records = mechanism::Records{*records};
  }
  run.clipping.norm = norms_differ ? std::nullopt : norm;
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
