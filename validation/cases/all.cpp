// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/case.hpp"

namespace dpcurves::validation {

const std::vector<Case>& all_cases() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> all = shifted_interpolation_cases();
    for (auto& more : {noisy_hsgd_cases(), accountant_cases(), attack_cases(), audit_cases(),
                       kan_correlated_noise_cases(), long_tail_memorization_cases(), dp_glm_networks_cases()}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }();
  return cases;
}

}  // namespace dpcurves::validation
