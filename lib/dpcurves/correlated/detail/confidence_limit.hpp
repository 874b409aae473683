// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Upper confidence limits of the profile of a pair of Gaussian mixtures, by draws from the pair itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include <dpcurves/correlated/likelihood_estimate.hpp>

namespace dpcurves::correlated {

/// An upper confidence limit of delta.
struct DeltaLimit {
  double upper = 1.0;           ///< delta is below it with the confidence asked for; in (0, 1]
  std::size_t draws = 0;        ///< how many were made; fewer than allowed for chains with many states
  double least_possible = 1.0;  ///< what no contributing draw at all gives: a smaller delta is out of its reach
};
/// Draws from the pair itself, with means rounded up where the chain is on a grid, hence of a pair that dominates;
/// values in [0, 1] are rounded to 0 or 1 at random, and counted: Clopper and Pearson's limit, which fails with
/// probability at most 1 - confidence. It says nothing below log(1/(1 - confidence))/draws. Deterministic in the seed.
/// \param confidence  in (0, 1). \throws DomainError, ConvergenceError  as estimate_delta: too many states.
/// Cost: about 1 s; fewer draws than `most_draws` for chains with many states.
[[nodiscard]] DeltaLimit delta_confidence_limit(const EstimatedPair& pair, double epsilon, double confidence,
                                                std::size_t most_draws = 100000, std::uint64_t seed = 1,
                                                unsigned threads = 0);

}  // namespace dpcurves::correlated
