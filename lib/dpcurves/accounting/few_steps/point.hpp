// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// One point of the profile of a composition, and what needs no inversion to know of it. Internal.
#pragma once

#include <string>

#include <dpcurves/accounting/few_steps/contour.hpp>
#include <dpcurves/accounting/few_steps/transform.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting::detail {

/// The profile at one threshold epsilon >= 0, all ends certified.
struct Point {
  Enclosure delta{0.0, 1.0};            ///< delta(epsilon)
  Enclosure one_minus_delta{0.0, 1.0};  ///< its complement, with its own digits where delta is near 1
  Enclosure type_one_error{0.0, 1.0};   ///< P(loss > epsilon) under the null
  Enclosure power{0.0, 1.0};            ///< P(loss > epsilon) under the alternative
  Enclosure type_two_error{0.0, 1.0};   ///< 1 - power, with its own digits
  double log_delta = 0.0;               ///< log of the point estimate of delta, finite where delta underflows
  double log_width = 0.0;               ///< relative half width of delta, also where delta underflows
  double slope = 0.0;                   ///< -d log delta / d epsilon = e^epsilon type_one_error / delta, an estimate
  double density = 0.0;                 ///< d type_one_error / d epsilon = -density, an estimate
  std::string method;                   ///< "contour", "lattice", "closed form", ...
};

/// What is known of a pair at both signs of epsilon.
[[nodiscard]] Point mirrored(const Point& point, double epsilon);

/// The values of a contour as a Point. `expanded`: add atoms and single jumps.
[[nodiscard]] Point point_of(const Transform& transform, const ContourValues& values, double c, double epsilon,
                             bool expanded, const char* method);

/// The narrower of the ends of two points. \throws ContradictionError if they do not meet.
[[nodiscard]] Point meet(const Point& a, const Point& b);

/// 1 - a, rounded outward, within [0, 1].
[[nodiscard]] Enclosure complement(const Enclosure& a);

/// log_delta, log_width, slope and density from the ends of the enclosures.
void estimate_from_ends(Point& point, double epsilon);

/// A Gaussian alone, nothing at all, or one subsampled step.
[[nodiscard]] bool has_closed_form(const Transform& transform);
/// That closed form, for a transform that has one. \param epsilon  >= 0.
[[nodiscard]] Point closed_form(const Transform& transform, double epsilon);

/// Ends that cost no more than some special functions: Chernoff bounds at every c whose K(c) is known already, the
/// sum of total variations, the Gaussian composition that is less private, and from below the most telling single part
/// and the chance of exactly one jump. \param epsilon >= 0.
[[nodiscard]] Point certain_bounds(const Transform& transform, double epsilon);

/// Ends of epsilon(delta) by the same means; the upper end may be infinite.
[[nodiscard]] Enclosure certain_epsilon(const Transform& transform, double delta);

}  // namespace dpcurves::accounting::detail
