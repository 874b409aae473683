// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Calculators: every function of the theorems by its name, from record to record.
///
/// A row names a function, and everything else is read from the fields of its settings and of its result:
///
///     calculator<&bounds::long_tail_test_error>("thm3-long-tail-bound", {"theorem-3"}, "test error ...")
///
/// Commands, bindings, documentation, property tests and fuzzers read these tables.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <dpcurves/core/record.hpp>

namespace dpcurves::calculators {

/// Literals of a table: strings of their own would be built at each of thousands of places.
using Texts = std::initializer_list<const char*>;

/// One function with its schema.
struct Calculator {
  std::string name;                               ///< "long-tail-memorization/thm3-long-tail-bound"
  std::vector<std::string> theorems;              ///< ids of the catalogue
  std::string summary;                            ///< one line, with the theorem
  std::vector<FieldInfo> fields;                  ///< what it reads
  std::function<Record(const Record&)> function;  ///< of a checked record

  /// Another key for an input or an output of this name: the paper's letter differs here.
  Calculator& rename(std::string_view field, const char* key);
  /// Another key, domain and meaning for an input.
  Calculator& narrow(std::string_view field, const char* key, Domain domain, const char* meaning);
  /// An input that must be given after all.
  Calculator& demand(std::string_view field);
  /// An input that may be left out, with its default.
  Calculator& fallback(std::string_view field, Value value);
  /// Inputs that the function does not use; they keep the default of their setting.
  Calculator& without(Texts names);
  /// An input that is asked for and not used: the contract has it.
  Calculator& ignore(FieldInfo field);
  /// Outputs that mean nothing here.
  Calculator& drop(Texts names);
  /// Inputs that the answer repeats.
  Calculator& echo(Texts names);

  /// The same with its names.
  [[nodiscard]] Calculator named(const char* as, Texts of, const char* line) &&;

  /// The answer. \throws UsageError, DomainError  as core/record.hpp says of `checked`, with keys in place of fields
  /// also where the function itself refuses; whatever else the function throws. Cost: that of the function.
  [[nodiscard]] Record operator()(const Record& given) const;

  std::vector<Entry> renamed;         ///< outputs: old name and new
  std::vector<std::string> dropped;   ///< outputs that are left out
  std::vector<std::string> repeated;  ///< names of inputs
};

/// An argument of a function that is no setting: one row in the order of the parameters.
[[nodiscard]] FieldInfo argument(const char* name, const char* symbol, Domain domain, const char* meaning);
/// The same with a default.
[[nodiscard]] FieldInfo argument(const char* name, const char* symbol, Domain domain, const char* meaning,
                                 double fallback);

/// A text: one of the words, or any where there are none; the first is the default if it is not required.
[[nodiscard]] FieldInfo word(const char* name, const char* symbol, std::vector<std::string> words, const char* meaning,
                             bool required = true);

/// All calculators, sorted by name. Built once.
[[nodiscard]] const std::vector<Calculator>& all();
/// \throws UsageError  that names the nearest calculator.
[[nodiscard]] const Calculator& find(const std::string& name);

/// The tables; names without the paper.
[[nodiscard]] std::vector<Calculator> accountant();              ///< of DP-SGD
[[nodiscard]] std::vector<Calculator> attack_risk();             ///< what a profile means for attacks
[[nodiscard]] std::vector<Calculator> audits();                  ///< lower bounds from guesses
[[nodiscard]] std::vector<Calculator> dp_glm_networks();         ///< of that paper
[[nodiscard]] std::vector<Calculator> kan_model();               ///< of the paper on KANs: network and risk
[[nodiscard]] std::vector<Calculator> kan_privacy();             ///< and matrix mechanisms
[[nodiscard]] std::vector<Calculator> long_tail_memorization();  ///< of that paper
[[nodiscard]] std::vector<Calculator> noisy_hsgd();              ///< of that paper
[[nodiscard]] std::vector<Calculator> referee();                 ///< verdicts on claims
[[nodiscard]] std::vector<Calculator> shifted_interpolation();   ///< of that paper

}  // namespace dpcurves::calculators
