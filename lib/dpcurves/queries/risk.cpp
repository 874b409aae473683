// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <optional>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/queries/caption.hpp>
#include <dpcurves/queries/least_squares_file.hpp>
#include <dpcurves/queries/risk.hpp>
#include <dpcurves/queries/risk/problem.hpp>
#include <dpcurves/queries/sweep.hpp>
#include <dpcurves/queries/words.hpp>

namespace dpcurves::queries {
namespace {

std::string shown(const Value& value) {
  if (const auto* record = value.get<Record>()) {
    std::string text;
    for (const auto& [key, part] : record->entries()) {
      text += (text.empty() ? "" : ", ") + key + " = " + shown(part);
    }
    return text;
  }
  const auto* word = value.get<std::string>();
  double real = 0.0;
  return word != nullptr ? *word : value.number(real) && !std::isnan(real) ? rounded(real, 8) : text(value);
}

/// The heading above the columns in text, and the columns as CSV.
void add_columns(Report& report, const std::string& heading, const io::Columns& columns) {
  report.blocks.push_back({heading + "\n", std::nullopt});
  if (columns.all().empty()) {
    return;
  }
  Table table;
  table.rows.resize(columns.rows());
  report.rows.rows.resize(columns.rows());
  for (const auto& column : columns.all()) {
    table.names.push_back(column.name);
    for (std::size_t row = 0; row < columns.rows(); ++row) {
      table.rows[row].push_back({rounded(column.values[row], column.name.ends_with("error") ? 2 : 8)});
      report.rows.rows[row].push_back({shortest(column.values[row])});
    }
  }
  report.rows.names = table.names;
  table.align.assign(table.names.size(), io::Align::right);
  report.blocks.back().table = std::move(table);
}

Report head(const RiskProblem& problem, Record inputs) {
  Report report;
  report.schema = "dpcurves/risk/1";
  report.inputs = std::move(inputs);
  report.inputs.add("problem_class", {problem.name});
  report.results = {{"seed", {}}, {"wall_seconds", {}}};
  return report;
}

/// Whether --sweep is an option of the problem, with a meaning of its own.
bool sweeps_itself(const RiskProblem& problem) { return find_option(problem.options, "sweep") != nullptr; }

/// The numbers that every value of --sweep answers, a column each.
Report swept_answer(const RiskProblem& problem, const std::vector<Option>& table, const Values& values,
                    const Sweep& swept, const Effort& effort) {
  std::vector<io::Column> columns{{swept.option, swept.values}};
  std::vector<std::string> labels{swept.option};
  std::string heading, key = swept.option;
  std::replace(key.begin(), key.end(), '-', '_');
  Record inputs;
  for (std::size_t i = 0; i < swept.values.size(); ++i) {
    Values one = at(swept, swept.values[i], values, table);
    const RiskReport report = problem.report(one, effort.threads);
    for (const auto& fact : report.facts) {
      double number = 0.0;
      if (fact.value.get<std::string>() != nullptr || !fact.value.number(number) || !std::isfinite(number) ||
          fact.key == key) {
        continue;
      }
      auto column = std::find_if(columns.begin() + 1, columns.end(), [&](const auto& c) { return c.name == fact.key; });
      if (column == columns.end()) {
        columns.push_back({fact.key, std::vector<double>(swept.values.size(), std::nan(""))});
        labels.push_back(fact.label);
        column = columns.end() - 1;
      }
      column->values[i] = number;
    }
    if (i == 0) {
      heading = report.heading;
      one.erase(swept.option);
      inputs = one.echo(table);
    }
    tell(effort, i + 1, swept.values.size());
  }
  if (columns.size() < 2) {
    throw UsageError("--sweep: these options have no answer that is one number");
  }
  Report report = head(problem, inputs);
  if (values.has("plot") || effort.pictures) {
    // The first answer that depends on the option.
    std::size_t drawn = 1;
    while (drawn + 1 < columns.size() && columns[drawn].values.front() == columns[drawn].values.back()) {
      ++drawn;
    }
    report.plot = sweep_plot(problem.name, swept, labels[drawn], columns[drawn].values);
    add_caption(*report.plot, inputs);
  }
  List rows;
  for (std::size_t i = 0; i < swept.values.size(); ++i) {
    Record row{{"swept", swept_value(swept, swept.values[i])}};
    for (std::size_t j = 1; j < columns.size(); ++j) {
      row.add(columns[j].name, {columns[j].values[i]});
    }
    rows.push_back({std::move(row)});
  }
  report.results.add("results", {std::move(rows)});
  add_columns(report, heading, io::Columns(std::move(columns)));
  return report;
}

Report answer(const RiskProblem& problem, const std::vector<Option>& table, const Values& values,
              const Effort& effort) {
  if (const auto swept = sweeps_itself(problem) ? std::nullopt : sweep_of(values, table)) {
    return swept_answer(problem, table, values, *swept, effort);
  }
  const RiskReport found = problem.report(values, effort.threads);
  if (values.has("plot") && found.plot.series.empty()) {
    const bool drawable = find_option(table, "curve") != nullptr && !values.flag("curve");
    throw UsageError(std::string("--plot: there is no curve to draw with these options") +
                     (drawable ? "; --curve has one" : ""));
  }
  Report report = head(problem, values.echo(table));
  if (!found.plot.series.empty()) {
    report.plot = found.plot;
    add_caption(*report.plot, report.inputs, {"curve", "sweep"});
  }
  add_columns(report, found.heading, found.curve);
  std::string text;
  Record results, curve;
  for (const auto& fact : found.facts) {
    results.add(fact.key, fact.value);
    text += fact.label + ": " + shown(fact.value) + "\n";
  }
  for (const auto& column : found.curve.all()) {
    curve.add(column.name, {column.values});
  }
  results.add("curve", {std::move(curve)});
  for (const auto& note : found.notes) {
    text += "note: " + note + "\n";
  }
  if (!found.run.null()) {
    report.results.add("run", found.run);
  }
  report.results.add("results", {std::move(results)});
  report.results.add("notes", texts(found.notes));
  if (values.flag("explain")) {
    report.results.add("explanation", {explanation(found.considered)});
    text += "\n" + explanation_text(found.considered);
  }
  report.blocks.push_back({text, std::nullopt});
  return report;
}

}  // namespace

const std::vector<RiskProblem>& risk_problems() {
  static const std::vector<RiskProblem> all{noisy_least_squares_risk(), kan_risk(), ntk_risk(), long_tail_risk(),
                                            glm_risk()};
  return all;
}

const std::vector<Subject>& risk_subjects() {
  static const std::vector<Subject> all = [] {
    std::vector<Subject> list;
    for (const RiskProblem& problem : risk_problems()) {
      Subject one;
      one.name = problem.name;
      one.summary = problem.summary;
      one.footer = "Examples:";
      for (const auto& example : problem.examples) {
        one.footer += "\n  dpcurves risk " + problem.name + " " + example;
      }
      if (find_option(problem.options, "problem") != nullptr) {
        one.footer += "\n" + problem_file_help();
      }
      one.table = problem.options;
      if (!sweeps_itself(problem)) {
        one.table.push_back(sweep_option());
      }
      one.table.push_back({"explain", OptionKind::flag, "", explain_help, "Questions"});
      one.table.push_back({"plot", OptionKind::text, "", "draw into FILE.svg, .png, .html or .pdf", "Output"});
      one.answer = [&problem, table = one.table](const Values& values, const Effort& effort) {
        return answer(problem, table, values, effort);
      };
      list.push_back(std::move(one));
    }
    return list;
  }();
  return all;
}

Report risk(const Record& question, const Effort& effort) {
  return ask(risk_subjects(), "problem_class", question, effort);
}

}  // namespace dpcurves::queries
