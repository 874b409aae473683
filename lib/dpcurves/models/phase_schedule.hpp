// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Phases of phased SGD: how many records, which step size and how much noise each of them has.
///
/// n records are split into k = floor(log2 n) disjoint phases of floor(n/2^i) records, i = 1..k. Phase i takes one step
/// of size eta/4^i per record and then adds N(0, tau_i^2 I) to the mean of its iterates, with tau_i = c eta_i. The
/// paper prints k = ceil(log2 n), which leaves the last phase empty unless n is a power of two.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks", Algorithms 2, 3, 5 and 6.
#pragma once

#include <cstdint>
#include <vector>

namespace dpcurves::models {

/// The four algorithms with phases.
enum class PhasedAlgorithm {
  plain,              ///< Algorithm 2: SGD on the surrogate loss
  projected,          ///< Algorithm 3: the same after a random projection of the features
  smoothed,           ///< Algorithm 5: gradients of the Moreau envelope
  projected_smoothed  ///< Algorithm 6: both
};

/// floor(log2 n). \param records  n >= 1. \throws DomainError otherwise.
[[nodiscard]] int phase_count(std::uint64_t records);

/// The number of phases as printed, ceil(log2 n). \param records  n >= 1. \throws DomainError otherwise.
[[nodiscard]] int printed_phase_count(std::uint64_t records);

/// floor(n/2^i) for i = 1..k, shape (k). Their sum is below n: the rest of the records stays unused.
/// \param records  n >= 2. \throws DomainError otherwise.
[[nodiscard]] std::vector<std::uint64_t> phase_sizes(std::uint64_t records);

/// c in tau_i = c eta_i, as the algorithms print it: 8, 16, 10 or 20 times B sqrt(ln(a/delta))/epsilon with a = 1, 2, 1
/// and 2. Same unit as B.
///
/// \param label_bound  B > 0: links and labels lie in [-B, B].
/// \param epsilon      > 0; infinity gives 0.
/// \param delta        in (0, 1).
/// \throws DomainError outside. Accuracy: 1e-15.
[[nodiscard]] double printed_noise_per_step(PhasedAlgorithm algorithm, double label_bound, double epsilon,
                                            double delta);

/// The largest step eta_i for which a step is non-expansive, on which the sensitivity rests: 2/L for steps of L-smooth
/// losses, L = smoothness |x|^2, with |x| <= 1, or |Phi x| <= 2 after a projection.
/// \param smoothness  G of the link, or beta of its envelope; > 0. \throws DomainError otherwise.
[[nodiscard]] double largest_phase_step(PhasedAlgorithm algorithm, double smoothness);

/// What one phase does with its records.
struct Phase {
  std::uint64_t records = 1;  ///< n_i
  double step_size = 1.0;     ///< eta_i = eta/4^i
  double noise = 0.0;         ///< tau_i, standard deviation per coordinate
};

/// All phases, the first one first.
/// \param records         n >= 2. \param step_size  eta > 0. \param noise_per_step  c >= 0.
/// \throws DomainError outside.
[[nodiscard]] std::vector<Phase> phase_schedule(std::uint64_t records, double step_size, double noise_per_step);

}  // namespace dpcurves::models
