// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <dpcurves/calculators/calculator.hpp>
#include <dpcurves/calculators/tables/shifted_interpolation.hpp>
#include <dpcurves/calculators/tables/topics.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::calculators {
namespace {

FieldInfo* field_of(Calculator& calculator, std::string_view name) {
  const auto found = std::find_if(calculator.fields.begin(), calculator.fields.end(),
                                  [&](const FieldInfo& field) { return field.name == name; });
  return found == calculator.fields.end() ? nullptr : &*found;
}

FieldInfo& known_field(Calculator& calculator, std::string_view name) {
  FieldInfo* field = field_of(calculator, name);
  if (field == nullptr) {
    throw std::logic_error("no field " + std::string(name));
  }
  return *field;
}

std::vector<std::string> strings(Texts texts) { return {texts.begin(), texts.end()}; }

bool among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_nan(const Value& value) {
  if (const auto* number = value.get<double>()) {
    return std::isnan(*number);
  }
  if (const auto* numbers = value.get<std::vector<double>>()) {
    return std::any_of(numbers->begin(), numbers->end(), [](double x) { return std::isnan(x); });
  }
  if (const auto* record = value.get<Record>()) {
    return std::any_of(record->entries().begin(), record->entries().end(),
                       [](const Entry& entry) { return has_nan(entry.value); });
  }
  const auto* list = value.get<List>();
  return list != nullptr && std::any_of(list->begin(), list->end(), has_nan);
}

}  // namespace

Calculator& Calculator::rename(std::string_view field, const char* key) {
  if (FieldInfo* input = field_of(*this, field)) {
    input->symbol = key;
  } else {
    renamed.push_back({std::string(field), {std::string(key)}});
  }
  return *this;
}

Calculator& Calculator::narrow(std::string_view field, const char* key, Domain domain, const char* meaning) {
  FieldInfo& input = known_field(*this, field);
  input.symbol = key;
  input.domain = domain;
  input.meaning = meaning;
  return *this;
}

Calculator& Calculator::demand(std::string_view field) {
  FieldInfo& input = known_field(*this, field);
  input.required = true;
  input.nullable = false;
  return *this;
}

Calculator& Calculator::fallback(std::string_view field, Value value) {
  FieldInfo& input = known_field(*this, field);
  input.required = false;
  input.nullable = input.nullable || value.null();
  input.fallback = std::move(value);
  return *this;
}

Calculator& Calculator::without(Texts literals) {
  const auto names = strings(literals);
  std::erase_if(fields, [&](const FieldInfo& field) { return among(names, field.name); });
  return *this;
}

Calculator& Calculator::ignore(FieldInfo field) {
  fields.push_back(std::move(field));
  return *this;
}

Calculator& Calculator::drop(Texts names) {
  dropped = strings(names);
  return *this;
}

Calculator& Calculator::echo(Texts names) {
  repeated = strings(names);
  return *this;
}

Calculator Calculator::named(const char* as, Texts of, const char* line) && {
  name = as;
  theorems = strings(of);
  summary = line;
  return std::move(*this);
}

Record Calculator::operator()(const Record& given) const {
  const Record values = checked(fields, given);
  Record result;
  try {
    result = function(values);
  } catch (const DomainError& error) {
    if (error.field().empty() || error.record().empty()) {
      throw;
    }
    throw DomainError("", key_of(fields, error.field()), error.value(), error.domain());
  }
  for (const auto& [key, value] : result.entries()) {
    if (has_nan(value)) {
      throw ConvergenceError(key + ": is no number: something on the way to it leaves the range of doubles");
    }
  }
  std::erase_if(result.entries(), [&](const Entry& entry) { return among(dropped, entry.name); });
  for (const auto& [old, replacement] : renamed) {
    for (auto& entry : result.entries()) {
      entry.name = entry.name == old ? *replacement.get<std::string>() : entry.name;
    }
  }
  for (const auto& field : fields) {
    if (among(repeated, field.name)) {
      result.add(field.symbol, values.at(field.name));
    }
  }
  return result;
}

FieldInfo argument(const char* name, const char* symbol, Domain domain, const char* meaning) {
  return FieldInfo{.name = name, .symbol = symbol, .domain = domain, .meaning = meaning};
}

FieldInfo argument(const char* name, const char* symbol, Domain domain, const char* meaning, double fallback) {
  FieldInfo row = argument(name, symbol, domain, meaning);
  row.required = false;
  row.fallback = {fallback};
  return row;
}

FieldInfo word(const char* name, const char* symbol, std::vector<std::string> words, const char* meaning,
               bool required) {
  FieldInfo row = argument(name, symbol, Domain(), meaning);
  row.kind = Kind::text;
  row.required = required;
  row.fallback = required || words.empty() ? Value() : Value{words.front()};
  row.words = std::move(words);
  return row;
}

const std::vector<Calculator>& all() {
  static const std::vector<Calculator> list = [] {
    std::vector<Calculator> every;
    for (const auto& [paper, table] : {
             std::pair{"accountant", &accountant},
             {"accountant", &mixtures},
             {"accountant", &positions},
             {"attack", &attack_risk},
             {"audit", &audits},
             {"dp-glm-networks", &dp_glm_networks},
             {"dp-glm-networks", &deep_networks},
             {"kan-correlated-noise", &kan_model},
             {"kan-correlated-noise", &kan_privacy},
             {"kan-correlated-noise", &strategies},
             {"long-tail-memorization", &long_tail_memorization},
             {"noisy-hsgd", &noisy_hsgd},
             {"noisy-hsgd", &renyi_losses},
             {"referee", &referee},
             {"shifted-interpolation", &shifted_interpolation},
             {"shifted-interpolation", &shifted::descent},
         }) {
      for (Calculator& calculator : table()) {
        calculator.name.insert(0, std::string(paper) + "/");
        for (auto& theorem : calculator.theorems) {
          theorem.insert(0, std::string(paper) + "/");
        }
        every.push_back(std::move(calculator));
      }
    }
    std::sort(every.begin(), every.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return every;
  }();
  return list;
}

const Calculator& find(const std::string& name) {
  const auto found = std::find_if(all().begin(), all().end(), [&](const auto& one) { return one.name == name; });
  if (found == all().end()) {
    std::vector<std::string> names;
    std::transform(all().begin(), all().end(), std::back_inserter(names), [](const auto& one) { return one.name; });
    throw UsageError("CALCULATOR: there is no \"" + name + "\"" + suggestion(name, names) +
                     "; `dpcurves eval --list` prints all");
  }
  return *found;
}

}  // namespace dpcurves::calculators
