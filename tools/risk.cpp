// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves risk: the risk of a model along a run, with what it tends to and which parameters it allows.
#include "risk/risk.hpp"

#include <dpcurves/core/format.hpp>
#include <dpcurves/io/table.hpp>

#include "commands.hpp"
#include "support/exit.hpp"
#include "support/leaves.hpp"

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

int run(const RiskProblem& problem, const std::vector<Option>& table, const Common& common, const RawOptions& raw) {
  const Stopwatch clock;
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
    leaf.table.push_back({"explain", OptionKind::flag, "", explain_help, "Questions"});
    leaf.table.push_back({"plot", OptionKind::text, "", "draw into FILE.svg, FILE.png or FILE.html", "Output"});
    leaf.run = [&problem](const auto& table, const auto& common, const auto& raw) {
      return run(problem, table, common, raw);
    };
    leaves.add(command, std::move(leaf));
  }
  return leaves.action();
}

}  // namespace dpcurves::tools
