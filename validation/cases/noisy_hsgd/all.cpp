// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <iterator>

#include "validation/cases/noisy_hsgd/topics.hpp"

namespace dpcurves::validation {

std::vector<Case> noisy_hsgd_cases() {
  std::vector<Case> all;
  for (auto* topic : {&noisy_hsgd::noisy_least_squares_cases, &noisy_hsgd::equivalence_cases,
                      &noisy_hsgd::fluctuation_cases, &noisy_hsgd::doob_step_cases, &noisy_hsgd::release_cases,
                      &noisy_hsgd::risk_cases, &noisy_hsgd::section_5_cases}) {
    auto cases = topic();
    std::move(cases.begin(), cases.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace dpcurves::validation
