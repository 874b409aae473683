// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/record.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/json.hpp>
#include <dpcurves/queries/detail/named.hpp>
#include <dpcurves/queries/detail/run_file.hpp>
#include <dpcurves/queries/detail/run_options.hpp>
#include <dpcurves/queries/detail/setting.hpp>
#include <dpcurves/queries/detail/words.hpp>

namespace dpcurves::queries {

std::vector<Option> reading_options() {
  const char* group = "Run file";
  return {{"reader", OptionKind::text, "dp-event|opacus|opake|log|jax-privacy|run",
           "what wrote the file, recognised by default", group},
          {"steps-count", OptionKind::text, "updates|batches",
           "what the steps of the file count, where it may be either", group},
          {"strict", OptionKind::flag, "", "refuse at any finding", group}};
}

transcripts::Given given_from(const Values& values) {
  transcripts::Given given{.reader = values.text_or("reader", ""), .steps_count = values.text_or("steps-count", "")};
  if (values.has("adjacency")) {
    given.adjacency = mechanism::adjacency_of(values.text("adjacency"));
  }
  if (values.has("sampling")) {
    given.sampler = mechanism::sampler_of(values.text("sampling"));
  }
  given.records = values.maybe("records");
  given.batch_size = values.maybe("batch-size");
  if (values.has("delta")) {
    const auto* list = values.value("delta").get<std::vector<double>>();
    const double delta = list != nullptr ? list->front() : values.number("delta");
    if (delta > 0.0 && delta < 1.0) {  // a file has no other
      given.delta = delta;
    }
  }
  return given;
}

transcripts::Transcript read_transcript(const std::string& path, const Values& values) {
  const auto given = given_from(values);
  return of_file(path, [&] { return transcripts::read(io::read_file(path, io::largest_json), path, given); });
}

namespace {

using mechanism::Phase;
using mechanism::Sampler;

/// Puts what is typed in place of what the file says, and keeps the names of the options that did.
class Replacing {
 public:
  Replacing(const Values& values, std::vector<std::string>& replaced) : values_(values), replaced_(replaced) {}

  template <class Member, class Given>
  void operator()(const char* option, Member& member, const Given& value) const {
    if (values_.has(option) && member != value) {
      member = value;
      note(option);
    }
  }
  void note(const char* option) const {
    if (std::find(replaced_.begin(), replaced_.end(), option) == replaced_.end()) {
      replaced_.emplace_back(option);
    }
  }

