// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <iterator>

#include "validation/cases/kan_correlated_noise/topics.hpp"

namespace dpcurves::validation {

std::vector<Case> kan_correlated_noise_cases() {
  std::vector<Case> all;
  for (auto* topic : {&kan_correlated_noise::dominating_pair_cases, &kan_correlated_noise::kan_concentration_cases,
                      &kan_correlated_noise::kan_descent_cases, &kan_correlated_noise::kan_model_cases,
                      &kan_correlated_noise::kan_noise_cases, &kan_correlated_noise::kan_rate_cases,
                      &kan_correlated_noise::kan_stability_cases, &kan_correlated_noise::privacy_cases,
                      &kan_correlated_noise::strategy_cases}) {
    auto cases = topic();
    std::move(cases.begin(), cases.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace dpcurves::validation
