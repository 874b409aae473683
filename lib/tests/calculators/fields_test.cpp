// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Every field of every calculator at each end of its domain, just outside, denormal, huge and NaN: an error that names
// the field, or an answer without NaN.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <dpcurves/calculators/calculator.hpp>
#include <dpcurves/core/error.hpp>

#include "calculators/costly.hpp"
#include "support/json_record.hpp"
#include "support/support.hpp"

using namespace dpcurves;

namespace {

/// The inputs of the first vector of every calculator.
const std::map<std::string, Record>& settings() {
  static const auto all = [] {
    std::map<std::string, Record> first;
    for (const char* paper :
         {"accountant", "attack-risk", "dp-glm-networks", "kan-correlated-noise", "long-tail-memorization",
          "noisy-hsgd", "samplers-positions", "shifted-interpolation", "strategies"}) {
      const auto vectors = tools::Json::parse(test::source_file("data/reference/" + std::string(paper) + ".json"));
      for (const auto& vector : vectors) {
        first.try_emplace(vector["calculator"].get<std::string>(), tools::record_of(vector["inputs"]));
      }
    }
    return first;
  }();
  return all;
}

Record with(const Record& setting, const std::string& key, const Value& value) {
  Record changed;
  for (const auto& entry : setting.entries()) {
    changed.add(entry.name, entry.name == key ? value : entry.value);
  }
  if (setting.find(key) == nullptr) {
    changed.add(key, value);
  }
  return changed;
}

/// A number, or every entry of a list of numbers, replaced.
Value replaced(const FieldInfo& field, const Value& old, double number) {
  if (field.kind != Kind::numbers) {
    return {number};
  }
  if (const auto* list = old.get<std::vector<double>>()) {
    return {std::vector<double>(std::max<std::size_t>(list->size(), 1), number)};
  }
  List rows;
  if (const auto* nested = old.get<List>()) {
    for (const auto& row : *nested) {
      rows.push_back(replaced(field, row, number));
    }
  }
  return {rows};
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

/// Numbers at and around the ends of a domain.
std::vector<double> probes(const Domain& domain) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> list{0.0, -0.0, 5e-324, -5e-324, 1e-300, 1e300, -1e300, infinity, -infinity, std::nan("")};
  for (const double end : {domain.lower(), domain.upper()}) {
    for (const double x : {end, std::nextafter(end, -infinity), std::nextafter(end, infinity), end - 1.0, end + 1.0}) {
      list.push_back(x);
    }
  }
  return list;
}

bool is_numeric(const FieldInfo& field) {
  return field.kind == Kind::number || field.kind == Kind::integer || field.kind == Kind::numbers;
}

}  // namespace

TEST_CASE("a value outside its domain is refused by the key", "[calculators][property]") {
  std::size_t asked = 0;
  for (const auto& calculator : calculators::all()) {
    const auto setting = settings().find(calculator.name);
    if (setting == settings().end()) {
      continue;  // without vectors
    }
    for (const auto& field : calculator.fields) {
      const Value* old = setting->second.find(field.symbol);
      if (!is_numeric(field) || old == nullptr) {
        continue;
      }
      for (const double number : probes(field.domain)) {
        const Value value = replaced(field, *old, number);
        const bool inside = field.domain.contains(number) || (value.get<List>() && value.get<List>()->empty());
        std::string message;
        try {
          (void)checked(calculator.fields, with(setting->second, field.symbol, value));
        } catch (const Error& error) {
          message = error.what();
        }
        CAPTURE(calculator.name, field.symbol, number, message);
        CHECK(message.empty() == inside);
        CHECK((message.empty() || message.starts_with(field.symbol)));
        ++asked;
      }
    }
  }
  CHECK(asked > 10000);
}

TEST_CASE("an end of a domain gives an answer without NaN, or an error", "[calculators][property]") {
  std::size_t answered = 0, refused = 0;
  for (const auto& calculator : calculators::all()) {
    const auto setting = settings().find(calculator.name);
    if (setting == settings().end() || test::is_costly(calculator.name)) {
      continue;
    }
    for (const auto& field : calculator.fields) {
      const Value* old = setting->second.find(field.symbol);
      if (!is_numeric(field) || old == nullptr) {
        continue;
      }
      for (const double number : probes(field.domain)) {
        if (!field.domain.contains(number)) {
          continue;
        }
        CAPTURE(calculator.name, field.symbol, number);
        try {
          const Record answer = calculator(with(setting->second, field.symbol, replaced(field, *old, number)));
          const std::string shown = text({answer});
          CAPTURE(shown);
          CHECK_FALSE(has_nan({answer}));
          ++answered;
        } catch (const Error&) {
          ++refused;
        }
      }
    }
  }
  CAPTURE(answered, refused);
  CHECK(answered > 1000);
}
