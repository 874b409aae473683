// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Options as tables: one row serves parsing, range checks, help, configuration files and the echo of the inputs.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <dpcurves/core/record.hpp>

namespace dpcurves::queries {

/// What an option takes. count: a whole number; numbers, texts: a list, or repeated.
enum class OptionKind { number, count, text, numbers, texts, flag };

/// One option of a question.
struct Option {
  std::string name;                  ///< without dashes: "step-size"
  OptionKind kind;                   ///< of its value
  std::string range;                 ///< of the number or of each entry: "(0, inf)"; "a|b|c": a choice; "FILE": a form
  std::string fallback;              ///< what is taken where it is not given, as it would be typed; empty: nothing
  std::string help;                  ///< what it is, with its unit and the default
  std::string group;                 ///< the heading under which --help shows it
  std::vector<std::string> aliases;  ///< other names of the same, as other projects call it

  /// \param taken  the range, and behind " = " the default: "(0, inf) = 0.5", "a|b|c = a".
  Option(std::string_view named, OptionKind of, std::string_view taken, std::string_view meaning,
         std::string_view heading = "Options", std::initializer_list<const char*> others = {});
};

/// --plot. \param what  is drawn: "draw a sweep".
[[nodiscard]] Option plot_option(const std::string& what = "draw", const std::string& group = "Options");

/// The row of that name or alias, dashes only; null if there is none. O(rows).
[[nodiscard]] const Option* find_option(const std::vector<Option>& table, const std::string& name);

/// The rows of `more` that the table does not have yet, under one heading.
void add_options(std::vector<Option>& table, std::vector<Option> more, const std::string& group);

/// The options that were given, checked; of the others those that have a default.
class Values {
 public:
  /// Whether it was given.
  [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
  /// The number that was given, or the default of its row. \throws UsageError "--name: is required" without either.
  [[nodiscard]] double number(const std::string& name) const;
  [[nodiscard]] std::optional<double> maybe(const std::string& name) const;  ///< nothing if not given
  /// The fallback if not given, for a default that depends on others.
  [[nodiscard]] double number_or(const std::string& name, double fallback) const;
  [[nodiscard]] std::size_t count(const std::string& name) const;                           ///< number() of a count
  [[nodiscard]] std::size_t count_or(const std::string& name, std::size_t fallback) const;  ///< as number_or()
  [[nodiscard]] std::string text(const std::string& name) const;                            ///< errors as number()
  [[nodiscard]] std::string text_or(const std::string& name, const std::string& fallback) const;  ///< as number_or()
  [[nodiscard]] std::vector<double> numbers(const std::string& name) const;     ///< empty without either
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;  ///< empty without either
  [[nodiscard]] const Value& value(const std::string& name) const { return values_.at(name); }  ///< as it was given
  [[nodiscard]] bool flag(const std::string& name) const { return has(name); }  ///< whether it was given

  void set(const std::string& name, double value);              ///< in place of what was given
  void set(const std::string& name, Value value);               ///< likewise
  void erase(const std::string& name) { values_.erase(name); }  ///< as if it had not been given
  void add_defaults(const std::vector<Option>& table);          ///< of a table beside the own one
  void prefer(const std::string& name, Value value);            ///< the default, in place of that of its row

  /// {"step_size": 0.05, ...} in the order of the table.
  [[nodiscard]] Record echo(const std::vector<Option>& table) const;

 private:
  [[nodiscard]] const Value* found(const std::string& name) const;
  [[nodiscard]] const Value& required(const std::string& name) const;

  std::map<std::string, Value> values_, defaults_;
};

/// What a user typed for the options of one command, still as text.
using RawOptions = std::map<std::string, std::vector<std::string>>;

/// Checks kinds and ranges. \throws UsageError naming the option, the value and the allowed range.
[[nodiscard]] Values checked_options(const std::vector<Option>& table, const RawOptions& raw);

/// The same of a record; underscores of its names are dashes of the table. \throws UsageError  also for unknown names
/// and for values of another kind.
[[nodiscard]] Values checked_options(const std::vector<Option>& table, const Record& given);

/// \throws UsageError  "--name: complaint" unless `holds`.
void require_option(bool holds, const std::string& name, const std::string& complaint);

/// "--a and --b exclude each other", if both were given.
void exclude(const Values& values, const std::string& a, const std::string& b);

/// Asks for exactly one of the names. \throws UsageError
std::string exactly_one(const Values& values, const std::vector<std::string>& names);

}  // namespace dpcurves::queries
