// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <iterator>

#include "validation/cases/long_tail_memorization/topics.hpp"

namespace dpcurves::validation {

std::vector<Case> long_tail_memorization_cases() {
  std::vector<Case> all;
  for (auto* topic :
       {&long_tail_memorization::long_tail_concentration_cases, &long_tail_memorization::long_tail_privacy_cases,
        &long_tail_memorization::long_tail_sign_cases, &long_tail_memorization::patch_model_cases,
        &long_tail_memorization::patch_training_cases, &long_tail_memorization::patch_experiment_cases}) {
    auto cases = topic();
    std::move(cases.begin(), cases.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace dpcurves::validation
