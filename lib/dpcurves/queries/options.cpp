// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <sstream>
#include <string_view>
#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/detail/range.hpp>
#include <dpcurves/queries/options.hpp>

namespace dpcurves::queries {
namespace {

bool is_list(OptionKind kind) { return kind == OptionKind::numbers || kind == OptionKind::texts; }

/// A number, or two as A/B: 256/60000.
bool read_ratio(const std::string& text, double& value) {
  const auto slash = text.find('/');
  double below = 1.0;
  if (!read_number(text.substr(0, slash), value) ||
      (slash != std::string::npos && !(read_number(text.substr(slash + 1), below) && below > 0.0))) {
    return false;
  }
  value /= below;
  return true;
}

/// A number with digits that a double does not hold is not infinity or 0.
void refuse_unheld(const Option& option, const std::string& text, double value) {
  const std::string digits = text.substr(0, text.find_first_of("eE/"));
  if (value == 0.0 ? digits.find_first_of("123456789") != std::string::npos
                   : std::isinf(value) && digits.find_first_of("0123456789") != std::string::npos) {
    throw UsageError("--" + option.name + ": \"" + text + "\" is too " + (value == 0.0 ? "small" : "large") +
                     " for a double; numbers are read from 4.9e-324 to 1.8e308, here those in " + option.range);
  }
}

double checked_number(const Option& option, const std::string& text) {
  double value = 0.0;
  if (!(option.kind == OptionKind::count ? read_number(text, value) : read_ratio(text, value))) {
    throw UsageError("--" + option.name + ": \"" + text + "\" is not a number in " + option.range);
  }
  refuse_unheld(option, text, value);
  if (!Range(option.range).contains(value)) {
    throw UsageError("--" + option.name + ": " + shortest(value) + " is outside " + option.range);
  }
  if (option.kind == OptionKind::count && std::isfinite(value) && value != std::floor(value)) {
    throw UsageError("--" + option.name + ": " + shortest(value) + " is not a whole number");
  }
  return value;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

/// The choice that `text` names, with dashes or underscores.
std::string checked_text(const Option& option, const std::string& text) {
  const bool form = std::any_of(option.range.begin(), option.range.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!option.range.empty() && !form) {
    const auto choices = split(option.range, '|');
    std::string dashed = text;
    std::replace(dashed.begin(), dashed.end(), '_', '-');
    if (std::find(choices.begin(), choices.end(), dashed) != choices.end()) {
      return dashed;
    }
    if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
      throw UsageError("--" + option.name + ": \"" + text + "\" is not one of " + option.range +
                       suggestion(text, choices));
    }
  }
  return text;
}

/// A list for an option that takes one number is meant as a sweep.
void refuse_list(const Option& option, const std::string& text) {
  const auto parts = split(text, ',');
  double value = 0.0;
  if (parts.size() > 1 && (option.kind == OptionKind::number || option.kind == OptionKind::count) &&
      std::all_of(parts.begin(), parts.end(), [&](const auto& part) { return read_number(part, value); })) {
    throw UsageError("--" + option.name + ": \"" + text + "\" is not one number; for an answer of each, --sweep " +
                     option.name + "=" + text);
  }
}

Value checked_value(const Option& option, const std::vector<std::string>& texts) {
  if (!is_list(option.kind) && texts.size() != 1) {
    throw UsageError("--" + option.name + ": was given " + std::to_string(texts.size()) + " values" +
                     (option.range.find(',') != std::string::npos && option.kind == OptionKind::text
                          ? "; it takes " + option.range + ", without blanks"
                          : ""));
  }
  switch (option.kind) {
    case OptionKind::flag:
      if (texts.front() == "false") {
        return {};
      }
      if (texts.front() != "true") {
        throw UsageError("--" + option.name + ": \"" + texts.front() + "\" is neither true nor false");
      }
      return {true};
    case OptionKind::number:
    case OptionKind::count:
      return {checked_number(option, texts.front())};
    case OptionKind::text:
      return {checked_text(option, texts.front())};
    case OptionKind::numbers: {
      std::vector<double> list = mapped(texts, [&](const auto& text) { return checked_number(option, text); });
      return {std::move(list)};
    }
    case OptionKind::texts: {
      List list;
      for (const auto& text : texts) {
        list.push_back({checked_text(option, text)});
      }
      return {std::move(list)};
    }
  }
  return {};
}

/// The texts that would give the value on a command line.
std::vector<std::string> typed(const std::string& name, const Value& value) {
  if (double number = 0.0; value.get<std::string>() == nullptr && value.number(number)) {
    return {shortest(number)};
  }
  if (const auto* text = value.get<std::string>()) {
    return {*text};
  }
  if (const auto* flag = value.get<bool>()) {
    return {*flag ? "true" : "false"};
  }
  std::vector<std::string> texts;
  if (const auto* numbers = value.get<std::vector<double>>()) {
    std::transform(numbers->begin(), numbers->end(), std::back_inserter(texts), [](double x) { return shortest(x); });
    return texts;
  }
  if (const auto* list = value.get<List>()) {
    for (const Value& one : *list) {
      for (auto& text : typed(name, one)) {
        texts.push_back(std::move(text));
      }
    }
    return texts;
  }
  throw UsageError("--" + name + ": is neither a number, a text, true or false, nor a list of them");
}

}  // namespace

Option::Option(std::string_view named, OptionKind of, std::string_view taken, std::string_view meaning,
               std::string_view heading, std::initializer_list<const char*> others)
    : name(named), kind(of), range(taken), help(meaning), group(heading), aliases(others.begin(), others.end()) {
  constexpr std::string_view sign = " = ";
  if (const auto at = taken.find(sign); at != std::string_view::npos) {
    range = taken.substr(0, at);
    fallback = taken.substr(at + sign.size());
    help += (help.empty() ? "default " : help.find(';') != std::string::npos ? "; default " : ", default ") + fallback;
  }
}

Option plot_option(const std::string& what, const std::string& group) {
  return {"plot", OptionKind::text, "", what + " into FILE.svg, .png, .html or .pdf", group};
}

const Option* find_option(const std::vector<Option>& table, const std::string& name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Option& o) {
    return o.name == name || std::find(o.aliases.begin(), o.aliases.end(), name) != o.aliases.end();
  });
  return found == table.end() ? nullptr : &*found;
}

