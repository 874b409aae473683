// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The cases of "High-Dimensional Privacy-Utility Dynamics of Noisy SGD on Least Squares", one list per topic.
#pragma once

#include <vector>

#include "validation/case.hpp"

namespace dpcurves::validation::noisy_hsgd {

[[nodiscard]] std::vector<Case> noisy_least_squares_cases();
[[nodiscard]] std::vector<Case> equivalence_cases();
[[nodiscard]] std::vector<Case> fluctuation_cases();
[[nodiscard]] std::vector<Case> doob_step_cases();
[[nodiscard]] std::vector<Case> release_cases();
[[nodiscard]] std::vector<Case> risk_cases();
[[nodiscard]] std::vector<Case> section_5_cases();

}  // namespace dpcurves::validation::noisy_hsgd
