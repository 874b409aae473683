// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// An interval that holds the truth.
///
/// The ends come from ball arithmetic or from directed rounding. Where an error is only estimated, the result is an
/// Estimate (core/estimate.hpp), or its header says so.
///
/// Every function here throws ContradictionError rather than return an interval with an end that is not a number.
#pragma once

namespace dpcurves {

/// The truth lies in [lower, upper]. Ends may be infinite; neither is ever NaN.
struct Enclosure {
  double lower = 0.0;  ///< at most the truth, rounded down
  double upper = 0.0;  ///< at least the truth, rounded up: the end that is promised where less is better

  /// Half way between the ends; the finite end where the other is infinite.
  [[nodiscard]] double middle() const;
  /// upper - lower, rounded up.
  [[nodiscard]] double width() const;
  /// Width over the larger magnitude of the ends; 0 for a point, infinity if an end is infinite.
  [[nodiscard]] double relative_width() const;
  /// Whether `value` is one of the interval's numbers; false for NaN.
  [[nodiscard]] bool contains(double value) const { return lower <= value && value <= upper; }

  friend bool operator==(const Enclosure&, const Enclosure&) = default;
};

/// The interval of one exactly known number.
[[nodiscard]] Enclosure exactly(double value);

/// [value - absolute, value + absolute], rounded outward. \throws DomainError unless absolute >= 0.
[[nodiscard]] Enclosure around(double value, double absolute);

/// Both ends moved outward by the relative amount `relative` >= 0 of their size and to the next double.
[[nodiscard]] Enclosure outward(Enclosure interval, double relative);

/// Both ends held within [lowest, highest]; the caller knows that the truth lies there.
[[nodiscard]] Enclosure clamp(Enclosure interval, double lowest, double highest);

/// The interval of numbers in both. \throws ContradictionError if there are none: the two ways of computing the
/// same quantity contradict each other.
[[nodiscard]] Enclosure intersection(const Enclosure& a, const Enclosure& b);

/// Interval sum and product with a nonnegative number, rounded outward. 0 times infinity is 0.
[[nodiscard]] Enclosure operator+(const Enclosure& a, const Enclosure& b);
[[nodiscard]] Enclosure scale(const Enclosure& a, double factor);  ///< a times factor. \param factor  >= 0.

/// The next double above or below; infinities stay.
[[nodiscard]] double next_up(double value);
[[nodiscard]] double next_down(double value);  ///< The next double below.

}  // namespace dpcurves
