// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The cases of "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed Data", one
/// list per topic.
#pragma once

#include <vector>

#include "validation/case.hpp"

namespace dpcurves::validation::long_tail_memorization {

[[nodiscard]] std::vector<Case> long_tail_concentration_cases();
[[nodiscard]] std::vector<Case> long_tail_sign_cases();
[[nodiscard]] std::vector<Case> long_tail_privacy_cases();
[[nodiscard]] std::vector<Case> patch_model_cases();
[[nodiscard]] std::vector<Case> patch_training_cases();
[[nodiscard]] std::vector<Case> patch_experiment_cases();

}  // namespace dpcurves::validation::long_tail_memorization
