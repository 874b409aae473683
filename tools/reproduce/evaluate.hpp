// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Numbers of tables and figures come from the calculators of `dpcurves eval`, so that no formula is written twice.
#pragma once

#include <string>

#include <dpcurves/calculators/calculator.hpp>

#include "support/json_record.hpp"

namespace dpcurves::tools::reproduce {

/// All outputs of the calculator `name` of the paper on shifted interpolation.
/// \throws UsageError, DomainError  as the calculator does.
[[nodiscard]] inline Json shifted_interpolation(const std::string& name, const Json& inputs) {
  return json_of({calculators::find("shifted-interpolation/" + name)(record_of(inputs))});
}

}  // namespace dpcurves::tools::reproduce
