// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Tables of options on a command line and in --config files. The tables themselves are those of the queries.
#pragma once

#include <string>
#include <vector>

#include <dpcurves/queries/detail/range.hpp>
#include <dpcurves/queries/options.hpp>

#include "support/json.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace dpcurves::tools {

using namespace queries;  // NOLINT: the program speaks of options, subjects and reports throughout

/// Declares every row on `command`; the texts arrive in `raw`.
void declare(CLI::App& command, const std::vector<Option>& table, RawOptions& raw);

/// The options in a configuration file that is parsed, underscores read as dashes; `what` names it in messages.
/// \throws UsageError for an unknown option or a value that no option can have.
[[nodiscard]] RawOptions config_options(const std::vector<Option>& table, const Json& parsed, const std::string& what);

/// Reads `config` (TOML; "" for none) under the command line, checks kinds and ranges.
/// \throws UsageError naming the option, the value and the allowed range; DataError for an unreadable file.
[[nodiscard]] Values read_options(const std::vector<Option>& table, const RawOptions& raw, const std::string& config);

}  // namespace dpcurves::tools
