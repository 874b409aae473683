// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// One record among the noisy sums of DP-SGD: its uses drawn, and the likelihood ratio of what is published.
///
/// A step publishes a sum in one dimension, in units of the noise: z_t + g/Z where the record is used, z_t elsewhere,
/// z_t standard normal. The observer sees all sums, knows the law of the uses and the two gradients, not the uses.
/// The likelihood ratio is exact: a product over steps or rounds, a mean over bins, a forward recursion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dpcurves::simulate {

/// The law of the uses of one record.
enum class UseLaw {
  each_step,  ///< with chance `rate` in every step: Poisson, or a batch of a fixed size
  several,    ///< Binomial(round, rate) times in every step: `round` draws with replacement
  rounds,     ///< in `chosen` of the `round` steps of every round, uniformly
  one_bin,    ///< in step b of every round, b uniform and the same in all
  separated,  ///< with chance `rate` where it is free, then not for `round` - 1 steps; the first step in equilibrium
  turns       ///< with chance `rate` in the first step of every round
};

/// Steps of one kind.
struct RecordUses {
  UseLaw law = UseLaw::each_step;  ///< which members count
  std::size_t steps = 1;           ///< T
  double rate = 1.0;               ///< in [0, 1]
  std::size_t round = 1;           ///< steps of a round, draws, or separation
  std::size_t chosen = 1;          ///< at most round
  double noise_multiplier = 1.0;   ///< Z > 0
  double gradient = 1.0;           ///< g under the alternative, less what another record would put in its place
  double null_gradient = 0.0;      ///< under the null
};

/// Logarithms of the likelihood ratio of the alternative against the null, of all phases together, for `paths` runs.
/// \param null  the runs are drawn under the null.
/// \param first_path  numbers of the paths: others are independent.
/// \throws DomainError  for an empty list or members outside the ranges above.
/// Cost: a normal and two exponentials per step and path; rounds: `chosen` times that.
[[nodiscard]] std::vector<double> log_likelihood_ratios(const std::vector<RecordUses>& phases, bool null,
                                                        std::size_t paths, std::uint64_t seed, std::uint32_t first_path,
                                                        unsigned threads);

/// What is published of a descent that shows no steps; mean: times the number of steps.
enum class Iterate { last, mean };

/// One coordinate of a descent from 0 that multiplies itself by `contraction` in every step and adds the sum that the
/// step would publish, in units of the clipping norm: linear losses at 1, quadratics below. The same draws as above.
/// \throws DomainError  also for a contraction outside [0, 1]. Cost: as above without the exponentials.
[[nodiscard]] std::vector<double> iterates(const std::vector<RecordUses>& phases, double contraction, Iterate published,
                                           bool null, std::size_t paths, std::uint64_t seed, std::uint32_t first_path,
                                           unsigned threads);

}  // namespace dpcurves::simulate
