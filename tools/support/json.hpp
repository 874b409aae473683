// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// JSON as the program prints it: keys in the order written, infinities as the strings "inf" and "-inf".
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::tools {

using Json = nlohmann::ordered_json;

/// A number, or "inf", "-inf"; null for NaN.
[[nodiscard]] Json number(double value);
[[nodiscard]] Json numbers(std::span<const double> values);
/// {"lower": ..., "upper": ...}
[[nodiscard]] Json ends(const Enclosure& interval);

/// The most that documents may hold: levels of nesting and keys of an object (JSON and TOML), and the bytes of a JSON
/// file, 64 MiB: a few lists of a million numbers.
constexpr int deepest_document = 64;
constexpr std::size_t most_keys = 1000;
constexpr std::size_t largest_json = std::size_t{1} << 26U;

/// Parses JSON text. \throws UsageError with the position of the first mistake; `what` names the text.
/// Duplicate keys, numbers that overflow and more than deepest_document or most_keys are mistakes.
[[nodiscard]] Json parse_json(const std::string& text, const std::string& what);

/// A value as messages show it: its text, cut after 60 bytes.
[[nodiscard]] std::string shown(const Json& value);

}  // namespace dpcurves::tools
