// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The axes of a plot: what they show, from where to where, and their part of a gnuplot script.
#pragma once

#include <limits>
#include <string>

#include <dpcurves/io/plot.hpp>

namespace dpcurves::io {

/// Whether an axis can show a value: finite, and above 0 on a logarithmic one. O(1).
[[nodiscard]] bool drawable(double value, const Axis& axis);

/// The least and the largest value; nothing yet if they are in the other order.
struct Extent {
  double lowest = std::numeric_limits<double>::infinity();    ///< of the values seen
  double highest = -std::numeric_limits<double>::infinity();  ///< likewise
  /// Widens to a value, if the axis can show it.
  void see(double value, const Axis& axis);
};

/// What lies on both axes; the lowest value also replaces the foot of an error bar that a logarithmic axis has not.
struct Extents {
  Extent x;  ///< across
  Extent y;  ///< up
};

/// Of all series. \throws DomainError  if there is no point to draw. O(points).
[[nodiscard]] Extents extents(const Plot& plot);

/// The ends of an axis: as asked, else a margin beyond the data. O(1).
[[nodiscard]] Extent range_of(const Axis& axis, const Extent& extent);

/// A value as a share of its axis: 0 at the lower end, 1 at the upper one. O(1).
[[nodiscard]] double share(double value, const Axis& axis, const Extent& range);

/// Label, range, scale and ticks. \param name  "x" or "y". O(1).
[[nodiscard]] std::string axis_script(const std::string& name, const Axis& axis, const Extent& extent);

}  // namespace dpcurves::io
