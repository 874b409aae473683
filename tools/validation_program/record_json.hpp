// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A validated case as JSON, schema dpcurves/validate/2: docs/guide/validation.md says what the keys mean.
#pragma once

#include <string>

#include "support/common.hpp"
#include "validation/runner.hpp"

namespace dpcurves::tools {

/// The verdicts, how hard it was tried, and every group with the numbers of its comparisons.
/// \param report  folder of the report, which holds the files of the figures; empty: none.
[[nodiscard]] Json record_json(const validation::Record& record, const std::string& report);

[[nodiscard]] Json levels_json(const validation::Levels& levels);

}  // namespace dpcurves::tools