 private:
  const Values& values_;
  std::vector<std::string>& replaced_;
};

/// \throws UsageError  for options that would say nothing of this run: an answer to another question than was asked.
void require_meaning(const mechanism::Run& run, const Values& values) {
  for (const char* option : {"steps", "epochs", "sampling-rate"}) {
    if (values.has(option) && run.phases.size() > 1) {
      throw UsageError(std::string("--") + option + ": the run has " + std::to_string(run.phases.size()) +
                       " phases; give it in the file");
    }
  }
  const bool noted = run.source == "Opacus";  // batch size and records are held against the rates of a history
  for (const char* option : {"noise-multiplier", "steps", "epochs", "sampling-rate", "batch-size"}) {
    if (values.has(option) && run.phases.empty() && !(noted && option == std::string("batch-size"))) {
      throw UsageError(std::string("--") + option + ": the run has no steps that it could change");
    }
  }
  if (values.has("steps") && values.has("epochs")) {
    throw UsageError("--steps and --epochs exclude each other");
  }
  const auto sampled = [&](const Phase& phase) {
    return (values.has("sampling") ? mechanism::sampler_of(values.text("sampling")) : phase.sampler) != Sampler::none;
  };
  for (const char* option : {"sampling-rate", "batch-size"}) {
    if (values.has(option) && !run.phases.empty() && std::none_of(run.phases.begin(), run.phases.end(), sampled)) {
      throw UsageError(std::string("--") + option + ": every step of the run uses all records");
    }
  }
}

/// \throws UsageError  for a parameter of a sampler that no step has.
void replace_of_samplers(mechanism::Run& run, const Values& values, const Replacing& replace) {
  const auto one = [&](const char* option, Sampler sampler, auto member, const auto& value, auto none) {
    bool found = false;
    for (Phase& phase : run.phases) {
      if (phase.sampler == sampler) {
        found = true;
        replace(option, phase.*member, value);
      } else if (values.has("sampling")) {
        phase.*member = none;  // the sampler was replaced
      }
    }
    if (values.has(option) && !found) {
      throw UsageError(std::string("--") + option + ": has a meaning only with the sampler " +
                       std::string(name(sampler)));
    }
  };
  const std::optional<double> nothing;
  const double usual = Phase{}.uses_per_round;
  one("uses-per-round", Sampler::random_allocation, &Phase::uses_per_round,
      values.maybe("uses-per-round").value_or(usual), usual);
  one("cycle", Sampler::cyclic_poisson, &Phase::cycle, values.maybe("cycle"), nothing);
  one("largest-batch", Sampler::truncated_poisson, &Phase::largest_batch, values.maybe("largest-batch"), nothing);
  one("separation", Sampler::b_min_sep, &Phase::separation, values.maybe("separation"), nothing);
}

}  // namespace

std::vector<std::string> apply_options(mechanism::Run& run, const Values& values) {
  std::vector<std::string> replaced;
  const Replacing replace(values, replaced);
  require_meaning(run, values);
  if (values.has("adjacency")) {
    replace("adjacency", run.privacy.adjacency, mechanism::adjacency_of(values.text("adjacency")));
  }
  if (values.has("records")) {
    run.records = run.records.value_or(mechanism::Records{values.number("records")});
    replace("records", run.records->count, values.number("records"));
  }
  replace("clip", run.clipping.norm, values.maybe("clip"));
  for (Phase& phase : run.phases) {
    if (values.has("sampling")) {
      replace("sampling", phase.sampler, mechanism::sampler_of(values.text("sampling")));
    }
    replace("noise-multiplier", phase.noise_multiplier, values.maybe("noise-multiplier"));
    phase.noise = values.has("noise-multiplier") ? std::nullopt : phase.noise;
    if (values.has("sampling-rate")) {
      replace("sampling-rate", phase.sampling_rate, values.maybe("sampling-rate"));
      phase.batch_size.reset();
    }
    if (values.has("batch-size") && run.source != "Opacus") {  // there it is held against the rate of the history
      replace("batch-size", phase.batch_size, values.maybe("batch-size"));
      phase.sampling_rate.reset();
    }
    if (values.has("steps")) {
      replace("steps", phase.steps, values.number("steps"));
      phase.epochs.reset();
    }
  }
  if (values.has("epochs")) {
    Phase& phase = run.phases.front();
    phase.epochs = values.number("epochs");
    phase.steps = steps_of_epochs(phase.sampler, *phase.epochs, mechanism::sampling_rate(run, 0), 1.0);
    replace.note("epochs");
  }
  replace_of_samplers(run, values, replace);
  return replaced;
}

void complete_with_run(Values& values, const std::vector<Option>& table) {
  if (!values.has("run")) {
    return;
  }
  const std::string path = values.text("run");
  auto transcript = read_transcript(path, values);
  auto replaced = apply_options(transcript.run, values);
  const auto delta = given_from(values).delta;
  const auto& privacy = transcript.run.privacy;
  const auto option_of = [&](const char* name) {
    const auto found = std::find_if(table.begin(), table.end(), [&](const Option& one) { return one.name == name; });
    return found == table.end() ? nullptr : &*found;
  };
  const Option* epsilon = option_of("epsilon");
  const bool calibrated = epsilon != nullptr && epsilon->kind == OptionKind::number;
  if (delta && !privacy.delta.empty() &&
      std::find(privacy.delta.begin(), privacy.delta.end(), *delta) == privacy.delta.end()) {
    replaced.emplace_back("delta");
    if (calibrated && !values.has("epsilon") && privacy.epsilon_budget) {
      throw UsageError("--delta: the budget of " + path + " is epsilon " + shortest(*privacy.epsilon_budget) +
                       " at delta " + shortest(privacy.delta.front()) + "; give --epsilon for another delta");
    }
  }
  const auto findings = of_file(path, [&] { return transcripts::check(transcript, delta); });
  std::string refused;
  for (const auto& finding : findings) {
    if (values.flag("strict") || finding.level == transcripts::Level::red) {
      refused += (refused.empty() ? "" : "\n") + path + ": " + finding.where + (finding.where.empty() ? "" : ": ") +
                 finding.message + " [" + finding.id + "]";
    }
  }
  if (!refused.empty()) {
    throw DomainError(refused);
  }
  static_cast<void>(of_file(path, [&] { return transcripts::guarantee(transcript, {}, delta); }));
  Record beside = transcript_record(transcript, findings, delta);
  beside.add("file", {path});
  beside.add("overridden", texts(replaced));
  values.set(transcript_key, Value{std::move(beside)});
  values.set("run", Value{transcripts::record_of(transcript.run)});
  if (const Option* one = option_of("delta"); one != nullptr && !values.has("delta") && !privacy.delta.empty() &&
                                              (one->kind == OptionKind::number || !values.has("epsilon"))) {
    values.set("delta", one->kind == OptionKind::number ? Value{privacy.delta.front()} : Value{privacy.delta});
  }
  if (calibrated && !values.has("epsilon") && privacy.epsilon_budget) {
    values.set("epsilon", *privacy.epsilon_budget);
  }
}

mechanism::Run run_from(const Values& values) {
  auto run = transcripts::run_of(std::get<Record>(values.value("run").data));
  static_cast<void>(apply_options(run, values));
  return run;
}

double steps_of_epochs(mechanism::Sampler sampler, double epochs, double batch_size, double records) {
  if (sampler == mechanism::Sampler::none) {
    return std::ceil(epochs);
  }
  const double rate = mechanism::sampling_rate_of(batch_size, records);
  return mechanism::in_epochs(sampler) ? std::ceil(epochs * mechanism::steps_of_epoch(rate))
                                       : std::ceil(epochs * (records / batch_size));
}

std::string transcript_text(const Values& values) {
  if (!values.has(transcript_key)) {
    return "";
  }
  const auto& transcript = std::get<Record>(values.value(transcript_key).data);
  const auto word = [](const Value& of, const char* key) {
    return std::get<std::string>(std::get<Record>(of.data).at(key).data);
  };
  std::string text = word({transcript}, "file") + ", read as " + word({transcript}, "reader") + "\n";
  constexpr std::size_t most = 20;  // a long history is in the data
  const auto list = [&](const char* key) { return *transcript.at(key).get<List>(); };
  const List parts = list("parts");
  for (std::size_t i = 0; i < std::min(most, parts.size()); ++i) {
    const auto theorem = word(parts[i], "theorem");
    text += wrapped("  " + word(parts[i], "path") + ": " + word(parts[i], "words") +
                        (theorem.empty() ? "" : " (" + theorem + ")"),
                    2) +
            "\n";
  }
  if (parts.size() > most) {
    text += "  and " + std::to_string(parts.size() - most) + " more\n";
  }
  for (const Value& one : list("assumed")) {
    text += wrapped("assumed: " + *one.get<std::string>(), 2) + "\n";
  }
  for (const Value& one : list("findings")) {
    const auto where = word(one, "where");
    text += wrapped(word(one, "id") + (where.empty() ? "" : " " + where) + ": " + word(one, "message"), 2) + "\n";
  }
  if (const Value* held = transcript.find("budget"); held != nullptr) {
    text += budget_text(*held->get<Record>()) + "\n";
  }
  for (const Value& one : list("overridden")) {
    text += "--" + *one.get<std::string>() + " of the command line replaces what the file says\n";
  }
  for (const Value& one : transcript.find("added") != nullptr ? list("added") : List{}) {
    text += "--" + *one.get<std::string>() + " of the command line is counted beside what the file says\n";
  }
  return text;
}

}  // namespace dpcurves::queries
