// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What the contours of proof/ do not reach yet, or only slowly: steps of pairs with an atom, rare large losses. Internal.
///
/// The contour integral in doubles and higher precision, and a lattice of losses rounded up and down, with error bounds
/// that experience supports and nothing proves ("error estimated"). The answers are brackets; at most 60 s of work.
#pragma once

#include <span>
#include <vector>

#include <dpcurves/accounting/composition.hpp>

namespace dpcurves::accounting::detail {

/// As profile_at, epsilon_at and tradeoff. \throws ConvergenceError  where nothing is found in time.
[[nodiscard]] ProfilePoint few_steps_profile(const Composition& composition, double epsilon);
/// See few_steps_profile.
[[nodiscard]] EpsilonBound few_steps_epsilon(const Composition& composition, double delta);
/// See few_steps_profile.
[[nodiscard]] std::vector<Enclosure> few_steps_tradeoff(const Composition& composition,
                                                        std::span<const double> type_one_errors);

}  // namespace dpcurves::accounting::detail
