// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/simulation.hpp"

#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/queries/detail/caption.hpp>

#include "support/exit.hpp"
#include "support/report.hpp"

namespace dpcurves::tools {
namespace {

std::vector<std::string> heads_of(const std::vector<ResultColumn>& columns) {
  std::vector<std::string> heads;
  for (const ResultColumn& one : columns) {
    if (!one.head.empty()) {
      heads.push_back(one.head);
    }
  }
  return heads;
}

std::string in_words(const Json& value, int digits) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_number_integer()) {
    return value.dump();
  }
  const double number = value.get<double>();
  return digits > 0 ? rounded(number, digits) : shortest(number);
}

void print(const Common& common, const std::string& process, const Record& inputs, const Simulation& result,
           double seconds) {
  switch (common.parsed_format()) {
    case Format::json: {
      Json json = result_head("dpcurves/simulate/1", inputs);
      json["inputs"]["process"] = process;
      json["seed"] = result.drawn ? Json(common.seed) : Json(nullptr);
      json["wall_seconds"] = seconds;
      json.update(result.fields);
      emit(common, pretty(json));
      break;
    }
    case Format::csv:
      emit(common, csv_of(result.rows));
      break;
    case Format::markdown:
    case Format::text:
      emit(common, io::broken_lines(result.text));
      break;
  }
}

}  // namespace

Results::Results(std::vector<ResultColumn> described) : described_(std::move(described)), text_(heads_of(described_)) {
  for (const ResultColumn& one : described_) {
    if (!one.column.empty()) {
      table_.names.push_back(one.column);
    }
  }
}

void Results::add(const std::vector<Json>& row) {
  require_domain(row.size() == described_.size(), "values of the row", static_cast<double>(row.size()), "the columns");
  Json keys = Json::object();
  std::vector<std::string> words;
  std::vector<queries::Cell> cells;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const ResultColumn& one = described_[i];
    const Json value = row[i].is_number_float() ? number(row[i].get<double>()) : row[i];
    if (!one.key.empty()) {
      keys[one.key] = value;
    }
    if (!one.column.empty()) {
      cells.push_back({value.is_null() ? "" : in_words(value, 0)});
    }
    if (!one.head.empty()) {
      words.push_back(row[i].is_null() ? "-" : in_words(row[i], one.digits));
    }
  }
  rows_.push_back(std::move(keys));
  table_.rows.push_back(std::move(cells));
  text_.add(std::move(words));
}

Simulation Results::found(const std::string& heading, Json fields) const {
  fields["results"] = rows_;
  return {std::move(fields), table_, heading + "\n" + text_.text()};
}

void last_loop(const Common& common, const std::string& label, std::size_t count,
               const std::function<void(std::size_t)>& work, const std::function<void(std::size_t, Archive&)>& values) {
  ProgressBar bar(label, common);
  shared_for(count, common.threads, work, values, bar.follow());
  Sharing::last_loop_done();
}

Leaf simulation(const std::string& name, const std::string& summary, const std::vector<std::string>& examples,
                std::vector<Option> table, std::function<Simulation(const Asked&)> answer) {
  Leaf leaf{name, summary, "Examples:", std::move(table)};
  for (const std::string& options : examples) {
    leaf.footer += "\n  dpcurves simulate " + name + " " + options;
  }
  leaf.run = [name, answer = std::move(answer)](const Typed& typed) {
    const Stopwatch clock;
    Values values = typed.values();
    const std::string plot = values.text_or("plot", "");
    check_plot(plot);
    const Simulation found = answer({values, typed.common, typed.table});
    if (!plot.empty() && found.plot) {
      io::Plot captioned = *found.plot;
      queries::add_caption(captioned, values.echo(typed.table), {"data"});
      io::save(captioned, plot);
    }
    print(typed.common, name, values.echo(typed.table), found, clock.seconds());
    return static_cast<int>(found.refuted ? Exit::refuted : Exit::ok);
  };
  return leaf;
}

}  // namespace dpcurves::tools