void add_options(std::vector<Option>& table, std::vector<Option> more, const std::string& group) {
  for (Option& option : more) {
    const bool known =
        std::any_of(table.begin(), table.end(), [&](const Option& one) { return one.name == option.name; });
    if (!known) {
      option.group = group;
      table.push_back(std::move(option));
    }
  }
}

const Value* Values::found(const std::string& name) const {
  for (const auto* values : {&values_, &defaults_}) {
    if (const auto at = values->find(name); at != values->end()) {
      return &at->second;
    }
  }
  return nullptr;
}
const Value& Values::required(const std::string& name) const {
  if (const Value* value = found(name); value != nullptr) {
    return *value;
  }
  throw UsageError("--" + name + ": is required");
}
double Values::number(const std::string& name) const {
  double number = 0.0;
  (void)required(name).number(number);
  return number;
}
std::optional<double> Values::maybe(const std::string& name) const {
  return has(name) ? std::optional(number(name)) : std::nullopt;
}
double Values::number_or(const std::string& name, double fallback) const { return maybe(name).value_or(fallback); }
std::string Values::text(const std::string& name) const { return std::get<std::string>(required(name).data); }
std::string Values::text_or(const std::string& name, const std::string& fallback) const {
  return has(name) ? text(name) : fallback;
}
std::size_t Values::count(const std::string& name) const { return static_cast<std::size_t>(number(name)); }
std::size_t Values::count_or(const std::string& name, std::size_t fallback) const {
  return has(name) ? count(name) : fallback;
}
std::vector<double> Values::numbers(const std::string& name) const {
  const Value* list = found(name);
  return list == nullptr ? std::vector<double>{} : std::get<std::vector<double>>(list->data);
}
std::vector<std::string> Values::texts(const std::string& name) const {
  std::vector<std::string> texts;
  if (const Value* list = found(name); list != nullptr) {
    for (const Value& one : std::get<List>(list->data)) {
      texts.push_back(std::get<std::string>(one.data));
    }
  }
  return texts;
}
void Values::add_defaults(const std::vector<Option>& table) {
  for (const Option& option : table) {
    if (!option.fallback.empty() && !defaults_.contains(option.name)) {
      prefer(option.name,
             checked_value(option, is_list(option.kind) ? split(option.fallback, ',') : std::vector{option.fallback}));
    }
  }
}
void Values::prefer(const std::string& name, Value value) { defaults_[name] = std::move(value); }
void Values::set(const std::string& name, double value) { values_[name] = {value}; }
void Values::set(const std::string& name, Value value) { values_[name] = std::move(value); }

