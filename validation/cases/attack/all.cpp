// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <iterator>

#include "validation/cases/attack/topics.hpp"

namespace dpcurves::validation {

std::vector<Case> attack_cases() {
  std::vector<Case> all = attack_risk::runs_cases();
  auto formulas = attack_risk::formulas_cases();
  std::move(formulas.begin(), formulas.end(), std::back_inserter(all));
  return all;
}

}  // namespace dpcurves::validation
