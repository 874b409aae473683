// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The last resort: proved bounds that need no integral. Internal.
#pragma once

#include <dpcurves/accounting/proof/plan.hpp>

namespace dpcurves::accounting::proof {

/// At least delta(epsilon). \param epsilon  exact.
[[nodiscard]] rigorous::Real chernoff_delta(const Problem& problem, const rigorous::Real& epsilon);

/// An exact epsilon >= 0 with delta(epsilon) <= target. \param target  positive.
[[nodiscard]] rigorous::Real chernoff_epsilon(const Problem& problem, const rigorous::Real& target);

}  // namespace dpcurves::accounting::proof
