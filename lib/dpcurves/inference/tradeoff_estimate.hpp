// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Points of a trade-off curve from two samples, with exact intervals, and the verdict on a claimed curve.
///
/// The test rejects P in favour of Q where a statistic exceeds a threshold. Its type I error is P(statistic > c), its
/// type II error Q(statistic <= c). Every test lies above the trade-off function, so a point certainly below a claimed
/// lower bound refutes the claim. Thresholds must not come from the samples that are counted: take a pilot sample.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/core/estimate.hpp>

namespace dpcurves::inference {

/// One threshold test.
struct TradeoffPoint {
  double threshold = 0.0;             ///< c: the test rejects above it
  std::uint64_t false_positives = 0;  ///< of the sample under P above the threshold
  std::uint64_t false_negatives = 0;  ///< of the sample under Q at or below it
  std::uint64_t trials_p = 0;         ///< values of the statistic under P
  std::uint64_t trials_q = 0;         ///< values of the statistic under Q
  Enclosure type_one_error;           ///< misses with probability `miss`
  Enclosure type_two_error;           ///< misses with probability `miss`
  /// -Phi^{-1}(a) - Phi^{-1}(b) at the observed frequencies with its standard error; NaN with infinite error where a
  /// frequency is 0 or 1. At least 20 counts in each of the four cells make it approximately normal.
  Estimate effective_mu{};
  Enclosure effective_mu_interval{};  ///< from the two intervals: misses with probability 2 miss
};

/// \param under_p, under_q  values of the statistic, none NaN; not empty.
/// \param thresholds        in any order; the points keep the order.
/// \param miss              of each interval, as for clopper_pearson.
/// \throws DomainError      if a sample is empty or holds NaN.
/// Cost: O((samples) log(thresholds)).
[[nodiscard]] std::vector<TradeoffPoint> estimate_tradeoff(std::span<const double> under_p,
                                                           std::span<const double> under_q,
                                                           std::span<const double> thresholds, double miss);

/// The point from counts alone.
[[nodiscard]] TradeoffPoint tradeoff_point(std::uint64_t false_positives, std::uint64_t trials_p,
                                           std::uint64_t false_negatives, std::uint64_t trials_q, double miss);

/// Thresholds whose type I errors in the pilot sample under P are about those asked for.
/// \throws DomainError  if the pilot is empty or holds NaN, or an error lies outside (0, 1).
[[nodiscard]] std::vector<double> pilot_thresholds(std::span<const double> pilot_under_p,
                                                   std::span<const double> type_one_errors);

/// How far the point's type II error can lie above the claim: upper end of b minus claim(upper end of a). Negative
/// means that the claimed lower bound on the trade-off function is refuted; both ends are chosen against refutation.
[[nodiscard]] double gap(const TradeoffPoint& point, const std::function<double(double)>& claim);

/// gap(point, claim) < 0.
[[nodiscard]] bool refuted(const TradeoffPoint& point, const std::function<double(double)>& claim);

}  // namespace dpcurves::inference
