// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The run of dpcurves-validate: theorem against simulation.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include <dpcurves/catalogue/catalogue.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/share.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/table.hpp>

#include "checks/check.hpp"
#include "support/exit.hpp"
#include "validate.hpp"
#include "validation/report.hpp"
#include "validation/runner.hpp"
#include "validation_program/record_json.hpp"
#include "validation_program/tables.hpp"

namespace dpcurves::tools {
namespace {

using validation::Record;
using validation::to_string;

/// The catalogue's coverage: how many entries there are, have a case, or cannot be computed.
Json coverage() {
  const auto& all = catalogue::entries();
  const auto count = [&](auto&& test) { return std::count_if(all.begin(), all.end(), test); };
  return {{"entries", all.size()},
          {"with_case", count([](const auto& entry) { return !entry.validation.empty(); })},
          {"not_computable", count([](const auto& entry) { return entry.validation.empty(); })}};
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

/// "0.97", "-" where nothing was measured.
std::string number(const std::optional<double>& value) { return value ? rounded(*value, 2) : "-"; }

std::string controls(const Record& record) {
  std::size_t broken = 0, all = 0;
  for (const auto& group : record.judgement.groups) {
    broken += group.control_broken;
    all += group.control_comparisons;
  }
  return std::to_string(broken) + " of " + std::to_string(all);
}

std::string verdicts(const Record& record) {
  const auto& found = record.judgement;
  std::string text = to_string(record.verdict);
  if (found.as_printed && found.as_repaired) {
    text += ", repaired " + to_string(*found.as_repaired);
  } else if (found.as_repaired) {
    text += " as repaired";
  }
  return text;
}

std::string run_text(const validation::Run& run) {
  using enum io::Align;
  io::TextTable table(
      {"", "theorem", "verdict", "resolution", "gap", "by", "runs", "comparisons", "control broken", "seconds"},
      {left, left, left, right, right, left, right, right, right, right});
  std::string details;
  std::size_t good = 0;
  for (const Record& record : run.records) {
    good += record.good() ? 1U : 0U;
    const auto& found = record.judgement;
    table.add({record.good() ? "ok" : "FAILED", record.what->id, verdicts(record), number(found.resolution),
               found.gap ? rounded(found.gap->least, 3) : "-", to_string(found.basis), std::to_string(found.runs),
               std::to_string(record.outcome.claim.comparisons()), controls(record), rounded(record.seconds, 2)});
    if (const auto& vacuous = record.outcome.vacuous) {
      details += record.what->id + ": the bound " + rounded(vacuous->bound, 4) + " against " +
                 rounded(vacuous->trivial, 4) + " without the theorem; it speaks " + vacuous->speaks + "\n";
    }
    if (record.good()) {
      continue;
    }
    details += record.what->id + ": " + record.failure() + "\n";
    for (const auto& line : broken(record)) {
      details += "  " + line + "\n";
    }
  }
  details += std::to_string(good) + " of " + std::to_string(run.records.size()) + " cases as expected. " +
             validation::sentence(run.levels) + "\n";
  return table.text() + io::broken_lines(details);
}

/// The run as findings, for JUnit.
std::vector<checks::Finding> findings(const validation::Run& run, const std::string& asked_report) {
  return mapped(run.records, [&](const Record& record) {
    return checks::Finding{record.what->id, record.what->claim, record.failure(), record.seconds,
                           pretty(record_json(record, asked_report))};
  });
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
    Json list = Json::array();
    std::string text;
    for (const auto* what : cases) {
      list.push_back({{"id", what->id}, {"claim", what->claim}});
      text += what->id + ": " + what->claim + "\n";
    }
    emit(asked.common, asked.common.parsed_format() == Format::json ? pretty(list) : io::broken_lines(text));
    return 0;
  }
  const Stopwatch clock;
  validation::Setting setting{.nightly = asked.profile == "nightly", .seed = asked.common.seed};
  if (setting.nightly && !asked.seeded) {
    if (Sharing::partial()) {
      throw UsageError("--shard: needs --seed with --profile nightly, or every shard would draw a seed of its own");
    }
    setting.seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  }
  if (!asked.report.empty()) {
    validation::prepare_report(asked.report);
  }
  ProgressBar bar("validating", asked.common);
  const auto run = validation::run(cases, setting, asked.common.threads, bar.follow());
  Sharing::last_loop_done();
  if (!asked.report.empty()) {
    validation::write_report(run, setting, version(), asked.report, asked.common.threads);
  }
  if (!asked.junit.empty()) {
    io::write_file(asked.junit,
                   checks::junit("dpcurves validate --profile " + asked.profile, findings(run, asked.report)));
  }
  if (asked.common.parsed_format() == Format::json) {
    Json json{{"schema", "dpcurves/validate/2"}, {"version", version()}};
    json["profile"] = asked.profile;
    json["seed"] = setting.seed;
    json["date"] = today();
    json["wall_seconds"] = clock.seconds();
    json["levels"] = levels_json(run.levels);
    json["sentence"] = validation::sentence(run.levels);
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
