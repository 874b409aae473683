// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/parallel.hpp>
#include <dpcurves/queries/detail/caption.hpp>
#include <dpcurves/queries/detail/least_squares_file.hpp>
#include <dpcurves/queries/detail/sweep.hpp>
#include <dpcurves/queries/detail/words.hpp>
#include <dpcurves/queries/risk.hpp>
#include <dpcurves/queries/risk/problem.hpp>

namespace dpcurves::queries {
namespace {

/// The digits that a text shows of the number under a key: bounds stay on their side.
std::string fact_digits(const std::string& key, double value) {
  constexpr int places = 8;
  const bool upper = key == "upper" || key.ends_with("bound") || key.starts_with("risk_bound");
  return upper ? rounded_up(value, places) : key == "lower" ? rounded_down(value, places) : rounded(value, places);
}

std::string shown(const std::string& name, const Value& value) {
  if (const auto* record = value.get<Record>()) {
    std::string text;
    for (const auto& [key, part] : record->entries()) {
      text += (text.empty() ? "" : ", ") + key + " = " + shown(key, part);
    }
    return text;
  }
  const auto* word = value.get<std::string>();
  double real = 0.0;
  return word != nullptr ? *word : value.number(real) && !std::isnan(real) ? fact_digits(name, real) : text(value);
}

/// The heading above the columns in text, and the columns as CSV.
/// \param shown  whether the text has the column; the CSV has all.
void add_columns(
    Report& report, const std::string& heading, const io::Columns& columns,
    const std::function<bool(const std::string&)>& shown = [](const std::string&) { return true; }) {
  report.blocks.push_back({heading + "\n", std::nullopt});
  if (columns.all().empty()) {
    return;
  }
  Table table;
  table.rows.resize(columns.rows());
  report.rows.rows.resize(columns.rows());
  for (const auto& column : columns.all()) {
    const bool in_text = shown(column.name);
    report.rows.names.push_back(column.name);
    if (in_text) {
      table.names.push_back(column.name);
    }
    for (std::size_t row = 0; row < columns.rows(); ++row) {
      report.rows.rows[row].push_back({shortest(column.values[row])});
      if (in_text) {
        const double value = column.values[row];
        table.rows[row].push_back(
            {column.name.ends_with("error") ? rounded(value, 2) : fact_digits(column.name, value)});
      }
    }
  }
  table.align.assign(table.names.size(), io::Align::right);
  report.blocks.back().table = std::move(table);
}

Report risk_head(const RiskProblem& problem, Record inputs) {
  Report report{.schema = "dpcurves/risk/1", .inputs = std::move(inputs)};
  report.inputs.add("problem_class", {problem.name});
  report.results = {{"seed", {}}, {"wall_seconds", {}}};
  return report;
}

/// The sweep that is asked for, but for a name without values: that is a sweep of the problem itself.
std::optional<Sweep> asked_sweep(const RiskProblem& problem, const Values& values, const std::vector<Option>& table) {
  const bool own = find_option(problem.options, "sweep") != nullptr;
  if (own && values.text_or("sweep", "").find('=') == std::string::npos) {
    return std::nullopt;
  }
  auto found = sweep_of(values, table);
  if (found && !found->words.empty()) {
    throw UsageError("--sweep: " + found->option + " takes words; risks are swept over numbers");
  }
  return found;
}

/// The numbers of a fact: itself, or those of its named values as FACT_NAME.
std::vector<std::pair<std::string, double>> fact_numbers(const RiskFact& fact) {
  std::vector<std::pair<std::string, double>> found;
  const auto add = [&](const std::string& key, const Value& value) {
    double number = 0.0;
    if (value.get<std::string>() == nullptr && value.number(number) && std::isfinite(number)) {
      found.emplace_back(key, number);
    }
  };
  if (const auto* record = fact.value.get<Record>()) {
    for (const auto& [key, value] : record->entries()) {
      add(fact.key + "_" + key, value);
    }
  } else {
    add(fact.key, fact.value);
  }
  return found;
}

/// The facts of all answers that are numbers, a column each behind that of the option.
struct SweptFacts {
  std::vector<io::Column> columns;
  std::map<std::string, std::string> labels;  ///< of the facts that are one number; the text shows no others

