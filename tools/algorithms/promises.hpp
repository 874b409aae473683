// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// An algorithm's theorems for questions about whole curves, such as those of attack, curve attack and audit.
#pragma once

#include <dpcurves/queries/attack.hpp>

#include "algorithms/algorithm.hpp"

namespace dpcurves::tools {

/// Every theorem at the values; those with free parameters once for each of some targets. The values are completed
/// first, by the file of --run. Errors as Algorithm::guarantees.
[[nodiscard]] queries::Promises promises(const Algorithm& algorithm, Values& values, const std::vector<Option>& table);

/// Puts what was read from the file of --run before the words and beside the data; breaks long lines.
void finish(queries::Report& report, const Values& values);

/// The rows of `more` that the table does not have yet, under one heading.
void add_options(std::vector<Option>& table, std::vector<Option> more, const std::string& group);

}  // namespace dpcurves::tools
