// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The cases of the accountant of DP-SGD, one list per topic, each in a file of its name.
#pragma once

#include <vector>

#include "validation/case.hpp"

namespace dpcurves::validation::accountant {

[[nodiscard]] std::vector<Case> additive_test_cases();
[[nodiscard]] std::vector<Case> allocation_bound_cases();
[[nodiscard]] std::vector<Case> false_claim_cases();
[[nodiscard]] std::vector<Case> likelihood_ratio_cases();
[[nodiscard]] std::vector<Case> mixture_cases();
[[nodiscard]] std::vector<Case> part_of_run_cases();
[[nodiscard]] std::vector<Case> random_allocation_cases();
[[nodiscard]] std::vector<Case> shuffled_cases();

}  // namespace dpcurves::validation::accountant
