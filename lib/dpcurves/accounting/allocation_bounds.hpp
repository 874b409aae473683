// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// k of t positions: exact moments of the likelihood ratio, and upper bounds in closed form.
///
/// The ratio of the record being in a uniform k-subset of t positions to its being in none is the mean over the subsets
/// S of prod_{i in S} exp(z_i/Z - 1/(2 Z^2)): an elementary symmetric polynomial. Its n-th moment under the null counts
/// n-tuples of subsets by how often each position is covered.
///
/// Source: derived in this project, docs/theory/accountant/positions.md.
#pragma once

#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting {

/// k of t positions in each of E epochs.
struct Allocation {
  double chosen = 1.0;            ///< k, a whole number from 1 to positions
  double positions = 1.0;         ///< t, a whole number from 1 to 1e6
  double epochs = 1.0;            ///< E, a whole number from 1 to 1e6
  double noise_multiplier = 1.0;  ///< Z in [0.01, 1e4]
};

/// log E_Q L^n, in balls: exact up to rounding outward.
/// \param order  n, a whole number from 2 to 16.
/// \throws DomainError  outside the ranges, or where the table of the programme would have more than 20,000 states,
/// which are the multisets of n numbers from 0 to k, or more than 2e8 moves. Cost: k ball operations for n = 2; else t
/// times the states times at most 2^n.
[[nodiscard]] Enclosure allocation_log_moment(const Allocation& allocation, int order);

/// Upper ends in closed form and by conditioning.
struct AllocationBounds {
  double add_geometric = 1.0;  ///< of delta in the direction add: the mean of the ratio is at least its geometric mean
  double remove_conditioned = 1.0;  ///< of delta in the direction remove: Poisson batches given that k or more are hit
  double log_conditioning = 0.0;    ///< E log P(Bin(t, rate) >= k)
};

/// \param rate     of the Poisson batches, in (0, 1). \param epsilon  in [0, 700].
/// \throws DomainError  outside the ranges.
[[nodiscard]] AllocationBounds allocation_bounds(const Allocation& allocation, double rate, double epsilon);

/// P(Bin(n, p) < k), both ends; terms are added from the least. \param n, k  whole numbers. \param p  in (0, 1).
[[nodiscard]] Enclosure binomial_below(double n, Enclosure p, double k);

}  // namespace dpcurves::accounting
