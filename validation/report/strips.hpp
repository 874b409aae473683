// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The picture that every case has: each comparison on a strip, the measured value with its interval against what is
/// claimed, the control's below.
#pragma once

#include <string>

#include "validation/case.hpp"

namespace dpcurves::validation::report {

/// Where a value lies on a strip whose middle is what is claimed: in [0, 1], 0.5 for value == claimed. A bound's
/// quarters are a factor of 3 below and above it; those of `within` are claimed -+ allowance. NaN lies at 1.
[[nodiscard]] double position(const Measurement& measured, double value);

/// HTML: the tightest comparisons of the claim and the clearest of the control, a strip of SVG each.
[[nodiscard]] std::string strips(const Outcome& outcome);

}  // namespace dpcurves::validation::report
