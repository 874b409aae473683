// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// About where a sum of losses has a delta, by the saddle point of its moments: for planning, proves nothing. Internal.
///
/// delta(epsilon) is 1 / (2 pi i) times the integral of e^{K(z) - z epsilon} / (z (z + 1)), K the log of the moments of
/// the losses under the first law. At the saddle point c the logarithm of what is integrated is least on the real line.
#pragma once

#include <functional>
#include <span>

namespace dpcurves::accounting::detail {

/// log of a moment, or of a product of them, and its derivatives in the order.
struct Cumulants {
  double value = 0.0;   ///< the logarithm
  double first = 0.0;   ///< the mean of the tilted law
  double second = 0.0;  ///< its variance
};
/// Of the law with masses e^{log_mass} at the losses. Shapes (n), n > 0. Cost: n exponentials.
[[nodiscard]] Cumulants cumulants_of(std::span<const double> loss, std::span<const double> log_mass, double order);

/// A threshold and its saddle point.
struct SaddlePoint {
  double c = 1.0;          ///< the order, in [6e-6, 1.2e6]
  double epsilon = 0.0;    ///< the threshold
  double width = 1.0;      ///< root of the curvature there
  double log_delta = 0.0;  ///< about the logarithm of delta
};
/// About delta at a threshold, from the cumulants at the order c.
[[nodiscard]] SaddlePoint saddle_at(const Cumulants& cumulants, double c, double epsilon);
/// Cumulants at an order.
using CumulantsAt = std::function<Cumulants(double)>;
/// The order of a threshold's saddle point. \param guess  of it. Cost: five to ten cumulants.
[[nodiscard]] double saddle_order(const CumulantsAt& cumulants, double epsilon, double guess);
/// Where delta is e^{log_delta} within 2 %, as saddle points say: at a negative threshold, if it is there.
[[nodiscard]] SaddlePoint saddle_of_delta(const CumulantsAt& cumulants, double log_delta, double guess);

}  // namespace dpcurves::accounting::detail
