// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A setting as options of a command: names, help with defaults, ranges and choices are read from its fields.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <dpcurves/core/detail/convert.hpp>
#include <dpcurves/core/record.hpp>
#include <dpcurves/queries/options.hpp>

namespace dpcurves::queries {

/// "class_records" is the option "class-records".
[[nodiscard]] std::string option_name(std::string field);

/// One option for each field. \param groups  heading -> names of fields that --help shows under it.
[[nodiscard]] std::vector<Option> options_of(const std::vector<FieldInfo>& fields,
                                             const std::map<std::string, std::vector<std::string>>& groups = {});

/// The setting that the options ask for: what was not given is the struct's default.
template <Described S>
[[nodiscard]] S setting_from(const Values& values) {
  S setting;
  each_field(setting, [&]<class T>(const auto& row, T& member) {
    if (const std::string name = option_name(row.name); values.has(name)) {
      member = from_value<T>(values.value(name));
    }
  });
  return setting;
}

}  // namespace dpcurves::queries
