// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/calculator.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <dpcurves/core/format.hpp>
#include <dpcurves/core/nearest.hpp>

#include "support/exit.hpp"
#include "support/json_record.hpp"
#include "support/least_squares_file.hpp"

namespace dpcurves::tools::eval {
namespace {

std::string kind_name(Kind kind) {
  switch (kind) {
    case Kind::number:
      return "number";
    case Kind::integer:
      return "integer";
    case Kind::text:
      return "text";
    case Kind::numbers:
      return "list of numbers";
    case Kind::object:
      return "object";
    case Kind::objects:
      return "list of objects";
    case Kind::json:
      return "JSON value";
  }
  return "";
}

[[noreturn]] void wrong_type(const std::string& where, const std::string& wanted, const Json& given) {
  throw UsageError(where + ": " + shown(given) + " is not a" + (wanted == "integer" ? "n " : " ") + wanted);
}

double checked_number(const std::string& where, const Key& key, const Json& given) {
  const bool integer = key.kind == Kind::integer;
  double value = 0.0;
  if (given.is_number()) {
    value = given.get<double>();
  } else if (!(given.is_string() && (given == "inf" || given == "-inf") &&
               read_number(given.get<std::string>(), value))) {
    wrong_type(where, integer ? "integer" : "number", given);
  }
  if (integer && std::isfinite(value) && value != std::floor(value)) {
    wrong_type(where, "integer", given);
  }
  if (!key.range.empty() && !Range(key.range).contains(value)) {
    throw DomainError(where + ": " + shortest(value) + " is outside " + key.range);
  }
  return value;
}

Json checked_object(const std::string& prefix, const std::vector<Key>& keys, const Json& given);

Json checked(const std::string& where, const Key& key, const Json& given) {
  if (given.is_null() && key.nullable) {
    return nullptr;
  }
  switch (key.kind) {
    case Kind::number:
      return checked_number(where, key, given);  // infinities stay doubles inside
    case Kind::integer: {
      const double value = checked_number(where, key, given);
      return given.is_number_integer() ? given : Json(value);  // above 2^53 a double would not hold it
    }
    case Kind::text:
      if (!given.is_string()) {
        wrong_type(where, "text", given);
      }
      return given;
    case Kind::json:
      return given;
    case Kind::object:
      return checked_object(where + ".", key.fields, given);
    case Kind::numbers:
    case Kind::objects: {
      if (!given.is_array()) {
        wrong_type(where, kind_name(key.kind), given);
      }
      Json list = Json::array();
      for (std::size_t i = 0; i < given.size(); ++i) {
        const std::string entry = where + "[" + std::to_string(i) + "]";
        list.push_back(key.kind == Kind::numbers ? Json(checked_number(entry, key, given[i]))
                                                 : checked_object(entry + ".", key.fields, given[i]));
      }
      return list;
    }
  }
  return nullptr;
}

Json checked_object(const std::string& prefix, const std::vector<Key>& keys, const Json& given) {
  if (!given.is_object()) {
    wrong_type(prefix.empty() ? "inputs" : prefix.substr(0, prefix.size() - 1), "object", given);
  }
  for (const auto& [name, value] : given.items()) {
    if (std::none_of(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; })) {
      std::vector<std::string> names;
      std::transform(keys.begin(), keys.end(), std::back_inserter(names), [](const Key& key) { return key.name; });
      throw UsageError(prefix + name + ": unknown key" + suggestion(name, names));
    }
  }
  Json values = Json::object();
  for (const auto& key : keys) {
    if (given.contains(key.name)) {
      values[key.name] = checked(prefix + key.name, key, given[key.name]);
    } else if (!key.fallback.is_discarded()) {
      values[key.name] = key.fallback;
    } else {
      throw UsageError(prefix + key.name + ": missing key (" + key.meaning + ")");
    }
  }
  return values;
}

Json describe(const Key& key) {
  Json entry{{"type", kind_name(key.kind)}, {"meaning", key.meaning}};
  if (!key.range.empty()) {
    entry["range"] = key.range;
  }
  if (!key.fields.empty()) {
    for (const auto& field : key.fields) {
      entry["fields"][field.name] = describe(field);
    }
  }
  entry["required"] = key.fallback.is_discarded();
  if (!key.fallback.is_discarded()) {
    entry["default"] =
        key.fallback.is_number_float() ? dpcurves::tools::number(key.fallback.get<double>()) : key.fallback;
  }
  if (key.nullable) {
    entry["null"] = "allowed";
  }
  return entry;
}

Key make(std::string name, Kind kind, std::string range, std::string meaning) {
  Key key;
  key.name = std::move(name);
  key.kind = kind;
  key.range = std::move(range);
  key.meaning = std::move(meaning);
  return key;
}

}  // namespace

