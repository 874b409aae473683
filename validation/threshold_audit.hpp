// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Threshold tests of two samples against a claimed trade-off function, with exact intervals.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <dpcurves/inference/tradeoff_estimate.hpp>

#include "validation/case.hpp"
#include "validation/finite_pair.hpp"

namespace dpcurves::validation {

using Points = std::vector<inference::TradeoffPoint>;

/// Standard normals of one case: `number` keeps cases and uses apart.
[[nodiscard]] std::vector<double> normal_sample(const Setting& setting, std::uint32_t number, std::size_t count);
/// Uniforms of one case, from the `first` of its sequence on.
[[nodiscard]] std::vector<double> uniform_sample(const Setting& setting, std::uint32_t number, std::size_t count,
                                                 std::uint64_t first = 0);

/// With the signs changed: for tests that reject small values.
[[nodiscard]] std::vector<double> negated(std::vector<double> values);

/// The type II errors that delta(epsilon) <= delta allows, for every epsilon of the table: the highest of its lines
/// 1 - delta - e^epsilon alpha, and 0.
[[nodiscard]] Curve allowed_by(std::map<double, double> deltas);
/// The same for delta at 0, 0.125, ..., most.
[[nodiscard]] Curve allowed_by(const std::function<double(double epsilon)>& delta, double most);

/// Points of the test that rejects P for large values. The first tenth of the sample under P is the pilot that sets
/// the thresholds near the type I errors asked for; it is not counted.
[[nodiscard]] Points threshold_points(std::span<const double> under_p, std::span<const double> under_q,
                                      std::span<const double> type_one_errors);

/// The point against a claimed curve, both as the mu of the Gaussian curve through them: mu of the attack, from the
/// exact intervals of both errors, <= mu of the claim at the same type I error. It fails exactly where the point
/// refutes the claim.
[[nodiscard]] Measurement in_units_of_mu(const inference::TradeoffPoint& point, const Curve& claim);

/// Requires that no point refutes the claim, a lower bound; where the test is the optimal one and the claim exact,
/// `attained` also requires that every rectangle of intervals meets the curve.
void check_points(Trial& trial, const Points& points, const Curve& claim, bool attained, const std::string& what);

/// The points with their intervals for a picture of type II over type I error.
[[nodiscard]] io::Series drawn(const std::string& name, const Points& points);
/// A curve for the same picture.
[[nodiscard]] io::Series drawn(const std::string& name, const Curve& curve, std::span<const double> type_one_errors);
/// The axes of a trade-off picture.
[[nodiscard]] Figure tradeoff_figure(const std::string& title, std::vector<io::Series> series);
/// `points` type I errors with equal steps, both ends included.
[[nodiscard]] std::vector<double> even_grid(std::size_t points, double lowest = 0.0, double highest = 1.0);

}  // namespace dpcurves::validation
