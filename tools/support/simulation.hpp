// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What every `dpcurves simulate` shares: how it is asked, rows that are written once, and the result in the format
/// that was asked for.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <dpcurves/io/csv.hpp>
#include <dpcurves/io/plot.hpp>
#include <dpcurves/io/table.hpp>

#include "support/leaves.hpp"

namespace dpcurves::tools {

/// Where a value of a row stands; an empty name: not there.
struct ResultColumn {
  std::string key{};     ///< in the JSON
  std::string column{};  ///< in the CSV
  std::string head{};    ///< in the text; " ": there, without a name
  int digits = 0;        ///< of the text; 0: as many as it takes
};

/// Results as JSON, CSV and text, each value written once.
class Results {
 public:
  explicit Results(std::vector<ResultColumn> columns);
  /// A row: a number, a text or, in the JSON, anything for each of the columns. NaN is null in the JSON.
  void add(const std::vector<Json>& row);
  /// Further keys of the last row in the JSON.
  void add_keys(const Json& keys) { rows.back().update(keys); }

  Json rows = Json::array();
  std::vector<io::Column> columns;

  [[nodiscard]] std::string text() const { return text_.text(); }

 private:
  std::vector<ResultColumn> described_;
  io::TextTable text_;
};

/// What a simulation found.
struct Simulation {
  Json fields = Json::object();     ///< of the JSON, after inputs, seed and wall time
  std::vector<io::Column> columns;  ///< of the CSV
  std::string text;
  bool drawn = true;               ///< false: exact, the JSON's seed is null
  bool refuted = false;            ///< ends with exit code 1
  std::optional<io::Plot> plot{};  ///< drawn by --plot
};

/// The question of a simulation.
struct Asked {
  Values& values;
  const Common& common;
  const std::vector<Option>& table;

  /// As the JSON echoes them.
  [[nodiscard]] Record inputs() const { return values.echo(table); }
};

/// A process of `dpcurves simulate`: the leaf without its run, and what it answers. Options are read and checked
/// before; picture and result are shown after.
[[nodiscard]] Leaf simulation(Leaf leaf, std::function<Simulation(const Asked&)> answer);

}  // namespace dpcurves::tools