  [[nodiscard]] bool in_text(const std::string& name) const {
    return labels.empty() || labels.contains(name) || name == columns.front().name;
  }
  /// The first that depends on the option, one that the text shows if there is such a one.
  [[nodiscard]] const io::Column& drawn() const {
    for (const bool shown : {true, false}) {
      for (auto column = columns.begin() + 1; column != columns.end(); ++column) {
        const bool depends = std::any_of(column->values.begin(), column->values.end(),
                                         [&](double value) { return value != column->values.front(); });
        if (depends && (!shown || in_text(column->name))) {
          return *column;
        }
      }
    }
    return columns[1];
  }
  void add(const RiskFact& fact, std::size_t row) {
    for (const auto& [name, number] : fact_numbers(fact)) {
      std::string option = columns.front().name;
      std::replace(option.begin(), option.end(), '-', '_');
      if (name == option) {
        continue;
      }
      auto column = std::find_if(columns.begin() + 1, columns.end(), [&](const auto& c) { return c.name == name; });
      if (column == columns.end()) {
        column = columns.insert(column, {name, std::vector<double>(columns.front().values.size(), std::nan(""))});
      }
      column->values[row] = number;
      if (fact.value.get<Record>() == nullptr) {
        labels.emplace(name, fact.label);
      }
    }
  }
};

/// The numbers that every value of --sweep answers.
Report swept_risk(const RiskProblem& problem, const std::vector<Option>& table, const Values& values,
                  const Sweep& swept, const Effort& effort) {
  SweptFacts facts{{{swept.option, swept.values}}, {}};
  std::vector<RiskReport> reports(swept.values.size());
  parallel_for(
      reports.size(), effort.threads,
      [&](std::size_t i) { reports[i] = problem.report(at(swept, swept.values[i], values, table), effort.threads); },
      effort.progress);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    for (const auto* some : {&reports[i].points, &reports[i].facts}) {
      for (const auto& fact : *some) {
        facts.add(fact, i);
      }
    }
  }
  Values shared = at(swept, swept.values.front(), values, table);
  shared.erase(swept.option);
  const Record inputs = shared.echo(table);
  if (facts.columns.size() < 2) {
    throw UsageError("--sweep: these options have no answer that is one number");
  }
  Report report = risk_head(problem, inputs);
  if (values.has("plot") || effort.pictures) {
    const io::Column& drawn = facts.drawn();
    const auto label = facts.labels.find(drawn.name);
    const std::string& heading = reports.front().heading;
    report.plot = sweep_plot(heading.substr(0, heading.find(';')), swept,
                             label == facts.labels.end() ? drawn.name : label->second, drawn.values);
    add_caption(*report.plot, inputs, {"problem_class"});
  }
  List rows;
  for (std::size_t i = 0; i < swept.values.size(); ++i) {
    Record row{{"swept", swept_value(swept, swept.values[i])}};
    for (auto column = facts.columns.begin() + 1; column != facts.columns.end(); ++column) {
      row.add(column->name, {column->values[i]});
    }
    rows.push_back({std::move(row)});
  }
  report.results.add("results", {std::move(rows)});
  add_columns(report, reports.front().heading, io::Columns(facts.columns),
              [&](const std::string& name) { return facts.in_text(name); });
  return report;
}

Report risk_answer(const RiskProblem& problem, const std::vector<Option>& table, const Values& values,
                   const Effort& effort) {
  if (const auto swept = asked_sweep(problem, values, table)) {
    return swept_risk(problem, table, values, *swept, effort);
  }
  const RiskReport found = problem.report(values, effort.threads);
  if (values.has("plot") && found.plot.series.empty()) {
    const bool drawable = find_option(table, "curve") != nullptr && !values.flag("curve");
    throw UsageError(std::string("--plot: there is no curve to draw with these options") +
                     (drawable ? "; --curve has one" : ""));
  }
  Report report = risk_head(problem, values.echo(table));
  if (!found.plot.series.empty()) {
    report.plot = found.plot;
    std::set<std::string> without{"curve", "sweep", "problem_class"};
    without.insert(values.has("sweep") ? values.text("sweep") : "sweep");  // what is swept has no one value
    add_caption(*report.plot, report.inputs, without);
  }
  add_columns(report, found.heading, found.curve);
  std::string text;
  Record results, curve;
  for (const auto& fact : found.facts) {
    results.add(fact.key, fact.value);
    text += fact.label + ": " + shown(fact.key, fact.value) + "\n";
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
      Subject one{.name = problem.name, .summary = problem.summary, .footer = "Examples:"};
      for (const auto& example : problem.examples) {
        one.footer += "\n  dpcurves risk " + problem.name + " " + example;
      }
      if (find_option(problem.options, "problem") != nullptr) {
        one.footer += "\n" + problem_file_help();
      }
      one.table = problem.options;
      if (find_option(problem.options, "sweep") == nullptr) {
        one.table.push_back(sweep_option());
      }
      one.table.push_back({"explain", OptionKind::flag, "", explain_help, "Questions"});
      one.table.push_back(plot_option("draw", "Output"));
      one.answer = [&problem, table = one.table](const Values& values, const Effort& effort) {
        return risk_answer(problem, table, values, effort);
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
