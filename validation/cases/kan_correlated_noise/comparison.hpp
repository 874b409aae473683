// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Cases whose control is the same comparison with a broken claim.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "validation/comparison.hpp"

namespace dpcurves::validation::kan_correlated_noise {

/// The claim and its control by the same comparison.
inline Case compared(const char* id, const char* claim, const char* experiment, const char* control,
                     std::function<void(const Setting&, Trial&, bool broken)> check,
                     Verdict expected = Verdict::holds) {
  return comparison("kan-correlated-noise", id, claim, experiment, control, std::move(check), expected);
}

}  // namespace dpcurves::validation::kan_correlated_noise
