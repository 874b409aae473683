// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/options.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <CLI/CLI.hpp>

#include <dpcurves/core/format.hpp>
#include <dpcurves/core/nearest.hpp>
#include <dpcurves/io/file.hpp>

#include "support/exit.hpp"
#include "support/toml.hpp"

namespace dpcurves::tools {
namespace {

const Json& required(const std::map<std::string, Json>& values, const std::string& name) {
  const auto found = values.find(name);
  if (found == values.end()) {
    throw UsageError("--" + name + ": is required");
  }
  return found->second;
}

bool is_list(OptionKind kind) { return kind == OptionKind::numbers || kind == OptionKind::texts; }

double checked_number(const Option& option, const std::string& text) {
  double value = 0.0;
  if (!read_number(text, value)) {
    throw UsageError("--" + option.name + ": \"" + text + "\" is not a number in " + option.range);
  }
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

Json checked(const Option& option, const std::vector<std::string>& texts) {
  if (!is_list(option.kind) && texts.size() != 1) {
    throw UsageError("--" + option.name + ": was given " + std::to_string(texts.size()) + " values");
  }
  switch (option.kind) {
    case OptionKind::flag:
      if (texts.front() == "false") {
        return nullptr;
      }
      if (texts.front() != "true") {
        throw UsageError("--" + option.name + ": \"" + texts.front() + "\" is neither true nor false");
      }
      return true;
    case OptionKind::number:
    case OptionKind::count:
      return checked_number(option, texts.front());
    case OptionKind::text:
      return checked_text(option, texts.front());
    case OptionKind::numbers:
    case OptionKind::texts: {
      Json list = Json::array();
      for (const auto& text : texts) {
        list.push_back(option.kind == OptionKind::numbers ? Json(checked_number(option, text))
                                                          : Json(checked_text(option, text)));
      }
      return list;
    }
  }
  return nullptr;
}

std::string config_text(const Json& value, const std::string& name) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_number_integer() || value.is_boolean()) {
    return value.dump();
  }
  if (value.is_number()) {
    return shortest(value.get<double>());
  }
  throw UsageError(name + ": is neither a number, a text, true or false, nor a list of them");
}

std::string metavar(const Option& option) {
  switch (option.kind) {
    case OptionKind::number:
    case OptionKind::count:
      return option.range;
    case OptionKind::numbers:
      return option.range;
    case OptionKind::text:
    case OptionKind::texts:
      return option.range.empty() ? "TEXT" : option.range;
    case OptionKind::flag:
      return "";
  }
  return "";
}

}  // namespace

const Option* find_option(const std::vector<Option>& table, const std::string& name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Option& o) {
    return o.name == name || std::find(o.aliases.begin(), o.aliases.end(), name) != o.aliases.end();
  });
  return found == table.end() ? nullptr : &*found;
}

double Values::number(const std::string& name) const { return required(values_, name).get<double>(); }
std::optional<double> Values::maybe(const std::string& name) const {
  return has(name) ? std::optional(number(name)) : std::nullopt;
}
double Values::number_or(const std::string& name, double fallback) const { return maybe(name).value_or(fallback); }
std::string Values::text(const std::string& name) const { return required(values_, name).get<std::string>(); }
std::string Values::text_or(const std::string& name, const std::string& fallback) const {
  return has(name) ? text(name) : fallback;
}
std::vector<double> Values::numbers(const std::string& name) const {
  return has(name) ? values_.at(name).get<std::vector<double>>() : std::vector<double>{};
}
std::vector<std::string> Values::texts(const std::string& name) const {
  return has(name) ? values_.at(name).get<std::vector<std::string>>() : std::vector<std::string>{};
}
void Values::set(const std::string& name, double value) { values_[name] = value; }
void Values::set(const std::string& name, Json value) { values_[name] = std::move(value); }

Json Values::echo(const std::vector<Option>& table) const {
  Json inputs = Json::object();
  for (const auto& option : table) {
    const auto found = values_.find(option.name);
    if (found == values_.end()) {
      continue;
    }
    std::string key = option.name;
    std::replace(key.begin(), key.end(), '-', '_');
    const Json& value = found->second;
    if (value.is_number_float()) {
      inputs[key] = dpcurves::tools::number(value.get<double>());
    } else if (value.is_array() && option.kind == OptionKind::numbers) {
      inputs[key] = dpcurves::tools::numbers(value.get<std::vector<double>>());
    } else {
      inputs[key] = value;
    }
  }
  return inputs;
}

void declare(CLI::App& command, const std::vector<Option>& table, RawOptions& raw) {
  for (const auto& option : table) {
    std::string flag = "--" + option.name;
    for (const auto& alias : option.aliases) {
      flag += ",--" + alias;
    }
    CLI::Option* declared = nullptr;
    if (option.kind == OptionKind::flag) {
      declared = command.add_flag_callback(
          flag, [&raw, name = option.name] { raw[name] = {"true"}; }, option.help);
    } else {
      declared = command.add_option(flag, raw[option.name], option.help);
      declared->type_name(metavar(option));
      if (is_list(option.kind)) {
        declared->delimiter(',')->allow_extra_args(false)->take_all();
      } else {
        declared->expected(1)->take_all();
      }
    }
    declared->group(option.group);
  }
}

RawOptions config_options(const std::vector<Option>& table, const std::string& text, const std::string& what) {
  return config_options(table, parse_toml(text, what), what);
}

RawOptions config_options(const std::vector<Option>& table, const Json& parsed, const std::string& what) {
  RawOptions raw;
  for (const auto& [key, value] : parsed.items()) {
    std::string name(key);
    std::replace(name.begin(), name.end(), '_', '-');
    const std::string where = what + ": " + name;
    if (name == "format" || name == "output" || name == "seed" || name == "threads" || name == "quiet") {
      continue;  // of every command, taken before
    }
    const Option* known = find_option(table, name);
    if (known == nullptr) {
      std::vector<std::string> names;
      std::transform(table.begin(), table.end(), std::back_inserter(names), [](const Option& o) { return o.name; });
      throw UsageError(where + ": unknown option" + suggestion(name, names));
    }
    auto& texts = raw[known->name];
    if (!texts.empty()) {
      throw UsageError(where + ": is " + known->name + ", which is given as well");
    }
    if (value.is_array()) {
      for (const auto& entry : value) {
        texts.push_back(config_text(entry, where));
      }
    } else {
      texts.push_back(config_text(value, where));
    }
  }
  return raw;
}

Values read_options(const std::vector<Option>& table, const RawOptions& raw, const std::string& config) {
  RawOptions merged;
  if (!config.empty()) {
    std::string text;
    try {
      text = io::read_file(config, largest_toml);
    } catch (const DataError& error) {
      throw DataError(std::string("--config: ") + error.what());
    }
    merged = config_options(table, text, "--config " + config);
  }
  for (const auto& [name, texts] : raw) {
    if (!texts.empty()) {
      merged[name] = texts;
    }
  }
  return checked_options(table, merged);
}

Values checked_options(const std::vector<Option>& table, const RawOptions& raw) {
  Values values;
  for (const auto& option : table) {
    const auto found = raw.find(option.name);
    if (found == raw.end() || found->second.empty()) {
      continue;
    }
    Json value = checked(option, found->second);
    if (!value.is_null()) {
      values.set(option.name, std::move(value));
    }
  }
  return values;
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

}  // namespace dpcurves::tools
