// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/parallel.hpp>
#include <dpcurves/queries/detail/caption.hpp>
#include <dpcurves/queries/detail/range.hpp>
#include <dpcurves/queries/detail/sweep.hpp>
#include <dpcurves/queries/detail/swept_subject.hpp>

namespace dpcurves::queries {
namespace {

/// The answers in the order of the values, with none where there is none.
struct SweptAnswers {
  std::vector<std::optional<Report>> reports;
  std::vector<std::string> reasons;  ///< beside each: why there is none

  [[nodiscard]] const Report& first() const { return **std::find_if(reports.begin(), reports.end(), has); }
  static bool has(const std::optional<Report>& one) { return one.has_value(); }
};

SweptAnswers all_answers(const Subject& one, const Sweep& swept, const Values& values, const Effort& effort) {
  SweptAnswers all;
  all.reasons.resize(swept.values.size());
  all.reports.resize(swept.values.size());
  parallel_for(
      swept.values.size(), effort.threads,
      [&](std::size_t i) {
        try {
          all.reports[i] = one.answer(at(swept, swept.values[i], values, one.table), {effort.threads});
        } catch (const DomainError& error) {
          all.reasons[i] = error.what();
        }
      },
      effort.progress);
  if (std::none_of(all.reports.begin(), all.reports.end(), SweptAnswers::has)) {
    throw DomainError(all.reasons.back());
  }
  return all;
}

std::size_t column_of(const Table& rows, const std::string& name) {
  const auto found = std::find(rows.names.begin(), rows.names.end(), name);
  if (found == rows.names.end()) {
    throw std::logic_error("no column " + name);
  }
  return static_cast<std::size_t>(found - rows.names.begin());
}

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream stream(text);
  for (std::string name; std::getline(stream, name, ',');) {
    names.push_back(name);
  }
  return names;
}

/// What is drawn and shown of an answer.
const Table& drawn_of(const SweptPicture& wanted, const Report& answer) {
  return wanted.in_words ? answer.blocks.front().table.value() : answer.rows;
}

/// The columns of the rows that tell their series apart.
std::vector<std::size_t> keys_of(const SweptPicture& wanted, const SweptAnswers& all) {
  std::vector<std::size_t> keys;
  for (const std::string& name : names_in(wanted.series)) {
    const std::size_t key = column_of(drawn_of(wanted, all.first()), name);
    const bool differs = std::any_of(all.reports.begin(), all.reports.end(), [&](const auto& report) {
      if (!report) {
        return false;
      }
      const auto& rows = drawn_of(wanted, *report).rows;
      return std::any_of(rows.begin(), rows.end(),
                         [&](const auto& row) { return row[key].text != rows.front()[key].text; });
    });
    if (differs) {
      keys.push_back(key);
    }
  }
  return keys;
}

/// "band-mf"; "iteration 10, renyi order 2"; "TPR at FPR 0.001"
std::string series_name(const std::vector<std::size_t>& keys, const Table& rows, const std::vector<Cell>& row) {
  std::string name;
  for (const std::size_t key : keys) {
    const std::string& text = row[key].text;
    if (text.empty()) {
      continue;
    }
    double number = 0.0;
    const std::string what = read_number(text, number) ? rows.names[key] + " " : "";
    const auto slash = text.rfind('/');  // "theorem-4.2" of an id
    name += (name.empty() ? "" : ", ") + what + text.substr(slash == std::string::npos ? 0 : slash + 1);
  }
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

/// A series for each combination of the columns that tell them apart, in the order in which they appear.
io::Plot swept_picture(const SweptPicture& wanted, const Sweep& swept, const SweptAnswers& all, const Record& inputs) {
  const auto keys = keys_of(wanted, all);
  const Table& head = drawn_of(wanted, all.first());
  const std::size_t column = column_of(head, wanted.column);
  std::vector<std::string> order;
  std::map<std::string, std::vector<double>> found;
  for (std::size_t i = 0; i < swept.values.size(); ++i) {
    if (!all.reports[i]) {
      continue;
    }
    for (const auto& row : drawn_of(wanted, *all.reports[i]).rows) {
      const std::string name = series_name(keys, head, row);
      const auto [at, is_new] = found.try_emplace(name, swept.values.size(), std::nan(""));
      if (is_new) {
        order.push_back(name);
      }
      double value = 0.0;
      if (read_number(row[column].text, value)) {
        at->second[i] = value;
      }
    }
  }
  io::Plot plot;
  double least = infinity, most = 0.0;
  int colours = 0;
  for (const std::string& name : order) {
    if (std::none_of(found[name].begin(), found[name].end(), [](double x) { return std::isfinite(x); })) {
      continue;
    }
    io::Plot one = sweep_plot(wanted.title, swept, wanted.label, found[name]);
    one.series.front().name = name;
    for (const double y : one.series.front().y) {
      least = std::min(least, y);
      most = std::max(most, y);
    }
    const auto same = std::find_if(plot.series.begin(), plot.series.end(), [&](const io::Series& drawn) {
      return drawn.x == one.series.front().x && drawn.y == one.series.front().y;
    });
    const bool hides = same != plot.series.end();  // the colour says that there are two
    one.series.front().colour = hides ? *same->colour : colours++;
    if (plot.series.empty()) {
      plot = std::move(one);
    } else {
      plot.y.logarithmic = grows_by_factors(least, most);
      plot.series.push_back(std::move(one.series.front()));
      plot.legend = io::Legend::outside;
    }
  }
  if (plot.series.empty()) {
    throw UsageError("--plot: no value of the sweep has a finite answer");
  }
  add_caption(plot, inputs, {"algorithm"});
  return plot;
}

/// What the text shows of a cell: eight digits, rounded to the side that stays true, and a star for the best.
Cell cell_in_words(const std::string& column, Cell cell) {
  double number = 0.0;
  if (column == "best") {
    cell.text = cell.text == "1" ? "*" : "";
  } else if (read_number(cell.text, number)) {
    cell.text = column == "lower" || column == "order_limit" ? rounded_down(number, 8) : rounded_up(number, 8);
  }
  return cell;
}

/// The rows of all answers behind the value of the option, and in words the columns that are shown.
void add_rows(Report& report, const Sweep& swept, const SweptAnswers& all, const SweptPicture& wanted) {
  const Table& head = drawn_of(wanted, all.first());
  report.rows.names = all.first().rows.names;
  report.rows.names.insert(report.rows.names.begin(), swept.option);
  std::vector<std::size_t> columns;
  for (const std::string& name : wanted.shown.empty() ? head.names : names_in(wanted.shown)) {
    columns.push_back(column_of(head, name));
  }
  Table text{{swept.option}, {}, std::vector<io::Align>(columns.size() + 1, io::Align::right)};
  for (const std::size_t column : columns) {
    std::string name = head.names[column] == "best" ? "" : head.names[column];
    std::replace(name.begin(), name.end(), '_', ' ');
    text.names.push_back(std::move(name));
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {  // words to the left
    double number = 0.0;
    if (std::none_of(head.rows.begin(), head.rows.end(),
                     [&](const auto& row) { return read_number(row[columns[k]].text, number); })) {
      text.align[k + 1] = io::Align::left;
    }
  }
  std::string lacking;
  for (std::size_t i = 0; i < swept.values.size(); ++i) {
    if (!all.reports[i]) {
      lacking += swept.option + " = " + swept.text(swept.values[i]) + ": " + all.reasons[i] + "\n";
      continue;
    }
    for (const std::vector<Cell>& cells : drawn_of(wanted, *all.reports[i]).rows) {
      text.rows.push_back({{swept.text(swept.values[i])}});
      for (const std::size_t column : columns) {
        text.rows.back().push_back(wanted.in_words ? cells[column] : cell_in_words(head.names[column], cells[column]));
      }
    }
    for (std::vector<Cell> cells : all.reports[i]->rows.rows) {
      cells.insert(cells.begin(), {swept.text(swept.values[i])});
      report.rows.rows.push_back(std::move(cells));
    }
  }
  report.blocks.push_back({"", std::move(text)});
  if (!lacking.empty()) {
    report.blocks.push_back({lacking, std::nullopt});
  }
}

Report swept_report(const Subject& one, const SweptPictureOf& drawn, const Sweep& swept, const Values& values,
                    const Effort& effort) {
  const SweptAnswers all = all_answers(one, swept, values, effort);
  Report report;
  report.schema = all.first().schema;
  Values shared = values;
  shared.erase("sweep");
  shared.erase("plot");
  report.inputs = shared.echo(one.table);
  report.inputs.add("algorithm", {one.name});
  const Record inputs = report.inputs;
  report.inputs.add("sweep", values.value("sweep"));
  report.results = {{"seed", {}}, {"wall_seconds", {}}};
  List results;
  for (std::size_t i = 0; i < swept.values.size(); ++i) {
    Record record{{"swept", swept_value(swept, swept.values[i])}};
    if (!all.reports[i]) {
      record.add("reason", {all.reasons[i]});
    } else {
      for (const auto& [key, value] : all.reports[i]->results.entries()) {
        if (key != "seed" && key != "wall_seconds") {
          record.add(key, value);
        }
      }
    }
    results.push_back({std::move(record)});
  }
  report.results.add("results", {std::move(results)});
  const SweptPicture wanted = drawn(all.first());
  if (values.has("plot") || (effort.pictures && swept.words.empty())) {
    report.plot = swept_picture(wanted, swept, all, inputs);
  }
  report.blocks.push_back({one.name + "\n", std::nullopt});
  add_rows(report, swept, all, wanted);
  return report;
}

}  // namespace

Subject with_sweep(Subject one, SweptPictureOf drawn) {
  const bool draws = find_option(one.table, "plot") != nullptr;
  one.table.push_back(sweep_option());
  if (!draws) {
    one.table.push_back(plot_option("draw a sweep", "Question"));
  }
  Subject whole = one;
  whole.answer = [one, drawn = std::move(drawn), draws](const Values& values, const Effort& effort) {
    if (const auto swept = sweep_of(values, one.table)) {
      return swept_report(one, drawn, *swept, values, effort);
    }
    if (values.has("plot") && !draws) {
      throw UsageError("--plot: is drawn over a --sweep");
    }
    return one.answer(values, effort);
  };
  return whole;
}

}  // namespace dpcurves::queries
