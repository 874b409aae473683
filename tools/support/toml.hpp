// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// TOML files as JSON values, so that everything behind the reader knows one form.
#pragma once

#include <string>

#include "support/json.hpp"

namespace dpcurves::tools {

/// Parses TOML text: tables become objects, dates become texts, infinities "inf" and "-inf".
/// \throws UsageError with the position of the first mistake; `what` names the text.
[[nodiscard]] Json parse_toml(const std::string& text, const std::string& what);

}  // namespace dpcurves::tools
