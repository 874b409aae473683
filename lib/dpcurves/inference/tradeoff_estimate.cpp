// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/detail/binomial.hpp>
#include <dpcurves/inference/tradeoff_estimate.hpp>
#include <dpcurves/numerics/normal.hpp>

namespace dpcurves::inference {
namespace {

using numerics::normal_density;
using numerics::normal_quantile;

/// How many of `sample` lie at or below each of the sorted thresholds.
std::vector<std::uint64_t> counts_below(std::span<const double> sample, const std::vector<double>& sorted,
                                        const char* name) {
  require_domain(!sample.empty(), name, 0.0, "samples of at least one value");
  std::vector<std::uint64_t> counts(sorted.size() + 1, 0);
  for (const double value : sample) {
    require_domain(!std::isnan(value), name, value, "samples without NaN");
    ++counts[static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin())];
  }
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
  return counts;
}

/// Variance of Phi^{-1} of a frequency.
double quantile_variance(double frequency, double trials) {
  const double density = normal_density(normal_quantile(frequency));
  return frequency * (1.0 - frequency) / (trials * density * density);
}

/// -Phi^{-1}(a) - Phi^{-1}(b), where an infinite end wins over its finite partner and -inf over +inf is unknown.
double mu_of(double a, double b, double unknown) {
  const double x = -normal_quantile(a), y = -normal_quantile(b);
  return std::isinf(x) && std::isinf(y) && x != y ? unknown : x + y;
}

}  // namespace

TradeoffPoint tradeoff_point(std::uint64_t false_positives, std::uint64_t trials_p, std::uint64_t false_negatives,
                             std::uint64_t trials_q, double miss) {
  TradeoffPoint point{.false_positives = false_positives,
                      .false_negatives = false_negatives,
                      .trials_p = trials_p,
                      .trials_q = trials_q,
                      .type_one_error = clopper_pearson(false_positives, trials_p, miss),
                      .type_two_error = clopper_pearson(false_negatives, trials_q, miss)};
  const auto n_p = static_cast<double>(trials_p), n_q = static_cast<double>(trials_q);
  const double a = static_cast<double>(false_positives) / n_p, b = static_cast<double>(false_negatives) / n_q;
  if (a > 0.0 && a < 1.0 && b > 0.0 && b < 1.0) {
    point.effective_mu = {mu_of(a, b, 0.0), std::sqrt(quantile_variance(a, n_p) + quantile_variance(b, n_q))};
  } else {
    point.effective_mu = {std::numeric_limits<double>::quiet_NaN(), infinity};
  }
  const double upper = mu_of(point.type_one_error.lower, point.type_two_error.lower, infinity);
  const double lower = mu_of(point.type_one_error.upper, point.type_two_error.upper, -infinity);
  constexpr double quantile_accuracy = 2e-14;  // both quantiles and their sum, where these do not cancel
  const double slack = std::isfinite(lower) && std::isfinite(upper) ? quantile_accuracy * 80.0 : 0.0;
  point.effective_mu_interval = {lower - slack, upper + slack};
  return point;
}

std::vector<TradeoffPoint> estimate_tradeoff(std::span<const double> under_p, std::span<const double> under_q,
                                             std::span<const double> thresholds, double miss) {
  std::vector<double> sorted(thresholds.begin(), thresholds.end());
  for (const double threshold : sorted) {
    require_domain(!std::isnan(threshold), "threshold", threshold, "[-inf, inf]");
  }
  std::sort(sorted.begin(), sorted.end());
  const auto below_p = counts_below(under_p, sorted, "under_p"), below_q = counts_below(under_q, sorted, "under_q");
  std::vector<TradeoffPoint> points;
  points.reserve(thresholds.size());
  for (const double threshold : thresholds) {
    const auto rank =
        static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), threshold) - sorted.begin());
    points.push_back(
        tradeoff_point(under_p.size() - below_p[rank], under_p.size(), below_q[rank], under_q.size(), miss));
    points.back().threshold = threshold;
  }
  return points;
}

std::vector<double> pilot_thresholds(std::span<const double> pilot_under_p, std::span<const double> type_one_errors) {
  std::vector<double> sorted(pilot_under_p.begin(), pilot_under_p.end());
  require_domain(!sorted.empty(), "pilot_under_p", 0.0, "samples of at least one value");
  require_domain(std::none_of(sorted.begin(), sorted.end(), [](double x) { return std::isnan(x); }), "pilot_under_p",
                 std::nan(""), "samples without NaN");
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> thresholds;
  for (const double error : type_one_errors) {
    require_domain(error > 0.0 && error < 1.0, "type_one_error", error, "(0, 1)");
    const double rank = (1.0 - error) * static_cast<double>(sorted.size());
    thresholds.push_back(sorted[std::min(static_cast<std::size_t>(rank), sorted.size() - 1)]);
  }
  return thresholds;
}

double gap(const TradeoffPoint& point, const std::function<double(double)>& claim) {
  return point.type_two_error.upper - claim(point.type_one_error.upper);
}

bool refuted(const TradeoffPoint& point, const std::function<double(double)>& claim) { return gap(point, claim) < 0.0; }

}  // namespace dpcurves::inference
