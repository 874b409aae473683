// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// JSON as the program prints it: keys in the order written, infinities as the strings "inf" and "-inf".
#pragma once

#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/io/detail/json.hpp>

namespace dpcurves::tools {

using Json = nlohmann::ordered_json;

/// A number, or "inf", "-inf"; null for NaN.
[[nodiscard]] Json number(double value);
[[nodiscard]] Json numbers(std::span<const double> values);
/// {"lower": ..., "upper": ...}
[[nodiscard]] Json ends(const Enclosure& interval);

using io::deepest_document;
using io::largest_json;
using io::most_keys;

/// Parses JSON text. \throws UsageError with the position of the first mistake; `what` names the text.
/// Duplicate keys, numbers that overflow and more than deepest_document or most_keys are mistakes.
[[nodiscard]] Json parse_json(const std::string& text, const std::string& what);

/// A value as messages show it: its text, cut after 60 bytes.
[[nodiscard]] std::string shown(const Json& value);

}  // namespace dpcurves::tools
