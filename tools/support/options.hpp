// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Options as tables: one row serves parsing, range checks, --help, --config files and the JSON echo of the inputs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/json.hpp"
#include "support/range.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace dpcurves::tools {

enum class OptionKind { number, count, text, numbers, texts, flag };

/// One option of a command.
struct Option {
  std::string name;                      ///< without dashes: "step-size"
  OptionKind kind = OptionKind::number;  ///< count: a whole number; numbers, texts: a list or repeated
  std::string range;                     ///< of the number or of each entry: "(0, inf)"; "a|b|c": a choice; "FILE": a form
  std::string help;                      ///< what it is, with its unit
  std::string group = "Options";         ///< the heading under which --help shows it
  std::vector<std::string> aliases{};    ///< other names of the same, as other projects call it
};

/// The row of that name or alias, dashes only; null if there is none.
[[nodiscard]] const Option* find_option(const std::vector<Option>& table, const std::string& name);

/// The options that were given, checked.
class Values {
 public:
  [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
  /// \throws UsageError "--name: is required" if it was not given.
  [[nodiscard]] double number(const std::string& name) const;
  [[nodiscard]] std::optional<double> maybe(const std::string& name) const;
  [[nodiscard]] double number_or(const std::string& name, double fallback) const;
  [[nodiscard]] std::string text(const std::string& name) const;
  [[nodiscard]] std::string text_or(const std::string& name, const std::string& fallback) const;
  [[nodiscard]] std::vector<double> numbers(const std::string& name) const;  ///< empty if not given
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;
  [[nodiscard]] const Json& json(const std::string& name) const { return values_.at(name); }  ///< as it was given
  [[nodiscard]] bool flag(const std::string& name) const { return has(name); }

  void set(const std::string& name, double value);
  void set(const std::string& name, Json value);
  void erase(const std::string& name) { values_.erase(name); }

  /// {"step_size": 0.05, ...} in the order of the table.
  [[nodiscard]] Json echo(const std::vector<Option>& table) const;

 private:
  std::map<std::string, Json> values_;
};

/// What a user typed for the options of one command, still as text.
using RawOptions = std::map<std::string, std::vector<std::string>>;

/// Declares every row on `command`; the texts arrive in `raw`.
void declare(CLI::App& command, const std::vector<Option>& table, RawOptions& raw);

/// The options in the text of a configuration file, underscores read as dashes; `what` names the text in messages.
/// \throws UsageError for what is no TOML, an unknown option or a value that no option can have.
[[nodiscard]] RawOptions config_options(const std::vector<Option>& table, const std::string& text,
                                        const std::string& what);
/// The same of a text that is parsed already.
[[nodiscard]] RawOptions config_options(const std::vector<Option>& table, const Json& parsed, const std::string& what);

/// Checks kinds and ranges. \throws UsageError naming the option, the value and the allowed range.
[[nodiscard]] Values checked_options(const std::vector<Option>& table, const RawOptions& raw);

/// Reads `config` (TOML; "" for none) under the command line, checks kinds and ranges.
/// \throws UsageError naming the option, the value and the allowed range; DataError for an unreadable file.
[[nodiscard]] Values read_options(const std::vector<Option>& table, const RawOptions& raw, const std::string& config);

/// "--a and --b exclude each other", if both were given.
void exclude(const Values& values, const std::string& a, const std::string& b);

/// Asks for exactly one of the names. \throws UsageError
std::string exactly_one(const Values& values, const std::vector<std::string>& names);

}  // namespace dpcurves::tools
