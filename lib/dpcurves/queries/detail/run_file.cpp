// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/io/detail/json.hpp>
#include <dpcurves/io/detail/toml.hpp>
#include <dpcurves/queries/detail/named.hpp>
#include <dpcurves/queries/detail/run_file.hpp>
#include <dpcurves/transcripts/detail/numbers.hpp>

namespace dpcurves::queries {
namespace {

using transcripts::Finding;
using transcripts::Level;
using transcripts::Transcript;

const char* level_name(Level level) { return level == Level::red ? "red" : "yellow"; }

List findings_list(const std::vector<Finding>& findings) {
  List list;
  for (const Finding& finding : findings) {
    list.push_back({Record{{"id", {finding.id}},
                           {"level", {std::string(level_name(finding.level))}},
                           {"where", {finding.where}},
                           {"message", {finding.message}}}});
  }
  return list;
}

/// "budget": {"budget", "lower", "upper", "verdict"}, where the run has one and an answer.
void add_budget(Record& record, const Transcript& transcript, const std::vector<Finding>& findings,
                std::optional<double> delta) {
  if (std::any_of(findings.begin(), findings.end(), [](const Finding& one) { return one.level == Level::red; })) {
    return;
  }
  if (const auto held = transcripts::budget(transcript, delta)) {
    record.add("budget", {budget_record(*held)});
  }
}

List list_of(const std::vector<std::string>& words) {
  List list;
  for (const std::string& word : words) {
    list.push_back({word});
  }
  return list;
}

}  // namespace

Record budget_record(const transcripts::Budget& held) {
  return {{"budget", {held.epsilon}},
          {"delta", {held.delta}},
          {"lower", held.lower ? Value{*held.lower} : Value{}},
          {"upper", {held.upper}},
          {"verdict", {std::string(held.verdict())}}};
}

std::string budget_text(const Record& budget) {
  const auto end = [&](const char* key) {
    double value = 0.0;
    return budget.at(key).number(value) ? std::optional(value) : std::nullopt;
  };
  const auto lower = end("lower");
  constexpr int decimals = 6;
  return "budget " + shortest(*end("budget")) + " at delta " + shortest(*end("delta")) + ": " +
         *budget.at("verdict").get<std::string>() + ", epsilon " +
         (lower ? "in [" + transcripts::at_least(*lower, decimals) + ", " : "<= ") +
         transcripts::at_most(*end("upper"), decimals) + (lower ? "]" : "");
}

Record transcript_record(const Transcript& transcript, const std::vector<Finding>& findings,
                         std::optional<double> delta) {
  List parts;
  for (const transcripts::Part& part : transcript.parts) {
    parts.push_back({Record{{"path", {part.where}},
                            {"node", {part.label}},
                            {"words", {transcripts::words(transcript, part)}},
                            {"theorem", {transcripts::theorem(transcript, part)}}}});
  }
  Record record{{"reader", {transcript.reader}},
                {"parts", {std::move(parts)}},
                {"assumed", {list_of(transcript.assumed)}},
                {"findings", {findings_list(findings)}}};
  add_budget(record, transcript, findings, delta);
  return record;
}

Report run_check(const std::string& text, const std::string& name, const transcripts::Given& given, bool strict) {
  const Transcript transcript = of_file(name, [&] { return transcripts::read(text, name, given); });
  const auto findings = of_file(name, [&] { return transcripts::check(transcript, given.delta); });
  Report report{.schema = "dpcurves/run-check/1",
                .inputs = {{"file", {name}}},
                .results = {{"run", {transcripts::record_of(transcript.run)}},
                            {"assumed", {list_of(transcript.assumed)}},
                            {"findings", {findings_list(findings)}}}};
  add_budget(report.results, transcript, findings, given.delta);
  report.rows.names = {"id", "level", "where", "message"};
  Block block;
  for (const Finding& finding : findings) {
    report.rows.rows.push_back({{finding.id}, {level_name(finding.level)}, {finding.where}, {finding.message}});
    block.text += std::string(level_name(finding.level)) + " " + finding.id +
                  (finding.where.empty() ? "" : " " + finding.where) + ": " + finding.message + "\n";
  }
  for (const std::string& assumed : transcript.assumed) {
    block.text += "assumed: " + assumed + "\n";
  }
  if (const Value* held = report.results.find("budget"); held != nullptr) {
    block.text += budget_text(*held->get<Record>()) + "\n";
  }
  if (findings.empty()) {
    block.text += "no finding\n";
  }
  report.blocks.push_back(std::move(block));
  const bool refused = std::any_of(findings.begin(), findings.end(),
                                   [&](const Finding& finding) { return strict || finding.level == Level::red; });
  report.outcome = refused ? Outcome::refused : Outcome::ok;
  return report;
}

std::string run_text(const Transcript& transcript, bool toml) {
  const Record record = transcripts::record_of(transcript.run);
  if (!toml) {
    return io::write_json({record});
  }
  std::string text;
  for (const std::string& assumed : transcript.assumed) {
    text += "# assumed: " + assumed + "\n";
  }
  return text + io::write_toml(record);
}

mechanism::Run run_of(const accounting::DpSgd& question) {
  using mechanism::Sampler;
  mechanism::Run run;
  run.privacy.adjacency = question.adjacency;
  run.privacy.release = question.release;
  for (const accounting::DpSgdPhase& one : question.phases) {
    mechanism::Phase phase{.steps = one.steps,
                           .sampler = one.sampling.value_or(question.sampling),
                           .noise_multiplier = one.noise_multiplier};
    if (phase.sampler != Sampler::none) {
      phase.sampling_rate = one.sampling_rate;
    }
    switch (phase.sampler) {
      case Sampler::random_allocation:
        phase.uses_per_round = question.uses_per_round;
        break;
      case Sampler::cyclic_poisson:
        phase.cycle = one.cycle;
        break;
      case Sampler::truncated_poisson:
        phase.largest_batch = one.largest_batch;
        break;
      case Sampler::b_min_sep:
        phase.separation = question.separation;
        break;
      default:
        break;
    }
    if (one.records > 0.0) {
      run.records = mechanism::Records{one.records};
    }
    phase.first_step = one.first_step;
    run.phases.push_back(std::move(phase));
  }
  if (question.group_size > 1.0) {
    run.records = run.records.value_or(mechanism::Records{});
    run.records->unit = mechanism::Unit::group;
    run.records->max_records_per_unit = question.group_size;
  }
  for (const auto& one : question.unsampled) {
    run.releases.push_back({one.count, one.noise_multiplier, one.upper_only, {}});
  }
  for (const auto& one : question.claims) {
    run.claims.push_back({one.epsilon, one.delta, one.count, {}});
  }
  for (const auto& one : question.concentrated) {
    run.concentrated.push_back({one.rho, one.xi, one.count, {}});
  }
  run.mechanisms = question.mechanisms;
  return run;
}

}  // namespace dpcurves::queries
