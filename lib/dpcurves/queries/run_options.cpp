// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/record.hpp>
#include <dpcurves/io/file.hpp>
#include <dpcurves/io/json.hpp>
#include <dpcurves/queries/named.hpp>
#include <dpcurves/queries/run_file.hpp>
#include <dpcurves/queries/run_options.hpp>
#include <dpcurves/queries/setting.hpp>
#include <dpcurves/queries/words.hpp>

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
  transcripts::Given given;
  given.reader = values.text_or("reader", "");
  given.steps_count = values.text_or("steps-count", "");
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

std::vector<std::string> apply_options(mechanism::Run& run, const Values& values) {
  std::vector<std::string> replaced;
  const auto replace = [&](const char* option, auto& member, const auto& value) {
    if (values.has(option) && member != value) {
      member = value;
      if (std::find(replaced.begin(), replaced.end(), option) == replaced.end()) {
        replaced.emplace_back(option);
      }
    }
  };
  const auto only_phase = [&](const char* option) {
    if (values.has(option) && run.phases.size() > 1) {
      throw UsageError(std::string("--") + option + ": the run has " + std::to_string(run.phases.size()) +
                       " phases; give it in the file");
    }
  };
  only_phase("steps");
  only_phase("sampling-rate");
  if (values.has("adjacency")) {
    replace("adjacency", run.privacy.adjacency, mechanism::adjacency_of(values.text("adjacency")));
  }
  if (values.has("records")) {
    run.records = run.records.value_or(mechanism::Records{values.number("records")});
    replace("records", run.records->count, values.number("records"));
  }
  for (mechanism::Phase& phase : run.phases) {
    if (values.has("sampling")) {
      replace("sampling", phase.sampler, mechanism::sampler_of(values.text("sampling")));
    }
    replace("noise-multiplier", phase.noise_multiplier, values.maybe("noise-multiplier"));
    phase.noise = values.has("noise-multiplier") ? std::nullopt : phase.noise;
    replace("steps", phase.steps, values.number_or("steps", 0.0));
    replace("uses-per-round", phase.uses_per_round, values.number_or("uses-per-round", 1.0));
    const auto of_sampler = [&](const char* option, mechanism::Sampler sampler, std::optional<double>& member) {
      if (phase.sampler != sampler) {
        member.reset();  // the sampler was replaced
      } else {
        replace(option, member, values.maybe(option));
      }
    };
    if (values.has("sampling")) {
      of_sampler("cycle", mechanism::Sampler::cyclic_poisson, phase.cycle);
      of_sampler("largest-batch", mechanism::Sampler::truncated_poisson, phase.largest_batch);
      of_sampler("separation", mechanism::Sampler::b_min_sep, phase.separation);
    } else {
      replace("cycle", phase.cycle, values.maybe("cycle"));
      replace("largest-batch", phase.largest_batch, values.maybe("largest-batch"));
      replace("separation", phase.separation, values.maybe("separation"));
    }
    if (values.has("sampling-rate")) {
      replace("sampling-rate", phase.sampling_rate, values.maybe("sampling-rate"));
      phase.batch_size.reset();
    }
    if (values.has("batch-size") && run.source != "Opacus") {  // there it is held against the rate of the history
      replace("batch-size", phase.batch_size, values.maybe("batch-size"));
      phase.sampling_rate.reset();
    }
  }
  return replaced;
}

void complete_with_run(Values& values, const std::vector<Option>& table) {
  if (!values.has("run")) {
    return;
  }
  const std::string path = values.text("run");
  auto transcript = read_transcript(path, values);
  const auto replaced = apply_options(transcript.run, values);
  const auto delta = given_from(values).delta;
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
  for (const Option& option : table) {
    const auto& privacy = transcript.run.privacy;
    if (option.name == "delta" && !values.has("delta") && !privacy.delta.empty() &&
        (option.kind == OptionKind::number || !values.has("epsilon"))) {
      values.set("delta", option.kind == OptionKind::number ? Value{privacy.delta.front()} : Value{privacy.delta});
    }
    if (option.name == "epsilon" && option.kind == OptionKind::number && !values.has("epsilon") &&
        privacy.epsilon_budget) {
      values.set("epsilon", *privacy.epsilon_budget);
    }
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
  return mechanism::in_epochs(sampler) ? std::ceil(epochs * std::floor(1.0 / rate))
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
  return text;
}

}  // namespace dpcurves::queries
