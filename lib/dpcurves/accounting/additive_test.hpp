// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Threshold tests on a statistic that adds up over the steps: lower ends for samplers whose likelihood ratio does not.
///
/// A record takes part in a random set of the steps; a step without it is N(0, 1), one with it N(1/Z, 1). The sum over
/// the steps of log(1 - q + q exp(x/Z - 1/(2 Z^2))), the likelihood ratio of Poisson sampling at rate q, depends on the
/// set through its size alone. Where another record stands in the place, with the opposite gradient, the ratio is that
/// to the same with -x. Every test gives delta >= P(test) - e^epsilon Q(test), whatever q and the threshold are.
///
/// The statistic is cut into cells of equal height, which is a statistic too: its law is a lattice law, and a tilted
/// Fourier transform gives both probabilities with known rounding. What the cells lose falls with their square.
///
/// Source: derived in this project, docs/theory/accountant/positions.md.
#pragma once

#include <optional>
#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/accounting/subsampled_renyi.hpp>

namespace dpcurves::accounting {

/// Who is tested, and by what.
struct AdditiveTest {
  double steps = 1.0;               ///< a whole number from 1 to 1e8
  double fewest = 1.0;              ///< the least number of steps that the record is in
  std::vector<double> probability;  ///< of fewest, fewest + 1, ...: at most 1 together; what lacks counts as no test
  double noise_multiplier = 1.0;    ///< Z in [0.1, 1e4]
  double rate = 0.5;                ///< q in (0, 1)
  double epsilon = 0.0;             ///< in [0, 700]
  Direction direction = Direction::remove;  ///< remove: above the threshold; add: below it
  std::optional<double> threshold{};        ///< the best one if empty
  bool replaced = false;  ///< the other run has steps N(-1/Z, 1) where this one has N(1/Z, 1); direction remove
};

/// What the test shows.
struct AdditiveTestResult {
  double delta_lower = 0.0;          ///< certified
  double threshold = 0.0;            ///< of the statistic: the test is above it for remove, below it for add
  double probability_with = 0.0;     ///< of the test, with the record
  double probability_without = 0.0;  ///< and without it, or with the other
};

/// \param most_points  of the lattice, a power of 2 from 2^14 to 2^23: fewer are faster and lose more.
/// \throws DomainError  for values outside the ranges.
/// Accuracy: both probabilities to a relative 1e-7 up to 1e4 steps at 2^23 points; the lower end is certified whatever
/// the loss. Cost: 1 s per 2^22 points.
[[nodiscard]] AdditiveTestResult additive_test(const AdditiveTest& test,
                                               std::size_t most_points = std::size_t{1} << 23U);

/// The largest epsilon that one threshold shows at `delta`: log((P(test) - delta)/Q(test)), certified; 0 if none does.
/// \param guess  where it may lie: tilts are set for it, and again for what was found. test.epsilon and test.threshold
/// are not used. \param delta  in (0, 1). \throws DomainError  as above.
/// Accuracy: a relative 1e-3 below the best threshold's epsilon up to 1e5 steps. Cost: about twice that of a test.
[[nodiscard]] double additive_epsilon(AdditiveTest test, double delta, double guess,
                                      std::size_t most_points = std::size_t{1} << 16U);

/// The law of the number of steps that a record is in, with k of t steps in each of E epochs: one number.
[[nodiscard]] AdditiveTest allocation_test(double chosen, double steps, double epochs, double noise_multiplier);

/// Participation with minimum separation: a record that is free takes part with probability p, and then not for b - 1
/// steps.
struct MinimumSeparation {
  double steps = 1.0;          ///< T, a whole number from 1 to 1e6
  double sampling_rate = 0.1;  ///< p in (0, 1]
  double separation = 1.0;     ///< b, a whole number from 1 to steps
  bool warm_start = true;      ///< the first step is as any later one; otherwise all records are free there

  /// p / (1 + (b - 1) p), that of one step after a warm start.
  [[nodiscard]] double marginal_rate() const;
  /// Of 0, 1, ..., ceil(T/b) participations, to 1e-12. Less than 1e-40 far below the mean is left out, less than 1e-60
  /// far above it counts as ceil(T/b). Cost: T/b binomial tails at most, and T steps.
  [[nodiscard]] std::vector<double> participations() const;
};

}  // namespace dpcurves::accounting