Record Values::echo(const std::vector<Option>& table) const {
  constexpr double largest_integer = 0x1p53;  // of which every double is exact
  Record inputs;
  for (const auto& option : table) {
    if (const auto found = values_.find(option.name); found != values_.end()) {
      std::string key = option.name;
      std::replace(key.begin(), key.end(), '-', '_');
      const double* count = option.kind == OptionKind::count ? found->second.get<double>() : nullptr;
      const bool whole = count != nullptr && *count == std::floor(*count) && std::abs(*count) <= largest_integer;
      inputs.add(std::move(key), whole ? Value{static_cast<std::int64_t>(*count)} : found->second);
    }
  }
  return inputs;
}

Values checked_options(const std::vector<Option>& table, const RawOptions& raw) {
  Values values;
  values.add_defaults(table);
  const bool sweeps = find_option(table, "sweep") != nullptr;
  for (const auto& option : table) {
    const auto found = raw.find(option.name);
    if (found == raw.end() || found->second.empty()) {
      continue;
    }
    if (sweeps && found->second.size() == 1) {
      refuse_list(option, found->second.front());
    }
    if (Value value = checked_value(option, found->second); !value.null()) {
      values.set(option.name, std::move(value));
    }
  }
  return values;
}

Values checked_options(const std::vector<Option>& table, const Record& given) {
  RawOptions raw;
  for (const auto& [key, value] : given.entries()) {
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', '-');
    const Option* option = find_option(table, name);
    if (option == nullptr) {
      std::vector<std::string> names;
      std::transform(table.begin(), table.end(), std::back_inserter(names), [](const Option& o) { return o.name; });
      throw UsageError("--" + name + ": unknown option" + suggestion(name, names));
    }
    if (!value.null()) {
      raw[option->name] = typed(option->name, value);
    }
  }
  return checked_options(table, raw);
}

void require_option(bool holds, const std::string& name, const std::string& complaint) {
  if (!holds) {
    throw UsageError("--" + name + ": " + complaint);
  }
}

void exclude(const Values& values, const std::string& a, const std::string& b) {
  if (values.has(a) && values.has(b)) {
    throw UsageError("--" + a + " and --" + b + " exclude each other");
  }
}

std::string exactly_one(const Values& values, const std::vector<std::string>& names) {
  std::string all;
  std::string given;
  int count = 0;
  for (const auto& name : names) {
    all += (all.empty() ? "--" : " or --") + name;
    if (values.has(name)) {
      given = name;
      ++count;
    }
  }
  if (count != 1) {
    throw UsageError(all + ": give " + (count == 0 ? "one of them" : "only one of them"));
  }
  return given;
}

}  // namespace dpcurves::queries
