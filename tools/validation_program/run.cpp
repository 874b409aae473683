// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The run of dpcurves-validate: theorem against simulation.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include <dpcurves/catalogue/catalogue.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/io/file.hpp>
#include <dpcurves/io/table.hpp>

#include "checks/check.hpp"
#include "support/exit.hpp"
#include "validate.hpp"
#include "validation/report.hpp"
#include "validation/runner.hpp"
#include "validation_program/tables.hpp"

namespace dpcurves::tools {
namespace {

using validation::Record;
using validation::Verdict;

/// The catalogue's coverage: how many entries there are, have a case, or cannot be computed.
Json coverage() {
  const auto& all = catalogue::entries();
  const auto count = [&](auto&& test) { return std::count_if(all.begin(), all.end(), test); };
  return {{"entries", all.size()},
          {"with_case", count([](const auto& entry) { return !entry.validation.empty(); })},
          {"not_computable", count([](const auto& entry) { return entry.validation.empty(); })}};
}

/// The chance that a run of true claims is refuted somewhere is below this.
double false_alarm(const validation::Run& run) {
  return static_cast<double>(run.intervals) * validation::miss_per_interval;
}

/// Today in Greenwich, YYYY-MM-DD.
std::string today() {
  const auto now = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const std::chrono::year_month_day date(now);
  char text[16];
  std::snprintf(text, sizeof(text), "%04d-%02u-%02u", int(date.year()), unsigned(date.month()), unsigned(date.day()));
  return text;
}

/// The comparisons that the claim lost.
std::vector<std::string> broken(const Record& record) {
  std::vector<std::string> lines = record.outcome.claim.lines();
  std::erase_if(lines, [](const std::string& line) { return line.rfind("BROKEN", 0) != 0; });
  return lines;
}

Json record_json(const Record& record, const std::string& report) {
  Json figures = Json::array();
  for (std::size_t k = 0; k < record.outcome.figures.size(); ++k) {
    figures.push_back(report.empty() ? Json(record.outcome.figures[k].title)
                                     : Json(validation::figure_file(*record.what, k)));
  }
  Json json{{"id", record.what->id},
            {"claim", record.what->claim},
            {"verdict", to_string(record.verdict)},
            {"expected", to_string(record.what->expected)},
            {"control", record.control_refuted ? "refuted" : "not refuted"},
            {"comparisons", record.outcome.claim.comparisons()},
            {"seconds", record.seconds},
            {"figures", figures}};
  if (!record.good()) {
    json["broken"] = broken(record);
  }
  if (!record.error.empty()) {
    json["error"] = record.error;
  }
  return json;
}

std::string run_text(const validation::Run& run) {
  using enum io::Align;
  io::TextTable table({"", "theorem", "comparisons", "verdict", "control", "seconds"},
                      {left, left, right, left, left, right});
  std::string details;
  std::size_t good = 0;
  for (const Record& record : run.records) {
    good += record.good() ? 1U : 0U;
    table.add({record.good() ? "ok" : "FAILED", record.what->id, std::to_string(record.outcome.claim.comparisons()),
               to_string(record.verdict) + (record.what->expected == Verdict::refuted ? " (expected)" : ""),
               record.control_refuted ? "refuted" : "NOT REFUTED", rounded(record.seconds, 2)});
    if (record.good()) {
      continue;
    }
    details += record.what->id + (record.error.empty() ? "" : ": " + record.error) + "\n";
    for (const auto& line : broken(record)) {
      details += "  " + line + "\n";
    }
  }
  return table.text() + details + std::to_string(good) + " of " + std::to_string(run.records.size()) +
         " cases as expected; " + std::to_string(run.intervals) + " exact intervals, false-alarm probability below " +
         rounded(false_alarm(run), 2) + "\n";
}

/// The run as findings, for JUnit.
std::vector<checks::Finding> findings(const validation::Run& run) {
  std::vector<checks::Finding> list;
  for (const Record& record : run.records) {
    std::string failure;
    if (!record.good()) {
      failure = !record.error.empty()     ? record.error
                : !record.control_refuted ? "the control was not refuted"
                                          : std::string("verdict ") + to_string(record.verdict) + ", expected " +
                                                to_string(record.what->expected);
    }
    list.push_back({record.what->id, record.what->claim, failure, record.seconds});
  }
  return list;
}

}  // namespace

int run_validation(const Validation& asked) {
  std::vector<const validation::Case*> cases;
  try {
    cases = validation::select(reproduce::all_cases(), asked.ids);
  } catch (const Error& error) {
    throw UsageError(std::string("ID: ") + error.what());
  }
  if (asked.list) {
    std::string text;
    for (const auto* what : cases) {
      text += what->id + ": " + what->claim + "\n";
    }
    emit(asked.common, text);
    return 0;
  }
  const Stopwatch clock;
  validation::Setting setting;
  setting.nightly = asked.profile == "nightly";
  setting.seed = asked.common.seed;
  if (setting.nightly && !asked.seeded) {
    setting.seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  }
  if (!asked.report.empty()) {
    validation::prepare_report(asked.report);
  }
  ProgressBar bar("validating", asked.common.quiet);
  const auto run = validation::run(cases, setting, asked.common.threads, bar.follow());
  if (!asked.report.empty()) {
    validation::write_report(run, setting, version(), asked.report, asked.common.threads);
  }
  if (!asked.junit.empty()) {
    io::write_file(asked.junit, checks::junit("dpcurves validate --profile " + asked.profile, findings(run)));
  }
  if (asked.common.parsed_format() == Format::json) {
    Json json{{"schema", "dpcurves/validate/1"}, {"version", version()}};
    json["profile"] = asked.profile;
    json["seed"] = setting.seed;
    json["date"] = today();
    json["wall_seconds"] = clock.seconds();
    json["intervals"] = run.intervals;
    json["false_alarm_probability"] = false_alarm(run);
    json["cases"] = Json::array();
    for (const Record& record : run.records) {
      json["cases"].push_back(record_json(record, asked.report));
    }
    json["catalogue"] = coverage();
    emit(asked.common, pretty(json));
  } else {
    emit(asked.common, run_text(run));
  }
  return static_cast<int>(run.good() ? Exit::ok : Exit::refuted);
}

}  // namespace dpcurves::tools
