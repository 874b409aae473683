// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The tables of the papers as validation cases.
#pragma once

#include <vector>

#include "validation/case.hpp"

namespace dpcurves::tools::reproduce {

/// What was published against what is computed, a case per table.
[[nodiscard]] std::vector<validation::Case> reproduction_cases();
/// Every validation case of the program: theorems and tables.
[[nodiscard]] const std::vector<validation::Case>& all_cases();

}  // namespace dpcurves::tools::reproduce
