// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/queries/detail/option_record.hpp>

namespace dpcurves::queries {
namespace {

OptionKind option_kind(const FieldInfo& field) {
  switch (field.kind) {
    case Kind::number:
      return OptionKind::number;
    case Kind::integer:
      return OptionKind::count;
    case Kind::flag:
      return OptionKind::flag;
    case Kind::numbers:
      return OptionKind::numbers;
    default:
      return OptionKind::text;
  }
}

std::string help(const FieldInfo& field) {
  std::string text = field.symbol == field.name ? field.meaning : field.symbol + ": " + field.meaning;
  if (const auto* number = field.fallback.get<double>()) {
    text += ", default " + shortest(*number);
  } else if (const auto* integer = field.fallback.get<std::int64_t>()) {
    text += ", default " + std::to_string(*integer);
  } else if (const auto* word = field.fallback.get<std::string>(); word != nullptr && !word->empty()) {
    text += ", default " + *word;
  }
  return text;
}

}  // namespace

std::string option_name(std::string field) {
  std::replace(field.begin(), field.end(), '_', '-');
  return field;
}

std::vector<Option> options_of(const std::vector<FieldInfo>& fields,
                               const std::map<std::string, std::vector<std::string>>& groups) {
  std::vector<Option> table;
  for (const auto& field : fields) {
    Option option{option_name(field.name), option_kind(field), field.domain.interval(), help(field)};
    for (const auto& word : field.words) {
      option.range += (option.range.empty() ? "" : "|") + word;
    }
    for (const auto& [heading, names] : groups) {
      if (std::find(names.begin(), names.end(), field.name) != names.end()) {
        option.group = heading;
      }
    }
    table.push_back(std::move(option));
  }
  return table;
}

}  // namespace dpcurves::queries
