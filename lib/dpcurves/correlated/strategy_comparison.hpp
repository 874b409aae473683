// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Strategies at one privacy target: the noise that each needs, and what becomes of it.
///
/// By a participation rule the mechanism is sensitivity/kappa-GDP (participation.hpp). Where C has p bands and records
/// are split into b >= p groups that take turns, each a Poisson sample at rate q (cyclic Poisson sampling), a record
/// meets ceil(T/b) steps whose encoded contributions share no row: the run is dominated by the composition of as many
/// steps of DP-SGD at rate q and noise multiplier kappa over the norm of the record's column, and attains it where C
/// has no negative entry.
///
/// Source: derived here, docs/theory/kan-correlated-noise/strategies.md; cyclic Poisson sampling is that of
/// Choquette-Choo et al., "(Amplified) banded matrix factorization: a unified approach to private training" (2023).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/correlated/strategies.hpp>
#include <dpcurves/mechanism/adjacency.hpp>

namespace dpcurves::correlated {

/// Cyclic Poisson sampling of a banded strategy.
struct CyclicPoisson {
  std::size_t groups = 1;      ///< b: each record may take part in every b-th step
  double sampling_rate = 1.0;  ///< q in (0, 1], of a record in the turns of its group
};

/// The guarantee of noise kappa C^{-1} Z under a participation rule, for a record zeroed out or replaced.
/// \param noise_multiplier  kappa > 0. \throws DomainError  outside, or as pattern_sensitivity.
[[nodiscard]] accounting::Guarantee pattern_guarantee(const Strategy& strategy, const ParticipationPattern& pattern,
                                                      double noise_multiplier, mechanism::Adjacency adjacency);

/// The same under cyclic Poisson sampling, with every adjacency that Poisson sampling has. A band wider than the number
/// of groups is a violation. The lower ends are those of the group whose columns are longest, hence of the mechanism.
[[nodiscard]] accounting::Guarantee cyclic_poisson_guarantee(const Strategy& strategy, const CyclicPoisson& sampling,
                                                             double noise_multiplier, mechanism::Adjacency adjacency,
                                                             const accounting::Accuracy& accuracy = {});

/// What is compared, and where.
struct StrategyQuestion {
  StrategySearch search{};                                          ///< steps, rule and the error that is least
  double epsilon = 1.0;                                             ///< of the target, > 0
  double delta = 1e-6;                                              ///< of the target, in (0, 1)
  mechanism::Adjacency adjacency = mechanism::Adjacency::zero_out;  ///< zero_out or replace_one
  double epochs = 1.0;           ///< passes over the data; sets the rate of cyclic Poisson sampling
  double step_curvature = 0.01;  ///< step size times curvature of the quadratic of `risk`, in (0, 2)
};

/// One strategy at the target.
struct StrategyAnswer {
  std::string name;                         ///< "band-mf", "tree-honaker", "band-mf, sampled"
  std::optional<Strategy> strategy{};       ///< empty for trees
  std::string parameters{};                 ///< in words
  PatternSensitivity sensitivity{};         ///< of the rule; of one participation with sampling
  Enclosure noise_multiplier{};             ///< kappa between its ends: meets the target, and does not
  StrategyError error{};                    ///< deviations of the running sums at the upper end, over the clipping norm
  std::optional<double> risk{};             ///< of the last iterate, see last_iterate_risk; empty for trees
  std::optional<CyclicPoisson> sampling{};  ///< where the batches are drawn
};

/// Excess risk of the last iterate of gradient descent with the strategy's noise on a quadratic of curvature a, started
/// at its minimum, per coordinate and in units of C^2/(2 a), C the clipping norm: the exact variance of the linear
/// recursion x_t = (1 - s) x_{t-1} - (step size) noise_t, s the step size times a.
/// \param step_curvature  s in (0, 2). \throws DomainError outside. Accuracy: relative 1e-11. Cost: O(steps).
[[nodiscard]] double last_iterate_risk(const Strategy& strategy, double noise_multiplier, double step_curvature);

/// The names that compare() knows, in the order of its table.
[[nodiscard]] std::vector<std::string> strategy_names();

/// One of the strategies by name: those of strategies.hpp, tree, tree-honaker, and sampled: dp-sgd and band-mf-sampled
/// with cyclic Poisson sampling at the rate that gives the epochs asked for, the latter with the best of some bands.
/// \throws DomainError  for another name, or a question outside its ranges.
/// Cost: that of the search; 0.5 to 6 s per width tried for those with sampling, the longest where rates are small.
[[nodiscard]] StrategyAnswer compare(const std::string& name, const StrategyQuestion& question);

}  // namespace dpcurves::correlated
