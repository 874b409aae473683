// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A record that stands in one of t positions, drawn uniformly: P = (1/t) sum_i N(m e_i, I_t) against
/// Q = (1/t) sum_i N(n e_i, I_t), m the mean of its position under P and n that under Q.
///
/// delta(epsilon) = (1/t) E (sum_i h(z_i))_+ with z_i standard normal and
/// h(z) = exp(m z - m^2/2) - e^epsilon exp(n z - n^2/2). The positive part of a sum of independent variables is convex
/// and increasing in each: laws of h that are larger or smaller in that order, moved to a lattice, give the two ends. A
/// single position far out decides alone, so the event max z_i > z0 is taken exactly, and what it loses is bounded.
///
/// The pair is that of balls in bins at m = sqrt(sum of uses / Z^2): n = 0 where the record is removed, n = -m where it
/// is replaced; with (2/Z, 1/Z) it is attained by a shuffled epoch.
///
/// Source: derived in this project, docs/theory/accountant/positions.md. The event max z_i > z0: Chua et al. (2024).
#pragma once

#include <dpcurves/accounting/privacy_curve.hpp>

namespace dpcurves::accounting {

/// The pair.
struct OnePosition {
  double positions = 1.0;  ///< t, a whole number from 1 to 1e7
  double mean = 1.0;       ///< m in [-12, 12]
  double null_mean = 0.0;  ///< n in [-12, 12]
};

/// delta(epsilon), both ends certified. \param epsilon  in [-100, 200].
/// \throws DomainError  for values outside the ranges.
/// Accuracy: relative width below 1e-3 for t up to 1e4, |m - n| up to 2 and delta > 1e-12; usually 1e-5.
/// Cost: 0.03 s to 0.5 s.
[[nodiscard]] Enclosure one_position_delta(const OnePosition& pair, double epsilon);
/// About that, unproved: an upper end, usually by less than a hundredth. Cost: 0.005 s.
[[nodiscard]] double one_position_estimate(const OnePosition& pair, double epsilon);

/// The test by the largest output.
struct LargestTest {
  Enclosure delta;         ///< P(max > threshold) - e^epsilon Q(max > threshold), at least 0
  double threshold = 0.0;  ///< where it is largest; of the smallest output, negated, if m < n
};

/// The best threshold. A lower end of one_position_delta(); certified at the threshold returned. About 1 ms.
/// \throws DomainError  as above.
[[nodiscard]] LargestTest largest_test(const OnePosition& pair, double epsilon);

/// The guarantee as a curve. Answers beside delta() rest on a table of delta() that is made once, about a minute of
/// work at worst. Both ends are certified; Renyi divergences are upper bounds by those of N(m - n, 1).
/// \throws DomainError  as above.
[[nodiscard]] CurvePtr one_position_curve(const OnePosition& pair);

}  // namespace dpcurves::accounting
