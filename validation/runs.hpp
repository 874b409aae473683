// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Runs of a simulation, and parts of a case, that processes may share.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "validation/case.hpp"

namespace dpcurves::validation {

/// A number of each of `count` runs, in blocks of `block` that processes may share (core/share.hpp).
/// \param of  of one run; depends on nothing that another shared loop computes.
[[nodiscard]] std::vector<double> values_of_runs(std::size_t count, unsigned threads,
                                                 const std::function<double(std::size_t run)>& of,
                                                 std::size_t block = 1);

/// What `count` parts of a case found, one after the other as one; processes may share them.
/// \param part  comparisons, controls and pictures of one part, which depend on nothing outside of it; a shared loop
///              within it is computed whole.
[[nodiscard]] Outcome outcome_of_parts(std::size_t count, unsigned threads,
                                       const std::function<void(std::size_t part, Outcome&)>& part);

}  // namespace dpcurves::validation
