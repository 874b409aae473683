// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/options.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/queries/detail/sweep.hpp>

#include "support/exit.hpp"
#include "support/json_record.hpp"

namespace dpcurves::tools {
namespace {

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
      if (option.kind == OptionKind::numbers || option.kind == OptionKind::texts) {
        declared->delimiter(',')->allow_extra_args(false)->take_all();
      } else {
        declared->expected(1)->take_all();
      }
    }
    declared->group(option.group);
  }
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
    merged = config_options(table, parse_config(config), "--config " + config);
  }
  for (const auto& [name, texts] : raw) {
    if (!texts.empty()) {
      merged[name] = texts;
    }
  }
  const auto swept = raw.find("sweep");  // which varies what the file may fix
  if (swept != raw.end() && !swept->second.empty() && find_option(table, "sweep") != nullptr) {
    const std::string option = swept_option(swept->second.front(), table);
    if (const auto typed = raw.find(option); typed == raw.end() || typed->second.empty()) {
      merged.erase(option);
    }
  }
  return checked_options(table, merged);
}

}  // namespace dpcurves::tools
