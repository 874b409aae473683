// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// TOML files as JSON values, so that everything behind the reader knows one form.
#pragma once

#include <string>

#include "support/json.hpp"

namespace dpcurves::tools {

/// The most bytes of a TOML file that are read, 16 MiB.
constexpr std::size_t largest_toml = std::size_t{1} << 24U;

/// Parses TOML text: tables become objects, dates become texts, infinities "inf" and "-inf".
/// \throws UsageError with the position of the first mistake; `what` names the text. More than deepest_document or
/// most_keys are mistakes, and so are keys of more than a hundred parts.
[[nodiscard]] Json parse_toml(const std::string& text, const std::string& what);

}  // namespace dpcurves::tools
