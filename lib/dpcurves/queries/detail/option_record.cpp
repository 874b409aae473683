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

/// The range or the choices, and the default.
std::string taken(const FieldInfo& field) {
  std::string text = field.domain.interval();
  for (const auto& word : field.words) {
    text += (text.empty() ? "" : "|") + word;
  }
  std::string fallback;
  if (const auto* number = field.fallback.get<double>()) {
    fallback = shortest(*number);
  } else if (const auto* integer = field.fallback.get<std::int64_t>()) {
    fallback = std::to_string(*integer);
  } else if (const auto* word = field.fallback.get<std::string>()) {
    fallback = *word;
  }
  return text + (fallback.empty() ? "" : " = " + fallback);
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
    Option option{option_name(field.name), option_kind(field), taken(field),
                  field.symbol == field.name ? field.meaning : field.symbol + ": " + field.meaning};
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
