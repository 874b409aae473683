// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The pairs of Gaussian mixtures that dominate a subsampled matrix mechanism, and their values at one and two steps.
///
/// With y the participations of the record, independent with probability r, and a = |C| y (entries of |C| are absolute
/// values), the pair is
///
///     P = E_y N(first a, kappa^2 I)   against   Q = E_y N(second a, kappa^2 I),
///
/// kappa the noise multiplier. Which means are right depends on how batches are drawn and on what neighbours are:
///
/// | sampling   | neighbours                              | first | second |
/// |------------|-----------------------------------------|-------|--------|
/// | poisson    | record added, removed or zeroed out     | 1     | 0      | and the reverse
/// | poisson    | record replaced                         | 1     | -1     |
/// | fixed size | record zeroed out                       | 2     | -1     | and the reverse
/// | fixed size | record replaced                         | 2     | -2     |
///
/// Theorem F.8 claims the first row for batches of a fixed size too, which is false (docs/errata.md): they reveal
/// through the record that takes its place whether the record took part. The rows for a fixed size are Lemma C of
/// docs/theory/kan-correlated-noise/privacy.md. Increasing any entry of |C| only increases the divergences.
///
/// Source: Wang et al., "Population risk bounds for Kolmogorov-Arnold networks trained by DP-SGD with correlated
/// noise", Lemma F.7, Theorem F.8.
#pragma once

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/models/strategy_matrix.hpp>

namespace dpcurves::correlated {

/// Multiples of |C| y that are the means of the two laws.
struct MeanMultiples {
  double first = 1.0;   ///< of the law that is released with the record as it is
  double second = 0.0;  ///< of its neighbour; 0 or of the opposite sign

  /// The pair with its two laws exchanged: the other order of the neighbours.
  [[nodiscard]] MeanMultiples reversed() const { return {second, first}; }
  /// Whether both orders have the same profile.
  [[nodiscard]] bool symmetric() const { return first == -second; }
  friend bool operator==(const MeanMultiples&, const MeanMultiples&) = default;
};

/// H_{e^epsilon}(P || Q) of one step with C = 1, multiples (1, 0): r delta_G(1/kappa; log(1 + (e^epsilon - 1)/r)).
/// \param sampling_rate  r in (0, 1]. \param noise_multiplier  > 0. \param epsilon  >= 0. \throws DomainError outside.
/// Accuracy: relative 1e-13.
[[nodiscard]] double one_step_remove_delta(double sampling_rate, double noise_multiplier, double epsilon);
/// The same for multiples (0, 1); 0 from epsilon = -log(1 - r) on.
[[nodiscard]] double one_step_add_delta(double sampling_rate, double noise_multiplier, double epsilon);

/// Batches of a fixed size, one step: the exact worst case over all gradients of norm at most 1 (derived-2).
struct FixedSizeStep {
  double remove = 0.0;  ///< H(with the record || with it zeroed out or replaced)
  double add = 0.0;     ///< H(with it zeroed out or replaced || with the record)
};
/// The record zeroed out. Same domain; accuracy: relative 1e-12.
[[nodiscard]] FixedSizeStep fixed_size_step_zero_out(double sampling_rate, double noise_multiplier, double epsilon);
/// The record replaced: r delta_G(2/kappa; log(1 + (e^epsilon - 1)/r)) in both directions.
[[nodiscard]] FixedSizeStep fixed_size_step_replacement(double sampling_rate, double noise_multiplier, double epsilon);

/// H_{e^epsilon}(P || Q) of a pair of one or two steps, multiples of opposite sign or 0.
///
/// The second step is integrated in closed form (the likelihood ratio is monotone in it), the first by the trapezoid
/// rule, which converges geometrically and is halved until two levels agree to 1e-11.
/// \param strategy  of 1 or 2 steps. \throws DomainError otherwise. \throws ConvergenceError past 2^14 points.
/// Accuracy: relative 1e-10 where the result exceeds 1e-200. Cost: about 3 ms.
[[nodiscard]] double few_steps_delta(const models::StrategyMatrix& strategy, double sampling_rate,
                                     double noise_multiplier, MeanMultiples multiples, double epsilon);

/// Renyi divergence D_order(P || Q) of the pair with multiples (1, 0), exact, for an integer order:
/// log E exp(sum over i < j of <a^i, a^j>/kappa^2) / (order - 1), a^1, ... independent copies of |C| y. The last copy
/// is summed in closed form, the others as multisets. Independent noise is a power, at any number of steps.
/// \param order  an integer in [2, 1e7]. \throws DomainError  unless enumerated_multisets <= 5e7.
/// Both ends are proved: for independent noise in ball arithmetic, relative width 4e-15; otherwise by a bound of the
/// rounding of the sum, which grows with the number of terms, relative width below 1e-10 where divergences are small
/// or the order is, elementary functions of the C library being taken to be within 2 units in the last place.
/// Cost: 0.3 us times the order, or the number of multisets times (steps) times 20 ns.
[[nodiscard]] Enclosure exact_renyi(const models::StrategyMatrix& strategy, double sampling_rate,
                                    double noise_multiplier, double order);
/// binomial(2^steps + order - 2, order - 1), the terms of that sum; 0 for independent noise.
[[nodiscard]] double enumerated_multisets(const models::StrategyMatrix& strategy, double order);

}  // namespace dpcurves::correlated
