// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A calculator of `dpcurves eval`: a name, the keys it reads, and the function from inputs to outputs.
///
/// The keys are a table, so that one place serves checking, messages and `--schema`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <dpcurves/calculators/calculator.hpp>
#include <dpcurves/models/least_squares.hpp>

#include "support/json.hpp"
#include "support/range.hpp"

namespace dpcurves::tools::eval {

enum class Kind { number, integer, text, numbers, object, objects, json };

/// One key of a calculator's inputs.
struct Key {
  std::string name;
  Kind kind = Kind::number;
  std::string range;                         ///< of the number or of every entry, "" for none
  std::string meaning;                       ///< with its unit
  Json fallback = Json::value_t::discarded;  ///< the default; discarded: the key is required
  bool nullable = false;                     ///< null is allowed and means "not given" or "without limit"
  std::vector<Key> fields;                   ///< of the object, or of the objects of a list
};

[[nodiscard]] Key number_key(std::string name, std::string range, std::string meaning);
[[nodiscard]] Key integer_key(std::string name, std::string range, std::string meaning);
[[nodiscard]] Key numbers_key(std::string name, std::string range, std::string meaning);
[[nodiscard]] Key text_key(std::string name, std::string meaning);
/// Any JSON, which the calculator itself reads: spectra, schedules, matrices.
[[nodiscard]] Key json_key(std::string name, std::string meaning);
[[nodiscard]] Key object_key(std::string name, std::vector<Key> fields, std::string meaning);
[[nodiscard]] Key objects_key(std::string name, std::vector<Key> fields, std::string meaning);
/// The same key with a default; a null default makes the key optional without a value.
[[nodiscard]] Key optional(Key key, Json fallback);

/// Checked inputs: every key present (default or given), of its kind and in its range.
class Inputs {
 public:
  explicit Inputs(Json values) : values_(std::move(values)) {}
  [[nodiscard]] double number(const std::string& key) const;                ///< integers too
  [[nodiscard]] std::optional<double> maybe(const std::string& key) const;  ///< empty if null
  [[nodiscard]] std::string text(const std::string& key) const;
  [[nodiscard]] std::vector<double> numbers(const std::string& key) const;
  [[nodiscard]] Inputs object(const std::string& key) const { return Inputs(values_.at(key)); }
  [[nodiscard]] std::vector<Inputs> objects(const std::string& key) const;
  [[nodiscard]] const Json& json(const std::string& key) const { return values_.at(key); }
  [[nodiscard]] const Json& all() const { return values_; }

 private:
  Json values_;
};

struct Calculator {
  std::string name;     ///< "shifted-interpolation/gdp-delta"
  std::string summary;  ///< one line, with the theorem
  std::vector<Key> keys;
  std::function<Json(const Inputs&)> evaluate;
  const calculators::Calculator* row = nullptr;  ///< in place of keys and evaluate
};

/// The outputs for the given inputs. \throws UsageError, DomainError
[[nodiscard]] Json answer(const Calculator& calculator, const Json& given);

/// Checks `given` against the keys. \throws UsageError for a missing or unknown key or a wrong type, DomainError for
/// a value outside its range; both messages start with the key.
[[nodiscard]] Inputs check(const Calculator& calculator, const Json& given);

/// The inputs as `--schema` prints them.
[[nodiscard]] Json schema(const Calculator& calculator);

/// All calculators, sorted by name.
[[nodiscard]] const std::vector<Calculator>& calculators();
/// \throws UsageError that names the nearest calculator.
[[nodiscard]] const Calculator& find_calculator(const std::string& name);

/// The accountant of DP-SGD.
[[nodiscard]] std::vector<Calculator> accountant_calculators();
/// One list per paper, in the file of its name.
[[nodiscard]] std::vector<Calculator> shifted_interpolation_calculators();
/// Its part about noisy gradient descent; names without the paper.
[[nodiscard]] std::vector<Calculator> shifted_interpolation_descent_calculators();
/// "High-Dimensional Privacy-Utility Dynamics of Noisy SGD on Least Squares": risks, Renyi losses, oracles.
[[nodiscard]] std::vector<Calculator> noisy_hsgd_risk_calculators();
[[nodiscard]] std::vector<Calculator> noisy_hsgd_privacy_calculators();
[[nodiscard]] std::vector<Calculator> noisy_hsgd_simulation_calculators();
/// "Population Risk Bounds for KANs Trained by DP-SGD with Correlated Noise": the network and its risk bounds.
[[nodiscard]] std::vector<Calculator> kan_model_calculators();

/// "Population Risk Bounds for KANs Trained by DP-SGD with Correlated Noise": privacy of matrix mechanisms.
[[nodiscard]] std::vector<Calculator> kan_accounting_calculators();

/// Keys of a least-squares problem (see support/least_squares_file.hpp), and the problem that they describe. Keys of
/// one calculator that are no part of a problem are passed over.
[[nodiscard]] std::vector<Key> problem_keys();
[[nodiscard]] models::LeastSquares problem(const Inputs& in);

}  // namespace dpcurves::tools::eval
