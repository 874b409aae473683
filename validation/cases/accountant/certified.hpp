// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Certified curves as claims.
#pragma once

#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>

#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::accountant {

/// Lower ends of a trade-off function at the type I errors of points and at others, found together: at no more.
[[nodiscard]] Curve certified(const accounting::PrivacyCurve& curve, const Points& points,
                              std::vector<double> others = {});

}  // namespace dpcurves::validation::accountant
