// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <iterator>

#include "validation/cases/accountant/topics.hpp"

namespace dpcurves::validation {

std::vector<Case> accountant_cases() {
  std::vector<Case> all;
  const std::vector<std::vector<Case>> topics{
      accountant::likelihood_ratio_cases(), accountant::random_allocation_cases(), accountant::additive_test_cases(),
      accountant::allocation_bound_cases(), accountant::mixture_cases(),           accountant::shuffled_cases(),
      accountant::part_of_run_cases(),      accountant::false_claim_cases(),
  };
  for (auto topic : topics) {
    std::move(topic.begin(), topic.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace dpcurves::validation
