// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <iterator>

#include "validation/cases/dp_glm_networks/topics.hpp"

namespace dpcurves::validation {

std::vector<Case> dp_glm_networks_cases() {
  std::vector<Case> all;
  for (auto* topic : {
           &dp_glm_networks::glm_bound_cases,
           &dp_glm_networks::glm_phased_cases,
           &dp_glm_networks::phased_sgd_cases,
           &dp_glm_networks::glm_model_cases,
           &dp_glm_networks::glm_privacy_cases,
           &dp_glm_networks::glm_relu_cases,
           &dp_glm_networks::glm_two_layer_cases,
           &dp_glm_networks::network_law_cases,
           &dp_glm_networks::network_privacy_cases,
           &dp_glm_networks::network_training_cases,
       }) {
    auto cases = topic();
    std::move(cases.begin(), cases.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace dpcurves::validation
