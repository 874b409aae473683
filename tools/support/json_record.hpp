// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Records and TOML as JSON: the one place where the inputs, outputs and schemas of calculators meet it.
#pragma once

#include <string>
#include <vector>

#include <dpcurves/core/record.hpp>
#include <dpcurves/io/detail/toml.hpp>

#include "support/json.hpp"

namespace dpcurves::tools {

/// The value of a JSON text; a list of numbers where every entry is one. O(size).
[[nodiscard]] Value value_of(const Json& json);
/// The same of an object. \throws UsageError  "WHERE: ... is not a object" for anything else.
[[nodiscard]] Record record_of(const Json& json, const std::string& where = "inputs");
/// Infinities as "inf" and "-inf", NaN as null. O(size).
[[nodiscard]] Json json_of(const Value& value);
/// A TOML text as JSON, so that everything behind the reader knows one form. \throws UsageError  as io::read_toml.
[[nodiscard]] Json parse_toml(const std::string& text, const std::string& what);
/// The file of --config. \throws DataError  "--config: ..." where it cannot be read; UsageError for what is no TOML.
[[nodiscard]] Json parse_config(const std::string& file);
/// What each key is: type, meaning, range, default. O(fields).
[[nodiscard]] Json schema_of(const std::vector<FieldInfo>& fields);

}  // namespace dpcurves::tools
