// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The likelihood ratio of a Gaussian mixture with means multiple |C| y, y independent participations, against noise
/// alone, without the sum over 2^T participations.
///
/// The means are a function of a state that is updated step by step, so the sum is a forward recursion over states:
///
/// - any C of up to 16 steps: all participations, exact;
/// - C of bandwidth b: the last b - 1 participations, exact, 2^(b-1) states;
/// - lambda-CGD: the state is the scalar x_t = lambda x_{t-1} + y_t, kept on a grid {lambda^o f_i} that multiplication
///   by lambda maps into itself, so that only participations round. Rounded up at every step (or down), the chain has
///   means at least (at most) the true ones for every y, and its mixtures dominate (are dominated by) the true ones.
///
/// The points f_i of one octave [1, 1/lambda) are uniform in the logarithm, for lambda <= 0.7 with half as many more
/// crowded towards 1, where the state lands after a long absence. Below a thousandth an octave has one point.
///
/// Source: derived here, docs/theory/kan-correlated-noise/privacy.md (Lemma A, rounding).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <dpcurves/models/strategy_matrix.hpp>

namespace dpcurves::correlated {

/// Which way participations are rounded on the grid of lambda-CGD: up dominates the true pair, down is dominated.
enum class Rounding { up, down, nearest };

/// Immutable; may be used from several threads.
class ParticipationChain {
 public:
  ParticipationChain() = default;
  ParticipationChain(const ParticipationChain&) = delete;
  ParticipationChain& operator=(const ParticipationChain&) = delete;
  virtual ~ParticipationChain() = default;

  [[nodiscard]] virtual std::size_t steps() const = 0;  ///< T, the length of the vectors below
  /// Whether the means are those of |C| y without rounding.
  [[nodiscard]] virtual bool exact() const = 0;
  [[nodiscard]] virtual std::size_t states() const = 0;  ///< of the recursion
  /// What one log_ratio costs, in units of about 2 ns: steps times states of a recursion. The same on every machine.
  [[nodiscard]] virtual double work() const { return static_cast<double>(steps()) * static_cast<double>(states()); }
  /// The means along the participations y (0 or 1), both of shape (steps).
  virtual void means(std::span<const std::uint8_t> participations, std::span<double> result) const = 0;
  /// log E_y exp((multiple <a, z> - multiple^2 |a|^2/2)/kappa^2), a the means along y.
  ///
  /// \param z  shape (steps). \param rate  of participation, in [0, 1]. \param noise_multiplier  kappa > 0.
  /// Accuracy: absolute 1e-7. Cost: about 2 ns times work().
  [[nodiscard]] virtual double log_ratio(std::span<const double> z, double rate, double noise_multiplier,
                                         double multiple) const = 0;
};

/// Shared between the estimates of one strategy.
using ChainPtr = std::shared_ptr<const ParticipationChain>;

/// Whether the strategy has a recursion: up to 16 steps, a bandwidth of at most 14, or lambda-CGD with lambda < 1.
[[nodiscard]] bool has_participation_chain(const models::StrategyMatrix& strategy);

/// Whether it has one without enumerating participations.
[[nodiscard]] bool has_recursion(const models::StrategyMatrix& strategy);

/// \param resolution  of the grid of lambda-CGD: the largest relative rounding of a participation, in [1e-4, 1].
/// \param enumerate   whether strategies of up to 16 steps are enumerated; false forces the recursion.
/// \throws DomainError  for a strategy without a recursion: more than 16 steps, bandwidth above 14, not lambda-CGD.
[[nodiscard]] ChainPtr participation_chain(const models::StrategyMatrix& strategy, Rounding rounding,
                                           double resolution = 0.01, bool enumerate = true);

}  // namespace dpcurves::correlated
