// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/detail/binomial.hpp>
#include <dpcurves/inference/simultaneous.hpp>
#include <dpcurves/numerics/special.hpp>

namespace dpcurves::inference {
namespace {

constexpr std::uint64_t largest = 20000;

void check(std::uint64_t size, const char* name) {
  require_domain(size >= 1 && size <= largest, name, static_cast<double>(size), "[1, 20000]");
}

/// Poisson probabilities 0, 1, ... of a mean, to where they no longer matter.
std::vector<double> poisson(double mean) {
  constexpr double negligible = 1e-20;
  std::vector<double> law{std::exp(-mean)};
  for (double k = 1.0; k <= mean || law.back() > negligible; ++k) {
    law.push_back(law.back() * mean / k);
  }
  return law;
}

/// P(no order statistic of n uniforms exceeds its bound): a Poisson process of rate n has at least k points below
/// bound k for all k, given n points in all. Positive terms only; what is dropped makes the result smaller.
double coverage(const std::vector<double>& bounds) {
  const std::size_t n = bounds.size();
  const auto rate = static_cast<double>(n);
  std::vector<double> chance{1.0};  // of k, k + 1, ... points so far
  std::size_t first = 0;
  double before = 0.0;
  constexpr double negligible = 1e-22;
  for (std::size_t k = 1; k <= n; ++k) {
    const std::vector<double> step = poisson(rate * std::max(0.0, bounds[k - 1] - before));
    before = std::max(before, bounds[k - 1]);
    std::vector<double> next(std::min(n - first + 1, chance.size() + step.size() - 1), 0.0);
    for (std::size_t i = 0; i < chance.size(); ++i) {
      for (std::size_t j = 0; j < step.size() && i + j < next.size(); ++j) {
        next[i + j] += chance[i] * step[j];
      }
    }
    const std::size_t cut = k - first;  // fewer than k points below bound k: excluded
    next.erase(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(std::min(cut, next.size())));
    first = k;
    while (!next.empty() && next.back() < negligible) {
      next.pop_back();
    }
    if (next.empty()) {
      return 0.0;
    }
    chance = std::move(next);
  }
  // n points below the last bound and none above, over P(Poisson(n) = n).
  const double log_total = -rate + rate * std::log(rate) - std::lgamma(rate + 1.0);
  return chance.front() * std::exp(-rate * (1.0 - before) - log_total);
}

}  // namespace

double band_coverage(std::uint64_t size, double eta) {
  check(size, "size");
  require_domain(eta > 0.0 && eta < 1.0, "eta", eta, "(0, 1)");
  const auto n = static_cast<double>(size);
  std::vector<double> bounds;
  for (std::uint64_t k = 1; k <= size; ++k) {
    bounds.push_back(numerics::beta_above_inverse(static_cast<double>(k), n - static_cast<double>(k) + 1.0, eta));
  }
  constexpr double error = 1e-10;  // of the quantiles and of n^1.5 roundings
  return std::clamp(coverage(bounds) - error, 0.0, 1.0);
}

double simultaneous_eta(std::uint64_t size, double miss) {
  check(size, "size");
  require_domain(miss > 0.0 && miss < 1.0, "miss", miss, "(0, 1)");
  double low = miss / static_cast<double>(size), high = miss;  // the union bound; one order statistic alone
  if (size == 1 || band_coverage(size, high) >= 1.0 - miss) {
    return size == 1 ? miss : high;
  }
  constexpr double accuracy = 1e-6;
  while (high > low * (1.0 + accuracy)) {
    const double middle = std::sqrt(low * high);
    (band_coverage(size, middle) >= 1.0 - miss ? low : high) = middle;
  }
  return low;
}

std::vector<SimultaneousRates> simultaneous_rates(std::span<const double> in, std::span<const double> out,
                                                  double significance) {
  require_domain(significance > 0.0 && significance < 0.5, "significance", significance, "(0, 1/2)");
  check(in.size(), "in");
  check(out.size(), "out");
  // clopper_pearson takes both sides' miss: one side has eta.
  const double in_miss = 2.0 * simultaneous_eta(in.size(), 0.5 * significance);
  const double out_miss = 2.0 * simultaneous_eta(out.size(), 0.5 * significance);
  std::vector<double> thresholds(in.begin(), in.end());
  thresholds.insert(thresholds.end(), out.begin(), out.end());
  std::sort(thresholds.begin(), thresholds.end());
  thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
  std::map<std::uint64_t, double> powers, rates;  // of counts, computed once
  std::vector<SimultaneousRates> result;
  for (const double threshold : thresholds) {
    const MultiRun counts = counts_at(in, out, threshold);
    auto [power, fresh] = powers.try_emplace(counts.true_positives, 0.0);
    if (fresh) {
      power->second = clopper_pearson(counts.true_positives, counts.canaries_in, in_miss).lower;
    }
    auto [rate, new_rate] = rates.try_emplace(counts.false_positives, 1.0);
    if (new_rate) {
      rate->second = clopper_pearson(counts.false_positives, counts.canaries_out, out_miss).upper;
    }
    result.push_back({threshold, power->second, rate->second});
  }
  return result;
}

SimultaneousAudit simultaneous_audit(std::span<const double> in, std::span<const double> out, double significance,
                                     double delta) {
  SimultaneousAudit best;
  bool first = true;
  for (const SimultaneousRates& rates : simultaneous_rates(in, out, significance)) {
    const MultiRunBounds bounds =
        bounds_of_rates(rates.true_positive_rate_lower, rates.false_positive_rate_upper, delta);
    if (first || bounds.epsilon_lower > best.by_epsilon.epsilon_lower) {
      best.by_epsilon = bounds;
      best.epsilon_threshold = rates.threshold;
    }
    if (first || bounds.mu_lower > best.by_mu.mu_lower) {
      best.by_mu = bounds;
      best.mu_threshold = rates.threshold;
    }
    first = false;
  }
  return best;
}

}  // namespace dpcurves::inference
