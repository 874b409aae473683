// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/gdp_parameter.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/json.hpp>
#include <dpcurves/io/detail/rows.hpp>
#include <dpcurves/queries/detail/algorithm.hpp>
#include <dpcurves/queries/detail/range.hpp>
#include <dpcurves/queries/detail/run_options.hpp>
#include <dpcurves/queries/referee.hpp>
#include <dpcurves/transcripts/transcript.hpp>

namespace dpcurves::queries {
namespace {

using transcripts::Judgement;

const std::vector<std::string> settings{"noise_multiplier", "sampling_rate", "steps",  "sampling",      "adjacency",
                                        "batch_size",       "records",       "cycle",  "largest_batch", "separation",
                                        "uses_per_round",   "group_size",    "epochs", "clip",          "run",
                                        "transcript"};
const std::vector<std::string> others{"id", "delta", "quantity", "claimed", "digits", "accountant", "source", "fpr"};
const std::vector<std::string> claim_words{"id",     "run",        "transcript", "sampling",
                                           "source", "accountant", "quantity",   "adjacency"};
const std::vector<std::string> quantities{"epsilon", "delta", "mu", "advantage", "tpr"};

std::string place_of(const ClaimRow& claim) { return "row " + std::to_string(claim.line); }

double claimed_number(const Record& row, const std::string& name, const std::string& where) {
  const Value* value = row.find(name);
  double number = 0.0;
  if (value == nullptr) {
    throw UsageError(where + ": " + name + " is missing");
  }
  if (!value->number(number) || std::isnan(number)) {
    throw UsageError(where + ": " + name + ": " + text(*value) + " is not a number");
  }
  return number;
}
std::optional<double> maybe(const Record& row, const std::string& name, const std::string& where) {
  return row.find(name) == nullptr ? std::nullopt : std::optional(claimed_number(row, name, where));
}
std::string text_of(const Record& row, const std::string& name, const std::string& fallback) {
  const Value* value = row.find(name);
  if (value == nullptr) {
    return fallback;
  }
  const auto* word = value->get<std::string>();
  return word != nullptr ? *word : text(*value);
}

/// The name of a column as an option of dp-sgd has it: dashes are underscores, names of other libraries are ours.
std::string canonical(const std::string& column) {
  static const std::vector<Option> options = dp_sgd_algorithms().front().options;
  std::string dashed = column;
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  const Option* option = find_option(options, dashed);
  std::string name = option != nullptr ? option->name : dashed == "target-delta" ? "delta" : dashed;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// \throws UsageError  for a name that no column has. \param as_written  the name before canonical().
void require_known(const std::string& column, const std::string& as_written, const std::string& where) {
  std::vector<std::string> known = settings;
  known.insert(known.end(), others.begin(), others.end());
  if (column != "epsilon" && std::find(known.begin(), known.end(), column) == known.end()) {
    throw UsageError(where + ": unknown column " + as_written + suggestion(column, known));
  }
}

ClaimRow claim_row(const Record& given, std::size_t line, const std::string& where) {
  Record row;
  for (const Entry& entry : given.entries()) {
    std::string name = canonical(entry.name);
    if (row.find(name) != nullptr) {
      throw UsageError(where + ": " + entry.name + ": " + name + " stands there twice");
    }
    row.add(std::move(name), entry.value);
  }
  ClaimRow claim;
  claim.line = line;
  claim.id = text_of(row, "id", where);
  claim.quantity = text_of(row, "quantity", "epsilon");
  claim.claimed = claimed_number(row, "claimed", where);
  claim.delta = maybe(row, "delta", where);
  claim.digits = maybe(row, "digits", where);
  claim.accountant = text_of(row, "accountant", "");
  const bool chance = claim.quantity == "delta" || claim.quantity == "advantage" || claim.quantity == "tpr";
  if (!(claim.claimed >= 0.0 && (!chance || claim.claimed <= 1.0))) {
    throw UsageError(where + ": claimed: " + shortest(claim.claimed) + " is not in " +
                     (chance ? "[0, 1], the range of " + claim.quantity : "[0, inf]"));
  }
  if (claim.digits && !(*claim.digits >= 1.0 && *claim.digits <= 400.0 && *claim.digits == std::floor(*claim.digits))) {
    throw UsageError(where + ": digits: " + shortest(*claim.digits) + " is not a whole number from 1");
  }
  if (std::find(quantities.begin(), quantities.end(), claim.quantity) == quantities.end()) {
    throw UsageError(where + ": quantity: " + claim.quantity + " is none of epsilon, delta, mu, advantage, tpr" +
                     suggestion(claim.quantity, quantities));
  }
  for (const Entry& entry : row.entries()) {
    require_known(entry.name, entry.name, where);
    if (std::find(others.begin(), others.end(), entry.name) == others.end() || entry.name == "fpr") {
      claim.setting.add(entry.name, entry.value);
    }
  }
  return claim;
}

/// Cells as values: numbers where they are, but for names.
Value value_of(const std::string& column, const std::string& cell) {
  const bool named = std::find(claim_words.begin(), claim_words.end(), column) != claim_words.end();
  if (!named && !cell.empty() && cell.find_first_not_of("+-0123456789.eEinf") == std::string::npos) {
    const char* begin = cell.c_str();
    char* end = nullptr;
    const double value = std::strtod(begin, &end);
    if (end == begin + cell.size() && !std::isnan(value)) {
      return {value};
    }
  }
  return {cell};
}

/// A rate, or BATCH/RECORDS.
std::optional<double> claimed_rate(const Record& setting, const std::string& where) {
  const Value* value = setting.find("sampling_rate");
  const auto* word = value == nullptr ? nullptr : value->get<std::string>();
  const auto slash = word == nullptr ? std::string::npos : word->find('/');
  double batch = 0.0, records = 0.0;
  if (slash != std::string::npos && read_number(word->substr(0, slash), batch) &&
      read_number(word->substr(slash + 1), records)) {
    return mechanism::sampling_rate_of(batch, records);
  }
  return maybe(setting, "sampling_rate", where);
}

/// The value of a word. \throws UsageError  for one that is none: a row that is misspelt must not pass as not
/// comparable.
template <class Read>
auto word_of(Read read, const Record& setting, const char* column, const std::string& fallback) {
  try {
    return read(text_of(setting, column, fallback));
  } catch (const DomainError& error) {
    throw UsageError(error.what());
  }
}

mechanism::Run claimed_run(const Record& setting, const std::string& where) {
  mechanism::Run run;
  mechanism::Phase phase;
  phase.sampler = word_of(mechanism::sampler_of, setting, "sampling", "poisson");
  phase.noise_multiplier = claimed_number(setting, "noise_multiplier", where);
  phase.sampling_rate = claimed_rate(setting, where);
  phase.batch_size = maybe(setting, "batch_size", where);
  phase.epochs = maybe(setting, "epochs", where);
  if (!phase.epochs || setting.find("steps") != nullptr) {
    phase.steps = claimed_number(setting, "steps", where);
  } else if (phase.sampler == mechanism::Sampler::none) {
    phase.steps = steps_of_epochs(phase.sampler, *phase.epochs, 1.0, 1.0);
  } else {
    phase.steps = steps_of_epochs(phase.sampler, *phase.epochs, claimed_number(setting, "batch_size", where),
                                  claimed_number(setting, "records", where));
  }
  phase.uses_per_round = maybe(setting, "uses_per_round", where).value_or(1.0);
  phase.cycle = maybe(setting, "cycle", where);
  phase.largest_batch = maybe(setting, "largest_batch", where);
  phase.separation = maybe(setting, "separation", where);
  if (const auto records = maybe(setting, "records", where)) {
    run.records = mechanism::Records{*records};
  }
  if (const auto group = maybe(setting, "group_size", where)) {
    run.records = run.records.value_or(mechanism::Records{});
    run.records->unit = mechanism::Unit::group;
    run.records->max_records_per_unit = *group;
  }
  run.privacy.adjacency = word_of(mechanism::adjacency_of, setting, "adjacency",
                                  std::string(name(mechanism::usual_adjacency(phase.sampler))));
  run.phases = {phase};
  return run;
}

transcripts::Transcript transcript_of(const ClaimRow& claim, const std::filesystem::path& folder) {
  for (const char* key : {"run", "transcript"}) {
    if (claim.setting.find(key) != nullptr) {
      const std::string name = text_of(claim.setting, key, "");
      transcripts::Given given;
      given.delta = claim.delta;
      if (claim.setting.find("adjacency") != nullptr) {
        given.adjacency = word_of(mechanism::adjacency_of, claim.setting, "adjacency", "");
      }
      return transcripts::read(io::read_file(folder / name, io::largest_json), name, given);
    }
  }
  return transcripts::Transcript{.reader = "run",
                                 .run = claimed_run(claim.setting, place_of(claim)),
                                 .parts = {{transcripts::Part::Kind::phase, 0, "phases[0]", "phases"}}};
}

Enclosure bracket_of(const ClaimRow& claim, const accounting::Guarantee& guarantee) {
  const auto need_delta = [&] {
    if (!claim.delta) {
      throw UsageError("delta is missing");
    }
    const bool ends = claim.quantity == "epsilon" && (*claim.delta == 0.0 || *claim.delta == 1.0);
    if (!ends && !(*claim.delta > 0.0 && *claim.delta < 1.0)) {
      throw UsageError("delta: " + shortest(*claim.delta) + " is outside " +
                       (claim.quantity == "epsilon" ? "[0, 1]" : "(0, 1)"));
    }
    return *claim.delta;
  };
  if (claim.quantity == "epsilon") {
    const double delta = need_delta();
    return delta == 0.0   ? guarantee.curve->renyi(infinity)  // the largest loss
           : delta == 1.0 ? exactly(0.0)
                          : guarantee.curve->epsilon(delta).value;
  }
  if (claim.quantity == "delta") {
    return guarantee.curve->delta(claimed_number(claim.setting, "epsilon", place_of(claim))).value;
  }
  if (claim.quantity == "mu") {
    return accounting::gdp_parameter_above(*guarantee.curve, need_delta());
  }
  if (claim.quantity == "advantage") {
    return guarantee.curve->delta(0.0).value;  // the total variation
  }
  const std::vector<double> rate{claimed_number(claim.setting, "fpr", place_of(claim))};
  const Enclosure missed = guarantee.curve->type_two_errors(rate).front();
  return {std::max(0.0, next_down(1.0 - missed.upper)), std::min(1.0, next_up(1.0 - missed.lower))};
}

std::string batches(const transcripts::Transcript& transcript) {
  return transcript.run.phases.empty() ? "this run"
                                       : std::string(name(transcript.run.phases.front().sampler)) + " batches";
}

std::vector<ClaimRow> rows_of_table(const std::string& text, const std::string& name) {
  std::vector<ClaimRow> claims;
  if (name.ends_with(".json")) {
    const Value document = io::read_json(text, name);
    const auto* list = document.get<List>();
    if (list == nullptr) {
      throw UsageError(name + ": not a list of claims; for the epsilon of a run: dpcurves privacy --run " + name);
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string where = "row " + std::to_string(i + 1);
      const auto* given = (*list)[i].get<Record>();
      if (given == nullptr) {
        throw UsageError(where + ": not an object");
      }
      Record row;
      for (const Entry& entry : given->entries()) {
        if (!entry.value.null()) {
          row.add(entry.name, entry.value);
        }
      }
      claims.push_back(claim_row(row, i + 1, where));
    }
    return claims;
  }
  const io::Rows rows = io::parse_rows(text, name);
  for (const std::string& column : rows.names()) {  // of which all cells may be empty
    require_known(canonical(column), column, name);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Record row;
    for (std::size_t column = 0; column < rows.names().size(); ++column) {
      if (const std::string& cell = rows.cell(i, column); !cell.empty()) {
        row.add(rows.names()[column], value_of(rows.names()[column], cell));
      }
    }
    claims.push_back(claim_row(row, rows.line(i), "row " + std::to_string(rows.line(i))));
  }
  return claims;
}

}  // namespace

std::vector<ClaimRow> read_claims(const std::string& text, const std::string& name) {
  auto claims = rows_of_table(text, name);
  if (claims.empty()) {
    throw UsageError(name + ": no claim");  // an empty file must not pass
  }
  return claims;
}

Judged judge(const ClaimRow& claim, double loose, const std::filesystem::path& folder) {
  Judged judged;
  judged.claim = claim;
  try {
    const auto transcript = transcript_of(claim, folder);
    judged.claim.delta = transcripts::delta_of(transcript.run, claim.delta);  // a run file may say it
    std::vector<transcripts::Finding> findings;
    try {
      findings = transcripts::check(transcript, claim.delta);
    } catch (const UsageError& error) {  // a claim that does not say what its sampler needs
      judged.reason = error.what();
      return judged;
    }
    for (const auto& finding : findings) {
      if (finding.level == transcripts::Level::red) {
        judged.reason = (finding.where.empty() ? "" : finding.where + ": ") + finding.message;
        return judged;
      }
    }
    const auto guarantee = transcripts::guarantee(transcript, {}, judged.claim.delta);
    judged.theorem = guarantee.theorem;
    judged.exact = !guarantee.upper_only && transcripts::exact(guarantee.theorem);
    judged.bracket = bracket_of(judged.claim, guarantee);
    const auto verdict = transcripts::judge(
        {claim.claimed, judged.bracket->lower, judged.bracket->upper, claim.digits, judged.exact, loose});
    judged.verdict = verdict.verdict;
    judged.ratio = verdict.ratio;
    if (judged.verdict == Judgement::not_comparable) {
      judged.reason =
          "for " + batches(transcript) +
          " dpcurves has an upper bound only; the claim is below it and no theorem known to dpcurves gives it";
    }
    if (judged.verdict == Judgement::too_small || judged.verdict == Judgement::rounded_down) {
      judged.short_by = judged.bracket->lower - claim.claimed;
      if (claim.quantity == "epsilon") {
        judged.delta_at_claim = guarantee.curve->delta(claim.claimed).value;
        if (*judged.claim.delta > 0.0) {
          judged.delta_factor = judged.delta_at_claim->lower / *judged.claim.delta;
        }
      }
    }
  } catch (const UsageError& error) {
    const std::string message = error.what(), place = place_of(claim);
    throw UsageError(message.starts_with(place) ? message : place + ": " + message);
  } catch (const DataError&) {
    throw;
  } catch (const DomainError& error) {
    judged.verdict = Judgement::not_comparable;
    judged.reason = error.field().empty()
                        ? error.what()
                        : error.field() + ": " + shortest(error.value()) + " is outside " + error.domain();
  } catch (const Error& error) {
    judged.verdict = Judgement::not_comparable;
    judged.reason = error.what();
  }
  return judged;
}

}  // namespace dpcurves::queries
