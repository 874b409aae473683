// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Trade-off functions of few steps of pairs with an atom, where each point would take a proved contour of seconds. Internal.
///
/// The contour integral in doubles and higher precision, and a lattice of losses rounded up and down, with error bounds
/// that experience supports and nothing proves ("error estimated"). The answers are brackets; at most 60 s of work.
#pragma once

#include <span>
#include <vector>

#include <dpcurves/accounting/composition.hpp>

namespace dpcurves::accounting::detail {

/// As tradeoff. \throws ConvergenceError  where nothing is found in time.
[[nodiscard]] std::vector<Enclosure> few_steps_tradeoff(const Composition& composition,
                                                        std::span<const double> type_one_errors);

}  // namespace dpcurves::accounting::detail