Key number_key(std::string name, std::string range, std::string meaning) {
  return make(std::move(name), Kind::number, std::move(range), std::move(meaning));
}
Key integer_key(std::string name, std::string range, std::string meaning) {
  return make(std::move(name), Kind::integer, std::move(range), std::move(meaning));
}
Key numbers_key(std::string name, std::string range, std::string meaning) {
  return make(std::move(name), Kind::numbers, std::move(range), std::move(meaning));
}
Key text_key(std::string name, std::string meaning) {
  return make(std::move(name), Kind::text, "", std::move(meaning));
}
Key json_key(std::string name, std::string meaning) {
  return make(std::move(name), Kind::json, "", std::move(meaning));
}
Key object_key(std::string name, std::vector<Key> fields, std::string meaning) {
  Key key = objects_key(std::move(name), std::move(fields), std::move(meaning));
  key.kind = Kind::object;
  return key;
}
Key objects_key(std::string name, std::vector<Key> fields, std::string meaning) {
  Key key = make(std::move(name), Kind::objects, "", std::move(meaning));
  key.fields = std::move(fields);
  return key;
}
Key optional(Key key, Json fallback) {
  key.nullable = fallback.is_null();
  key.fallback = std::move(fallback);
  return key;
}

double Inputs::number(const std::string& key) const { return values_.at(key).get<double>(); }
std::optional<double> Inputs::maybe(const std::string& key) const {
  const Json& value = values_.at(key);
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}
std::string Inputs::text(const std::string& key) const { return values_.at(key).get<std::string>(); }
std::vector<double> Inputs::numbers(const std::string& key) const { return values_.at(key).get<std::vector<double>>(); }
std::vector<Inputs> Inputs::objects(const std::string& key) const {
  std::vector<Inputs> list;
  for (const Json& entry : values_.at(key)) {
    list.emplace_back(entry);
  }
  return list;
}

Inputs check(const Calculator& calculator, const Json& given) {
  return Inputs(checked_object("", calculator.keys, given));
}

Json answer(const Calculator& calculator, const Json& given) {
  return calculator.row != nullptr ? json_of({(*calculator.row)(record_of(given))})
                                   : calculator.evaluate(check(calculator, given));
}

Json schema(const Calculator& calculator) {
  if (calculator.row != nullptr) {
    return {{"calculator", calculator.name},
            {"summary", calculator.summary},
            {"inputs", schema_of(calculator.row->fields)}};
  }
  Json inputs = Json::object();
  for (const auto& key : calculator.keys) {
    inputs[key.name] = describe(key);
  }
  return {{"calculator", calculator.name}, {"summary", calculator.summary}, {"inputs", inputs}};
}

std::vector<Key> problem_keys() {
  return {optional(json_key("lambda_", "eigenvalues of the features' second moment, or spectrum"), nullptr),
          optional(json_key("spectrum", "eigenvalues as an object: blocks, power_law, ..."), nullptr),
          optional(json_key("x0", "start in the eigenbasis, list or generator"), nullptr),
          optional(json_key("xtilde", "truth in the eigenbasis, list or generator"), nullptr),
          number_key("E_xi2", "[0, inf)", "variance of the label noise"),
          number_key("delta", "[0, inf)", "l2 regularisation"),
          number_key("sigma", "[0, inf)", "noise per coordinate of a gradient"),
          number_key("dim", "(0, inf)", "scaling d: eta = gamma/d, t = k/d"),
          json_key("schedule", "gamma(t), an object: constant, inverse_time, ...")};
}

models::LeastSquares problem(const Inputs& in) {
  Json given = Json::object();
  for (const Key& key : problem_keys()) {
    if (const Json& value = in.json(key.name); !value.is_null()) {
      given[key.name] = value;
    }
  }
  return read_least_squares(given);
}

const std::vector<Calculator>& calculators() {
  static const std::vector<Calculator> all = [] {
    std::vector<Calculator> list;
    for (auto* part :
         {&accountant_calculators, &kan_accounting_calculators, &kan_model_calculators, &noisy_hsgd_privacy_calculators,
          &noisy_hsgd_risk_calculators, &noisy_hsgd_simulation_calculators, &shifted_interpolation_calculators}) {
      auto more = part();
      std::move(more.begin(), more.end(), std::back_inserter(list));
    }
    for (const auto& row : calculators::all()) {
      list.push_back({row.name, row.summary, {}, {}, &row});
    }
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return list;
  }();
  return all;
}

const Calculator& find_calculator(const std::string& name) {
  const auto& all = calculators();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Calculator& c) { return c.name == name; });
  if (found == all.end()) {
    std::vector<std::string> names;
    std::transform(all.begin(), all.end(), std::back_inserter(names), [](const Calculator& c) { return c.name; });
    throw UsageError("CALCULATOR: there is no \"" + name + "\"" + suggestion(name, names) +
                     "; `dpcurves eval --list` prints all");
  }
  return *found;
}

}  // namespace dpcurves::tools::eval
