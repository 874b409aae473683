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

/// The same with laws cut off far away, whose moments are integrals: closer where large losses are rare.
/// \param log_value  about log delta(epsilon).
[[nodiscard]] rigorous::Real cut_chernoff_delta(const Problem& problem, const rigorous::Real& epsilon, double log_value);
/// See cut_chernoff_delta. Infinite where no cut helps.
[[nodiscard]] rigorous::Real cut_chernoff_epsilon(const Problem& problem, const rigorous::Real& target);

/// At most delta(epsilon): what the test sees that looks for one step with a loss above epsilon. \param epsilon  >= 0.
[[nodiscard]] rigorous::Real any_step_delta(const Problem& problem, const rigorous::Real& epsilon);

}  // namespace dpcurves::accounting::proof
