// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// --sweep OPTION=FROM:TO:STEP or OPTION=A,B,...: the same question for several values of one option.
#pragma once

#include <string>
#include <vector>

#include "support/options.hpp"

namespace dpcurves::tools {

/// One option and the values that it takes in turn.
struct Sweep {
  std::string option;          ///< a row of the table, without dashes
  std::vector<double> values;  ///< at least one, at most most_swept
};

/// More answers than anybody reads are a mistake of the step.
constexpr std::size_t most_swept = 100000;

/// The row of --sweep itself.
[[nodiscard]] Option sweep_option();

/// TO is reached if it is a whole number of steps away. Ranges of the option are checked when its value is read.
/// \throws UsageError  for an option that is not in the table or no number, or values that are no list.
[[nodiscard]] Sweep parse_sweep(const std::string& text, const std::vector<Option>& table);

}  // namespace dpcurves::tools
