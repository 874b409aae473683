// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// TOML files as JSON values, so that everything behind the reader knows one form.
#pragma once

#include <string>

#include <dpcurves/io/toml.hpp>

#include "support/json.hpp"

namespace dpcurves::tools {

using io::largest_toml;

/// io::read_toml as JSON.
[[nodiscard]] Json parse_toml(const std::string& text, const std::string& what);

}  // namespace dpcurves::tools
