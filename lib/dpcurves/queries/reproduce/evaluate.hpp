// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Numbers of tables and figures come from the calculators of `dpcurves eval`, so that no formula is written twice.
#pragma once

#include <limits>
#include <string>
#include <variant>
#include <vector>

#include <dpcurves/calculators/calculator.hpp>

namespace dpcurves::queries::reproduce {

/// All outputs of the calculator `name` of the paper on shifted interpolation.
/// \throws UsageError, DomainError  as the calculator does.
[[nodiscard]] inline Record shifted_interpolation(const std::string& name, const Record& inputs) {
  return calculators::find("shifted-interpolation/" + name)(inputs);
}

/// The number of this name, NaN for nothing. \throws UsageError  without the key.
[[nodiscard]] inline double number_of(const Record& outputs, const std::string& key) {
  double number = std::numeric_limits<double>::quiet_NaN();
  (void)outputs.at(key).number(number);
  return number;
}

/// The records that a sweep lists under "rows". \throws UsageError  without the key.
[[nodiscard]] inline std::vector<Record> rows_of(const Record& outputs) {
  std::vector<Record> rows;
  for (const Value& row : std::get<List>(outputs.at("rows").data)) {
    rows.push_back(std::get<Record>(row.data));
  }
  return rows;
}

}  // namespace dpcurves::queries::reproduce
