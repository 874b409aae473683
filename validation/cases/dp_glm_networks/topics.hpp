// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The cases of "Differentially Private Non-convex Learning for Multi-layer Neural Networks", one list per topic.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "validation/comparison.hpp"

namespace dpcurves::validation::dp_glm_networks {

[[nodiscard]] std::vector<Case> glm_bound_cases();
[[nodiscard]] std::vector<Case> glm_phased_cases();
[[nodiscard]] std::vector<Case> phased_sgd_cases();
[[nodiscard]] std::vector<Case> glm_model_cases();
[[nodiscard]] std::vector<Case> glm_privacy_cases();
[[nodiscard]] std::vector<Case> glm_relu_cases();
[[nodiscard]] std::vector<Case> glm_two_layer_cases();
[[nodiscard]] std::vector<Case> network_law_cases();
[[nodiscard]] std::vector<Case> network_privacy_cases();
[[nodiscard]] std::vector<Case> network_training_cases();

/// The claim and its control by the same comparison.
inline Case compared(const char* id, const char* claim, const char* experiment, const char* control,
                     std::function<void(const Setting&, Trial&, bool broken)> check,
                     Verdict expected = Verdict::holds) {
  return comparison("dp-glm-networks", id, claim, experiment, control, std::move(check), expected);
}

}  // namespace dpcurves::validation::dp_glm_networks
