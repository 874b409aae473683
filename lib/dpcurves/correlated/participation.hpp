// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// How far one record moves the encoded sums of a strategy matrix when it takes part by a rule instead of at random.
///
/// The record takes part in the steps of a set pi that the rule allows, each time with a vector of norm at most 1, in
/// any direction, chosen after all earlier releases. With G = C'C the sensitivity is
///
///     max over pi and unit vectors u of sqrt(sum over s, t in pi of G_st <u_s, u_t>) <= max over pi of
///     sqrt(sum of |G_st|),
///
/// with equality, at equal vectors, where G has no negative entry. Noise kappa C^{-1} Z then is sensitivity/kappa-GDP
/// for a record that is zeroed out, and twice that for one that is replaced.
///
/// Source: derived here, docs/theory/kan-correlated-noise/strategies.md. The rules are those of Choquette-Choo,
/// McMahan, Rush and Thakurta, "Multi-epoch matrix factorization mechanisms for private machine learning" (2023); the
/// worst set of a monotone Toeplitz matrix is that of Kalinin and Lampert, "Banded square root matrix factorization
/// for differentially private model training" (2024).
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/models/strategy_matrix.hpp>

namespace dpcurves::correlated {

/// Which sets of steps are allowed.
enum class ParticipationRule {
  single,         ///< one step
  cyclic,         ///< i, i + b, i + 2 b, ... for some i < b, the first k of them: epochs in a fixed order
  min_separation  ///< at most k steps, any two at least b apart
};
[[nodiscard]] std::string_view name(ParticipationRule rule);  ///< "min-separation"
/// \throws DomainError  for a name that is not one of the above.
[[nodiscard]] ParticipationRule participation_rule_of(std::string_view name);

/// A rule with its numbers.
struct ParticipationPattern {
  ParticipationRule rule = ParticipationRule::single;  ///< which sets
  std::size_t separation = 1;                          ///< b >= 1; not used by single
  std::size_t most = 1;                                ///< k >= 1; not used by single

  /// The most participations that fit in so many steps.
  [[nodiscard]] std::size_t participations(std::size_t steps) const;
};

/// Between its ends, with a set that attains the lower one at equal vectors.
struct PatternSensitivity {
  Enclosure value;                 ///< lower is attained, upper is promised
  bool exact = false;              ///< whether the ends differ by rounding only
  std::vector<std::size_t> steps;  ///< the set, ascending, from 0
};

/// The sensitivity under a rule. Exact for: single; monotone Toeplitz matrices; cyclic with G >= 0; min_separation
/// where all columns are zero b rows below their diagonal. Otherwise the upper end of min_separation adds, for the best
/// set, what each member could at most meet; of long Toeplitz matrices it is that of the least monotone one above.
/// \param entry_error  relative error of the entries of C, a nonnegative matrix; both ends move out by it.
/// \throws DomainError  for a separation or a number of participations of 0, or another matrix of more than 4096 steps
/// and a band wider than the separation.
/// Accuracy: rounding is in the ends; relative width 1e-10 where exact. Cost: O(steps) for monotone Toeplitz matrices,
/// O(steps bandwidth most) for cyclic, O(steps^2 (bandwidth + most)) otherwise.
[[nodiscard]] PatternSensitivity pattern_sensitivity(const models::StrategyMatrix& strategy,
                                                     const ParticipationPattern& pattern, double entry_error = 0.0);

/// The largest sum of `values` over a set of at most `most` places, any two at least `separation` apart, and the set.
/// Places with negative values are never taken. Cost: O(size), times `most` where that restricts.
struct BestPlaces {
  double sum = 0.0;                 ///< of the values at the places
  std::vector<std::size_t> places;  ///< ascending
};
/// \throws DomainError  unless separation and most are positive.
[[nodiscard]] BestPlaces best_places(const std::vector<double>& values, std::size_t separation, std::size_t most);

}  // namespace dpcurves::correlated
