// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// How hard a comparison tried: how far its claim could be sharpened before the same data refute it.
#pragma once

#include <optional>

#include "validation/case.hpp"

namespace dpcurves::validation {

/// The largest s in (0, 1] such that the claim, sharpened by s, is refuted by the same interval [lower, upper]:
///   value <= c  sharpened to  value <= s c:  lower / c;
///   value >= c  sharpened to  value >= c/s:  c / upper;
///   |value - c| <= allowance  with s c for c:  (value - allowance) / c, the interval being inside the allowance.
/// Capped at 1: attained. 0: no sharpened claim is refuted. Empty for a yes or no, and for claims that no factor
/// sharpens: zero, an infinite one of equality, bounds of another sign than positive.
[[nodiscard]] std::optional<double> resolution(const Measurement& measured);

/// The bound over the value (the value over the bound for value >= c): 1 is attained, larger is loose. Infinite where
/// the value has the other sign. Empty where resolution() is.
[[nodiscard]] std::optional<double> gap(const Measurement& measured);

}  // namespace dpcurves::validation
