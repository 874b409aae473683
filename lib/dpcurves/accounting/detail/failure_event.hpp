// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A guarantee that holds outside an event of small chance, such as that of a random projection gone wrong.
#pragma once

#include <dpcurves/accounting/privacy_curve.hpp>

namespace dpcurves::accounting {

/// What is left of `curve` when it holds with probability at least 1 - failure over randomness that is released with
/// the result and does not depend on the data: delta + failure, and trade-off (1 - failure) f(a/(1 - failure)). There
/// is no Renyi bound and no mu unless failure is 0. \param failure  in [0, 1). \throws DomainError outside, or if
/// `curve` is null.
[[nodiscard]] CurvePtr outside_event(CurvePtr curve, double failure);

}  // namespace dpcurves::accounting
