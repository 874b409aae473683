// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The cases of audits, one list per topic, each in a file of its name.
#pragma once

#include <vector>

#include "validation/case.hpp"

namespace dpcurves::validation::audit {

[[nodiscard]] std::vector<Case> multi_run_cases();
[[nodiscard]] std::vector<Case> one_run_cases();

}  // namespace dpcurves::validation::audit
