// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What dpcurves validate was asked for, and who does it.
#pragma once

#include <string>
#include <vector>

#include "support/common.hpp"

namespace dpcurves::tools {

/// The options of the command.
struct Validation {
  Common common;
  std::vector<std::string> ids;  ///< cases or papers; empty: all
  std::string profile = "ci";
  std::string report;       ///< folder of the report; empty: none
  std::string junit;        ///< file; empty: none
  std::string annotations;  ///< "github": failures of own checks as workflow commands; empty: as words
  bool list = false;
  bool seeded = false;  ///< the seed was typed
};

/// In dpcurves-validate: runs the cases and returns the exit code. In dpcurves: becomes dpcurves-validate, which stands
/// beside it, with what was typed. \throws UsageError  for an unknown id; DataError  where that program is missing.
[[nodiscard]] int run_validation(const Validation& validation);

}  // namespace dpcurves::tools
