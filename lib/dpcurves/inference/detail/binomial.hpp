// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Exact intervals for a probability from counts.
#pragma once

#include <cstdint>

#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::inference {

/// The Clopper-Pearson interval: it misses the probability on either side with probability at most miss / 2,
/// whatever the probability is.
///
/// Source: Clopper and Pearson, "The use of confidence or fiducial limits", Biometrika 26 (1934).
/// \param successes  0 to trials.
/// \param trials     1 to 2^53.
/// \param miss       in [1e-300, 1): the chance that the interval does not hold the probability.
/// \throws DomainError  if an argument is outside its range or NaN.
///
/// Proved: the chances at both ends are compared with miss / 2 in ball arithmetic. Accuracy: ends within 2e-11 of the
/// exact ones, relative to the smaller of the end and its complement, and to a unit in the last place. Cost: 0.1 to
/// 10 ms.
[[nodiscard]] Enclosure clopper_pearson(std::uint64_t successes, std::uint64_t trials, double miss);

}  // namespace dpcurves::inference
