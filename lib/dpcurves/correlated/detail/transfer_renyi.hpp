// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Renyi divergences of small integer order of lambda-CGD at any number of steps, between certified ends.
///
/// For the pair of mixture_pair.hpp with multiples (1, 0)
///
///     (a - 1) D_a(P || Q) = log E exp(sum over i < j of <C y^i, C y^j> / kappa^2),   y^1, ..., y^a independent,
///
/// a backward recursion over the a scalar states x^i <- lambda x^i + y^i. With the products of the states themselves
/// taken out, what is left is the log of a moment generating function of the states, hence jointly convex: on a grid,
/// chords bound it from above and tangents from below. Once the recursion adds nearly the same amount at every node in
/// every step, the smallest and the largest of these amounts bound all the steps that are left.
///
/// Source: derived here (derived-3), docs/theory/kan-correlated-noise/privacy.md.
#pragma once

#include <string>

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/models/strategy_matrix.hpp>

namespace dpcurves::correlated {

/// The highest order of transfer_renyi: its grid has one dimension per copy.
inline constexpr double highest_transfer_order = 4.0;

/// D_order(P || Q) in nats.
///
/// \param lambda  in [0, 1). \param steps  a whole number in [1, 1e15]. \param sampling_rate  in (0, 1].
/// \param noise_multiplier  > 0. \param order  2, 3 or 4.
/// \param relative_width  at which the grid is no longer refined; reached where time permits.
/// \throws DomainError  outside. Relative width at 400 steps about 1e-4 (order 2), 1e-3 (order 3), 1e-2 (order 4);
/// infinite upper ends past the largest double. Where steps and 1/(1 - lambda) both exceed about 5000 (order 2), 1000
/// (order 3) or 300 (order 4), the upper end is that of participation in all steps. Cost: up to about 2 s.
[[nodiscard]] Enclosure transfer_renyi(double lambda, double steps, double sampling_rate, double noise_multiplier,
                                       double order, double relative_width = 1e-5);

/// A Renyi divergence with what it rests on.
struct PairRenyi {
  Enclosure value;     ///< both certified ends; `lower` is 0 where only the upper end is known
  std::string method;  ///< in words for the reader: how the ends were found
};

/// D_order(P || Q) of the pair with multiples (1, 0), the best of what is known here: exact where participations can be
/// enumerated or noise is independent, transfer_renyi up to order 4, above it derived-3. A strategy that is neither
/// lambda-CGD nor enumerated has an upper end only, that of the lambda-CGD that dominates it.
/// \param order  an integer from 2 to 1e7. \throws DomainError  as transfer_renyi. Cost: up to about 3 s.
[[nodiscard]] PairRenyi remove_renyi(const models::StrategyMatrix& strategy, double sampling_rate,
                                     double noise_multiplier, double order);

}  // namespace dpcurves::correlated
