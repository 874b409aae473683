// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks can run commands, and calculators share code with the validation: bytes at random shall start neither.
#include "program.hpp"
#include "support/exit.hpp"
#include "validation/case.hpp"

namespace dpcurves::tools {

int run_command(const std::vector<std::string>& /*arguments*/, const Destination& /*to*/) {
  throw UsageError("commands are not run");
}

}  // namespace dpcurves::tools

namespace dpcurves::validation {

std::vector<Case> accountant_cases() { return {}; }
std::vector<Case> dp_glm_networks_cases() { return {}; }
std::vector<Case> kan_correlated_noise_cases() { return {}; }
std::vector<Case> long_tail_memorization_cases() { return {}; }
std::vector<Case> noisy_hsgd_cases() { return {}; }
std::vector<Case> shifted_interpolation_cases() { return {}; }

}  // namespace dpcurves::validation
