// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Renyi divergences of a run of DP-SGD: instead of its profile, and beside it as a check. Internal.
#pragma once

#include <vector>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/renyi_accountant.hpp>

namespace dpcurves::accounting::detail {

/// The Renyi divergences of one direction: those of its composition, of what is concentrated and of mechanisms.
/// \throws DomainError  for a rho or xi out of range.
[[nodiscard]] divergence::RenyiCurve concentrated_curve(const DpSgd& run, const Composition& composition, bool remove);
/// Upper bounds by Renyi divergences, one for each direction; empty where this library has none.
[[nodiscard]] std::vector<DirectedCurve> renyi_beside(const DpSgd& run);
/// The composed profile, held against an upper bound that is computed in another way: answers above it throw a
/// ContradictionError.
[[nodiscard]] CurvePtr checked_curve(CurvePtr curve, CurvePtr bound);

}  // namespace dpcurves::accounting::detail
