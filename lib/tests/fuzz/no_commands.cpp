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

const std::vector<Case>& all_cases() {
  static const std::vector<Case> none;
  return none;
}

}  // namespace dpcurves::validation
