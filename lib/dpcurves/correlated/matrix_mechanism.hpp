// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A subsampled matrix mechanism, and which bounds speak of it.
///
/// Step t releases (C G)_t + noise in the equivalent form G + C^{-1} Z, where row t of G is the sum of the clipped
/// gradients of a batch, in units of the clipping norm. Gradients may depend on earlier releases; all are published.
///
/// Samplings and adjacencies are those of accounting/dp_sgd.hpp with theorems here: poisson with every adjacency,
/// fixed_size with zero_out and replace_one.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/assumption.hpp>
#include <dpcurves/correlated/mixture_pair.hpp>
#include <dpcurves/models/strategy_matrix.hpp>

namespace dpcurves::correlated {

/// A mechanism whose releases are all published, and what one record may change.
struct MatrixMechanism {
  models::StrategyMatrix strategy = models::StrategyMatrix::exponential(0.0, 1);  ///< C, with one row per step
  double sampling_rate = 1.0;                                                     ///< r in (0, 1]
  double noise_multiplier = 1.0;                                                  ///< kappa > 0
  mechanism::Sampler sampling = mechanism::Sampler::poisson;                      ///< how the batches are drawn
  mechanism::Adjacency adjacency = mechanism::Adjacency::add_or_remove;           ///< which data sets are neighbours
};

/// The ways to bound it.
enum class Method {
  closed_form,         ///< Theorem F.12, lambda-CGD only
  same_batch,          ///< derived-1
  participation_mean,  ///< derived-4: derived-1 with the mean over participations
  composition,         ///< independent noise only: the exact pair of one step (Theorem F.8; derived-2), composed
  mixture,             ///< derived-3: certified bound of the pair of all steps
  likelihood           ///< the pair of all steps by Monte Carlo: an estimate
};

/// All but the estimate, in the order in which they are shown.
inline constexpr std::array certified_methods{Method::closed_form, Method::same_batch, Method::participation_mean,
                                              Method::composition, Method::mixture};

/// The pair of all steps in one order.
struct DirectedPair {
  std::string direction;    ///< "remove", "add", or "both" where the two are equal
  MeanMultiples multiples;  ///< means of the two laws of the pair, in that order
};

/// The orders that the adjacency asks for; a mechanism is as private as the worst of them. Empty for a sampling and an
/// adjacency without a theorem.
[[nodiscard]] std::vector<DirectedPair> directed_pairs(const MatrixMechanism& mechanism);

/// How far one record moves a sum: 1, or 2 where it is replaced.
[[nodiscard]] double record_sensitivity(const MatrixMechanism& mechanism);

/// Independent noise as DP-SGD of accounting/dp_sgd.hpp.
[[nodiscard]] accounting::DpSgd independent_steps(const MatrixMechanism& mechanism);

/// The hypotheses of a method that fail; it applies if there are none.
/// \throws DomainError  if a number of the mechanism is outside its range.
[[nodiscard]] std::vector<Violation> violations(const MatrixMechanism& mechanism, Method method);

}  // namespace dpcurves::correlated
