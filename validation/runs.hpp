// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Runs of a simulation that processes may share.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace dpcurves::validation {

/// A number of each of `count` runs, in blocks of `block` that processes may share (core/share.hpp).
/// \param of  of one run; depends on nothing that another shared loop computes.
[[nodiscard]] std::vector<double> values_of_runs(std::size_t count, unsigned threads,
                                                 const std::function<double(std::size_t run)>& of,
                                                 std::size_t block = 1);

}  // namespace dpcurves::validation
