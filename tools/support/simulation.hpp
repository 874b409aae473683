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

#include <dpcurves/core/share.hpp>
#include <dpcurves/io/plot.hpp>
#include <dpcurves/io/table.hpp>
#include <dpcurves/queries/report.hpp>

#include "support/leaves.hpp"

namespace dpcurves::tools {

/// The heading of --help under which a simulation says how it is run.
inline constexpr const char* run_group = "Run";

/// What a simulation found.
struct Simulation {
  Json fields = Json::object();  ///< of the JSON, after inputs, seed and wall time
  queries::Table rows;           ///< as CSV
  std::string text;
  bool drawn = true;               ///< false: exact, the JSON's seed is null
  bool refuted = false;            ///< ends with exit code 1
  std::optional<io::Plot> plot{};  ///< drawn by --plot
};

/// Where a value of a row stands; an empty name: not there.
struct ResultColumn {
  std::string key{};     ///< in the JSON
  std::string column{};  ///< in the CSV
  std::string head{};    ///< in the text
  int digits = 0;        ///< of the text; 0: as many as it takes
};

/// Results as JSON, CSV and text, each value written once.
class Results {
 public:
  explicit Results(std::vector<ResultColumn> columns);
  /// A row: a number, a text or, in the JSON, anything for each of the columns. NaN is null in the JSON and,
  /// as null is, an empty cell of the CSV.
  void add(const std::vector<Json>& row);
  /// Further keys of the last row in the JSON.
  void add_keys(const Json& keys) { rows_.back().update(keys); }
  /// All rows under a heading. \param fields  of the JSON before "results".
  [[nodiscard]] Simulation found(const std::string& heading, Json fields = Json::object()) const;

 private:
  Json rows_ = Json::array();
  queries::Table table_;
  std::vector<ResultColumn> described_;
  io::TextTable text_;
};

/// The question of a simulation.
struct Asked {
  Values& values;
  const Common& common;
  const std::vector<Option>& table;

  /// As the JSON echoes them.
  [[nodiscard]] Record inputs() const { return values.echo(table); }
};

/// The last loop of a simulation: work(i) for every i below count, in shares and with a progress bar. The process of a
/// share ends behind it. \param values  names what piece i writes.
void last_loop(const Common& common, const std::string& label, std::size_t count,
               const std::function<void(std::size_t)>& work, const std::function<void(std::size_t, Archive&)>& values);

/// A process of `dpcurves simulate` and what it answers. Options are read and checked before; picture and result are
/// shown after. \param examples  options that the help shows behind its name.
[[nodiscard]] Leaf simulation(const std::string& name, const std::string& summary,
                              const std::vector<std::string>& examples, std::vector<Option> table,
                              std::function<Simulation(const Asked&)> answer);

}  // namespace dpcurves::tools
