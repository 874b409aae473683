// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The mean of the same-batch bound over the participations, between certified ends.
///
/// derived-1 ends in E_y delta_G(f sqrt(S)/kappa; epsilon), S = || |C| y ||^2, y independent with probability r. The
/// sum over numbers of participations supposes that they come one after the other; the mean does not. It is carried by
/// a Markov chain of a state and of the part of S so far: for lambda-CGD the state is x <- lambda x + y, for a band the
/// last participations. As a function of x and S the expectation of an increasing convex function of the final S is
/// convex and increasing. Hence a mass may be split between grid points with its mean for an upper bound, and masses of
/// a cell may be merged into their mean for a lower bound: both errors are of second order in the mesh. delta_G is
/// convex in S up to 2 (sqrt(1 + epsilon^2) - 1) kappa^2/f^2 and concave beyond: there a tangent takes its place.
///
/// Source: derived here (derived-4), docs/theory/kan-correlated-noise/strategies.md.
#pragma once

#include <cstddef>
#include <vector>

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/models/strategy_matrix.hpp>

namespace dpcurves::correlated {

/// E_y delta_G(f || |C| y || / kappa; epsilon) for one strategy, any noise and any epsilon.
class ParticipationMean {
 public:
  static constexpr const char* id = "kan-correlated-noise/derived-4";  ///< of the catalogue
  static constexpr std::size_t most_steps = 4000;                      ///< of a strategy
  static constexpr std::size_t most_bandwidth = 10;                    ///< of one that is not lambda-CGD

  /// Whether there is a chain: lambda-CGD with lambda < 1 or a band of at most 10, at most 4000 steps.
  [[nodiscard]] static bool applies(const models::StrategyMatrix& strategy);

  /// \param sampling_rate  r in (0, 1]. \param sensitivity  f > 0. \param refinement  of the mesh, in [0.25, 8].
  /// \throws DomainError  outside, or where applies() is false.
  /// Cost: about 0.1 s at 400 steps; grows as steps^1.5, as refinement^2, for bands as 2^bandwidth.
  ParticipationMean(const models::StrategyMatrix& strategy, double sampling_rate, double sensitivity,
                    double refinement = 1.0);

  /// Both ends are proved. \param epsilon  >= 0. \param noise_multiplier  > 0. \throws DomainError outside.
  /// Relative width about 0.02 where the mean is above 1e-12; far wider where most of S lies beyond the convex part,
  /// at epsilon near 0. Cost: 10 ms.
  [[nodiscard]] Enclosure delta(double epsilon, double noise_multiplier) const;
  /// The upper end in doubles, for searches. Accuracy: relative 1e-9. Cost: 2 ms.
  [[nodiscard]] double estimate(double epsilon, double noise_multiplier) const;
  /// A noise multiplier whose delta(...).upper is at most `delta`, the least of a relative 1e-9.
  /// \param delta  in (0, 1). \throws DomainError outside. Cost: 30 estimates, and delta() once or twice.
  [[nodiscard]] double sufficient_noise(double epsilon, double delta) const;
  /// The noise multiplier at which the mean is `delta`: `upper` provably meets it, `lower` provably does not.
  /// \param delta  in (0, 1). \throws DomainError outside. Cost: sufficient_noise(), and delta() ten times.
  [[nodiscard]] Enclosure noise_multiplier(double epsilon, double delta) const;

  /// A value of S and the chance of it.
  struct Atom {
    double square = 0.0;  ///< S
    double chance = 0.0;  ///< its mass
  };
  /// A law above that of S in the increasing convex order, but for escaped().
  [[nodiscard]] const std::vector<Atom>& above() const { return above_; }
  /// A law below it, of a mass less than 1.
  [[nodiscard]] const std::vector<Atom>& below() const { return below_; }
  /// The mass that left the grid of above().
  [[nodiscard]] double escaped() const { return escaped_; }

 private:
  double sensitivity_;
  double largest_square_;  ///< of any participations, in the units of S
  double farthest_;        ///< an upper end of S for what escaped
  std::vector<Atom> above_, below_;
  double escaped_ = 0.0;
};

}  // namespace dpcurves::correlated
