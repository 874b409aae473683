// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The cases of "Shifted Interpolation for Differential Privacy", one list per topic, each in a file of its name.
#pragma once

#include <vector>

#include "validation/case.hpp"

namespace dpcurves::validation::shifted_interpolation {

[[nodiscard]] std::vector<Case> accountant_cases();
[[nodiscard]] std::vector<Case> composition_cases();
[[nodiscard]] std::vector<Case> contraction_cases();
[[nodiscard]] std::vector<Case> divergence_cases();
[[nodiscard]] std::vector<Case> interpolated_process_cases();
[[nodiscard]] std::vector<Case> limits_cases();
[[nodiscard]] std::vector<Case> lower_bounds_cases();
[[nodiscard]] std::vector<Case> noisy_cgd_cases();
[[nodiscard]] std::vector<Case> noisy_gd_cases();
[[nodiscard]] std::vector<Case> noisy_sgd_cases();
[[nodiscard]] std::vector<Case> one_step_cases();
[[nodiscard]] std::vector<Case> privacy_loss_cases();
[[nodiscard]] std::vector<Case> sampling_cases();
[[nodiscard]] std::vector<Case> sgd_horizons_cases();
[[nodiscard]] std::vector<Case> shift_problem_cases();
[[nodiscard]] std::vector<Case> simulator_cases();
[[nodiscard]] std::vector<Case> subsampling_cases();
[[nodiscard]] std::vector<Case> tradeoff_cases();
[[nodiscard]] std::vector<Case> training_cases();

}  // namespace dpcurves::validation::shifted_interpolation
