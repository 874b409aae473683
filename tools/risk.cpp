// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves risk: the risk of a model along a run, with what it tends to and which parameters it allows.
#include "risk/risk.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <dpcurves/core/format.hpp>
#include <dpcurves/io/table.hpp>

#include "commands.hpp"
#include "support/caption.hpp"
#include "support/exit.hpp"
#include "support/leaves.hpp"
#include "support/sweep.hpp"

namespace dpcurves::tools {
namespace {

std::string shown(const Json& value) {
  if (value.is_object()) {
    std::string text;
    for (const auto& [key, part] : value.items()) {
      text += (text.empty() ? "" : ", ") + key + " = " + shown(part);
    }
    return text;
  }
  return value.is_string() ? value.get<std::string>()
                           : (value.is_number() ? rounded(value.get<double>(), 8) : value.dump());
}

std::string as_text(const RiskReport& report) {
  std::string text = report.heading + "\n";
  const auto& columns = report.curve.all();
  if (!columns.empty()) {
    std::vector<std::string> names;
    for (const auto& column : columns) {
      names.push_back(column.name);
    }
    io::TextTable table(names);
    for (std::size_t row = 0; row < report.curve.rows(); ++row) {
      std::vector<std::string> cells;
      for (const auto& column : columns) {
        cells.push_back(rounded(column.values[row], column.name.ends_with("error") ? 2 : 8));
      }
      table.add(cells);
    }
    text += table.text();
  }
  for (const auto& fact : report.facts) {
    text += fact.label + ": " + shown(fact.value) + "\n";
  }
  for (const auto& note : report.notes) {
    text += "note: " + note + "\n";
  }
  return text;
}

/// Whether --sweep is an option of the problem, with a meaning of its own.
bool sweeps_itself(const RiskProblem& problem) { return find_option(problem.options, "sweep") != nullptr; }

/// The numbers that every value of --sweep answers, a column each.
int sweep(const RiskProblem& problem, const std::vector<Option>& table, const Common& common, const RawOptions& raw,
          const Sweep& swept) {
  const Stopwatch clock;
  const std::string plot = raw.contains("plot") && !raw.at("plot").empty() ? raw.at("plot").front() : "";
  check_plot(plot);
  std::vector<io::Column> columns{{swept.option, swept.values}};
  std::vector<std::string> labels{swept.option};
  std::string heading, key = swept.option;
  std::replace(key.begin(), key.end(), '-', '_');
  Json inputs;
  ProgressBar bar("sweeping", common.quiet);
  for (std::size_t i = 0; i < swept.values.size(); ++i) {
    Values values = read_options(table, at(swept, swept.values[i], raw), common.config);
    const RiskReport report = problem.report(values, common.threads);
    for (const auto& fact : report.facts) {
      if (!fact.value.is_number() || fact.key == key) {
        continue;
      }
      auto column = std::find_if(columns.begin() + 1, columns.end(), [&](const auto& c) { return c.name == fact.key; });
      if (column == columns.end()) {
        columns.push_back({fact.key, std::vector<double>(swept.values.size(), std::nan(""))});
        labels.push_back(fact.label);
        column = columns.end() - 1;
      }
      column->values[i] = fact.value.get<double>();
    }
    if (i == 0) {
      heading = report.heading;
      values.erase(swept.option);
      inputs = values.echo(table);
    }
    bar.update(i + 1, swept.values.size());
  }
  if (columns.size() < 2) {
    throw UsageError("--sweep: these options have no answer that is one number");
  }
  if (!plot.empty()) {
    // The first answer that depends on the option.
    std::size_t drawn = 1;
    while (drawn + 1 < columns.size() && columns[drawn].values.front() == columns[drawn].values.back()) {
      ++drawn;
    }
    io::save(sweep_plot(problem.name + "\n" + caption_of(inputs), swept, labels[drawn], columns[drawn].values), plot);
  }
  switch (common.parsed_format()) {
    case Format::json: {
      Json json = result_head("dpcurves/risk/1", inputs);
      json["inputs"]["problem_class"] = problem.name;
      json["seed"] = nullptr;
      json["wall_seconds"] = clock.seconds();
      json["results"] = Json::array();
      for (std::size_t i = 0; i < swept.values.size(); ++i) {
        Json row{{"swept", {{"option", swept.option}, {"value", number(swept.values[i])}}}};
        for (std::size_t j = 1; j < columns.size(); ++j) {
          row[columns[j].name] = number(columns[j].values[i]);
        }
        json["results"].push_back(std::move(row));
      }
      emit(common, pretty(json));
      break;
    }
    case Format::csv:
      emit(common, io::to_csv(io::Columns(columns)));
      break;
    case Format::text: {
      RiskReport report;
      report.heading = heading;
      report.curve = io::Columns(columns);
      emit(common, as_text(report));
      break;
    }
  }
  return 0;
}

int run(const RiskProblem& problem, const std::vector<Option>& table, const Common& common, const RawOptions& raw) {
  const Stopwatch clock;
  if (const auto swept = sweeps_itself(problem) ? std::nullopt : sweep_of(raw, table)) {
    return sweep(problem, table, common, raw, *swept);
  }
  const Values values = read_options(table, raw, common.config);
  check_plot(values.text_or("plot", ""));
  const RiskReport report = problem.report(values, common.threads);
  if (values.has("plot")) {
    if (report.plot.series.empty()) {
      throw UsageError("--plot: there is no curve to draw with these options");
    }
    io::save(report.plot, values.text("plot"));
  }
  switch (common.parsed_format()) {
    case Format::json: {
      Json json = result_head("dpcurves/risk/1", values.echo(table));
      json["inputs"]["problem_class"] = problem.name;
      json["seed"] = nullptr;
      json["wall_seconds"] = clock.seconds();
      json["results"] = Json::object();
      for (const auto& fact : report.facts) {
        json["results"][fact.key] = fact.value;
      }
      json["results"]["curve"] = Json::object();
      for (const auto& column : report.curve.all()) {
        json["results"]["curve"][column.name] = numbers(column.values);
      }
      json["notes"] = report.notes;
      if (values.flag("explain")) {
        json["explanation"] = explanation_json(report.considered);
      }
      emit(common, pretty(json));
      break;
    }
    case Format::csv:
      emit(common, io::to_csv(report.curve));
      break;
    case Format::text:
      emit(common, as_text(report) + (values.flag("explain") ? "\n" + explanation_text(report.considered) : ""));
      break;
  }
  return 0;
}

}  // namespace

const std::vector<RiskProblem>& risk_problems() {
  static const std::vector<RiskProblem> all{noisy_least_squares_risk(), kan_risk(), ntk_risk(), long_tail_risk(),
                                            glm_risk()};
  return all;
}

Action add_risk(CLI::App& app) {
  CLI::App& command = branch(app, "risk", "the risk of a model along a run, its limit, and what it allows",
                             "Example:\n  dpcurves risk noisy-least-squares --help");
  Leaves leaves;
  for (const RiskProblem& problem : risk_problems()) {
    Leaf leaf;
    leaf.name = problem.name;
    leaf.summary = problem.summary;
    leaf.footer = "Examples:";
    for (const auto& example : problem.examples) {
      leaf.footer += "\n  dpcurves risk " + problem.name + " " + example;
    }
    leaf.table = problem.options;
    if (!sweeps_itself(problem)) {
      leaf.table.push_back(sweep_option());
    }
    leaf.table.push_back({"explain", OptionKind::flag, "", explain_help, "Questions"});
    leaf.table.push_back({"plot", OptionKind::text, "", "draw into FILE.svg, .png, .html or .pdf", "Output"});
    leaf.run = [&problem](const auto& table, const auto& common, const auto& raw) {
      return run(problem, table, common, raw);
    };
    leaves.add(command, std::move(leaf));
  }
  return leaves.action();
}

}  // namespace dpcurves::tools
