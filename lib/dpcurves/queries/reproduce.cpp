// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/detail/moments.hpp>
#include <dpcurves/queries/reproduce.hpp>

namespace dpcurves::queries::reproduce {
namespace {

std::string fixed(double value, int decimals) {
  const double unit = std::pow(10.0, decimals);
  return shortest(std::round(value * unit) / unit);
}

/// "stand-in"; for what was trained "as printed" or how far it is; else "differs", or nothing.
std::string verdict_of(const Entry& entry) {
  if (entry.stand_in) {
    return "stand-in";
  }
  if (entry.deviation && entry.published) {
    const auto error = entry.standard_error();
    return entry.agrees() ? "as printed"
                          : "differs by " + rounded(*entry.difference(), 2) +
                                (error ? ", " + rounded(std::abs(*entry.difference()) / *error, 2) + " standard errors"
                                       : std::string());
  }
  return entry.agrees() ? "" : "differs";
}

Record inputs_of(const OnData& data, bool trained) {
  Record inputs{{"id", {data.id}}};
  if (!data.folder.empty()) {
    inputs.add("data", {data.folder});
  }
  if (data.full_size) {
    inputs.add("full_size", {true});
  }
  if (trained) {
    inputs.add("repetitions", {static_cast<std::int64_t>(data.repetitions)});
  }
  return inputs;
}

Record record_of(const std::vector<std::string>& label_columns, const Entry& entry) {
  const auto known = [](const auto& value) { return value ? Value{*value} : Value{}; };
  Record row;
  for (std::size_t i = 0; i < entry.labels.size(); ++i) {
    row.add(label_columns[i], {entry.labels[i]});
  }
  row.add("published", known(entry.published));
  row.add("computed", {entry.computed});
  row.add("difference", known(entry.difference()));
  row.add("agrees", entry.published && !entry.stand_in ? Value{entry.agrees()} : Value{});
  if (entry.deviation) {
    row.add("deviation", {*entry.deviation});
    row.add("published_deviation", known(entry.published_deviation));
    row.add("standard_error", known(entry.standard_error()));
    row.add("verdict", {verdict_of(entry)});
  }
  if (!entry.remark.empty()) {
    row.add("remark", {entry.remark});
  }
  return row;
}

/// How many of the published numbers agree; empty where nothing can be compared.
std::string count_of_agreeing(const std::vector<Entry>& entries) {
  const auto count = [&](const auto& holds) { return std::count_if(entries.begin(), entries.end(), holds); };
  const auto comparable = [](const Entry& entry) { return entry.published && !entry.stand_in; };
  const auto compared = count(comparable);
  if (compared == 0) {
    return "";
  }
  const bool trained = count([](const Entry& entry) { return entry.deviation.has_value(); }) > 0;
  return std::to_string(count([&](const Entry& entry) { return comparable(entry) && entry.agrees(); })) + " of " +
         std::to_string(compared) + " published numbers agree " +
         (trained ? "as means of so many runs, each at the level " + shortest(Entry::level) : "to the printed digits") +
         "\n";
}

/// \throws UsageError  for --data or --full-size where they mean nothing.
void check_training(const Reproduction& what, const OnData& data) {
  const bool given = !data.folder.empty();
  if ((given || data.full_size) && !what.train) {
    throw UsageError(std::string(given ? "--data" : "--full-size") + ": nothing is trained for " + what.id);
  }
  if (given && what.takes == Reproduction::Takes::full_size) {
    throw UsageError("--data: the paper's data for " + what.id + " are drawn; --full-size takes its sizes");
  }
  if (data.full_size && what.takes == Reproduction::Takes::data) {
    throw UsageError("--full-size: " + what.id + " has one size, that of --data DIR");
  }
  if (data.full_size && !given && what.takes == Reproduction::Takes::data_and_full_size) {
    throw UsageError("--full-size: " + what.id + " trains on images, give --data DIR (sh data/fetch.sh mnist)");
  }
}

}  // namespace

bool Entry::agrees() const {
  if (!published) {
    return true;
  }
  double margin = 0.5 * std::pow(10.0, -decimals);
  if (const auto error = standard_error()) {
    margin += inference::student_quantile(runs + published_runs - 1, 1.0 - level) * *error;  // one less is its freedom
  }
  return std::abs(computed - *published) <= margin * (1.0 + 1e-9) + 4e-16 * std::abs(*published);
}

std::optional<double> Entry::standard_error() const {
  if (!published_deviation || runs == 0 || published_runs == 0 || runs + published_runs < 3) {
    return std::nullopt;
  }
  const auto n = static_cast<double>(runs), m = static_cast<double>(published_runs);
  const double squares =
      (n - 1.0) * std::pow(deviation.value_or(0.0), 2) + (m - 1.0) * std::pow(*published_deviation, 2);
  return std::sqrt(squares / (n + m - 2.0) * (1.0 / n + 1.0 / m));
}

std::optional<double> Entry::difference() const {
  return published ? std::optional(computed - *published) : std::nullopt;
}

void Reproduced::add(std::vector<std::string> labels, double computed, std::string remark) {
  entries.push_back({.labels = std::move(labels), .computed = computed, .remark = std::move(remark)});
}

void Reproduced::compare(std::vector<std::string> labels, double computed, double published, int decimals,
                         std::string remark) {
  entries.push_back({std::move(labels), computed, published, decimals, std::move(remark)});
}

std::string title(const Reproduction& what, const OnData& data) {
  return what.title + (data.folder.empty() && !data.full_size ? what.stands_in : "");
}

Report report(const Reproduction& what, const Reproduced& result, const OnData& data) {
  const bool trained = !data.folder.empty() || data.full_size;
  Table table{result.label_columns, {}, std::vector(result.label_columns.size(), io::Align::left)};
  table.names.insert(table.names.end(), {"published", "computed", "difference", ""});
  table.align.insert(table.align.end(), {io::Align::right, io::Align::right, io::Align::right, io::Align::left});
  Table csv{result.label_columns, {}};
  csv.names.insert(csv.names.end(), {"published", "computed", "difference"});
  List rows, notes;
  for (const Entry& entry : result.entries) {
    const std::string verdict = verdict_of(entry);
    std::vector<Cell> labels;
    for (const auto& label : entry.labels) {
      labels.push_back({label});
    }
    auto& cells = table.rows.emplace_back(labels);
    cells.insert(cells.end(), {{entry.published ? fixed(*entry.published, entry.decimals) : "-"},
                               {rounded(entry.computed, 8)},
                               {entry.published ? rounded(*entry.difference(), 2) : "-"},
                               {verdict + (verdict.empty() || entry.remark.empty() ? "" : ": ") + entry.remark}});
    auto& digits = csv.rows.emplace_back(std::move(labels));
    digits.insert(digits.end(), {{entry.published ? shortest(*entry.published) : ""},
                                 {shortest(entry.computed)},
                                 {entry.published ? shortest(*entry.difference()) : ""}});
    rows.push_back({record_of(result.label_columns, entry)});
  }
  std::string words = count_of_agreeing(result.entries);
  for (const auto& note : result.notes) {
    words += note + "\n";
    notes.push_back({note});
  }
  const std::string heading = title(what, data);
  Report found{
      .schema = "dpcurves/reproduce/1",
      .inputs = inputs_of(data, trained),
      .results = {{"seed", {}}, {"wall_seconds", {}}, {"title", {heading}}, {"results", {rows}}, {"notes", {notes}}},
      .seed = trained ? std::optional(data.seed) : std::nullopt,
      .blocks = {{what.id + ": " + heading + "\n", table}, {words}}};
  if (result.entries.empty()) {
    found.blocks.front().table.reset();
  }
  found.rows = std::move(csv);
  found.plot = result.plot;
  return found;
}

Reproduced compute(const Reproduction& what, const OnData& data) {
  check_training(what, data);
  return data.folder.empty() && !data.full_size ? what.run() : what.train(data);
}

const Reproduction& named(const std::vector<Reproduction>& all, const std::string& id) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Reproduction& one) { return one.id == id; });
  if (found == all.end()) {
    std::vector<std::string> ids;
    std::transform(all.begin(), all.end(), std::back_inserter(ids), [](const Reproduction& one) { return one.id; });
    throw UsageError("ID: there is no \"" + id + "\"" + suggestion(id, ids) + "; --list prints all");
  }
  return *found;
}

Report ask(const std::string& id) {
  auto all = shifted_interpolation_tables();
  for (auto* more : {&accountant_comparisons, &shifted_interpolation_figures}) {
    auto list = more();
    std::move(list.begin(), list.end(), std::back_inserter(all));
  }
  OnData data;
  data.id = id;
  const Reproduction& what = named(all, id);
  return report(what, compute(what, data), data);
}

}  // namespace dpcurves::queries::reproduce
