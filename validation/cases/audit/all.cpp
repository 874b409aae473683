// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <iterator>

#include "validation/cases/audit/topics.hpp"

namespace dpcurves::validation {

std::vector<Case> audit_cases() {
  std::vector<Case> all = audit::multi_run_cases();
  auto one_run = audit::one_run_cases();
  std::move(one_run.begin(), one_run.end(), std::back_inserter(all));
  return all;
}

}  // namespace dpcurves::validation
