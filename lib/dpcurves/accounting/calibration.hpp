// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The parameter of an algorithm at which its guarantee just meets (epsilon, delta), in a handful of evaluations.
///
/// Each trial gives delta at the target's epsilon; m, the mu of the Gaussian mechanism with that delta there, turns it
/// into a number that is close to a power of the parameter: for the Gaussian mechanism itself log m is linear in the
/// logarithm of the noise and of the number of steps. The secant rule on these logarithms, held within the certified
/// bracket, needs about five trials where bisection needs forty.
#pragma once

#include <functional>
#include <limits>
#include <optional>

#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting {

/// How a parameter acts on privacy, and where it is looked for.
struct Parameter {
  double lowest = 0.0;                                       ///< the search is in [lowest, highest]
  double highest = std::numeric_limits<double>::infinity();  ///< infinity is tried too, for whole numbers
  bool whole = false;                                        ///< whole numbers only
  bool more_is_private = false;                              ///< a larger value is more private, as for noise
};

/// What the guarantee has to meet, and how near to it a search must come.
struct CalibrationTarget {
  double epsilon = 1.0;           ///< >= 0
  double delta = 1e-5;            ///< in (0, 1)
  double tolerance = 1e-12;       ///< relative distance from the boundary at which a real value is good enough
  std::optional<double> guess{};  ///< where to start; any value is allowed, a good one saves trials
};

/// delta at the target's epsilon for one value of the parameter; empty where the theorem does not apply or nothing is
/// certified, which counts as not met. `relative` is the width that is of use.
using TrialDelta = std::function<std::optional<Enclosure>(double value, double relative)>;

/// What a search found.
struct Calibration {
  std::optional<double> value;  ///< the boldest value that is certainly safe; infinite: unlimited; empty: none is safe
  int trials = 0;               ///< how often delta was evaluated
};

/// Searches [lowest, highest] (infinity is tried for whole numbers) for the boundary between safe and not.
///
/// The value is safe: delta.upper <= target.delta was seen at it. It is within the tolerance of where that ends to hold,
/// or, where delta has fewer digits than were asked for, within four widths of its brackets; brackets much wider are gaps
/// between theorems, and upper ends alone count. A whole number was seen to fail at the next.
/// \throws DomainError  unless the target is in its range. Monotonicity is trusted.
[[nodiscard]] Calibration calibrate(const TrialDelta& delta, const Parameter& parameter,
                                    const CalibrationTarget& target);

}  // namespace dpcurves::accounting
