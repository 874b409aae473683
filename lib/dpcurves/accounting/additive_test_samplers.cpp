// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Samplers as additive tests: how often they use a record.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <dpcurves/accounting/additive_test.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting {

AdditiveTest allocation_test(double chosen, double steps, double epochs, double noise_multiplier) {
  AdditiveTest test;
  test.steps = steps * epochs;
  test.fewest = chosen * epochs;
  test.probability = {1.0};
  test.noise_multiplier = noise_multiplier;
  test.rate = std::min(0.999, chosen / steps);
  return test;
}

double MinimumSeparation::marginal_rate() const { return sampling_rate / (1.0 + (separation - 1.0) * sampling_rate); }

std::vector<double> MinimumSeparation::participations() const {
  const auto whole = [](double value, double most, const char* name, const char* domain) {
    require_domain(value >= 1.0 && value <= most && value == std::floor(value), name, value, domain);
  };
  whole(steps, 1e6, "steps", "the whole numbers from 1 to 1e6");
  whole(separation, steps, "separation", "the whole numbers from 1 to steps");
  require_domain(sampling_rate > 0.0 && sampling_rate <= 1.0, "sampling_rate", sampling_rate, "(0, 1]");
  const auto count = static_cast<std::size_t>(steps);
  const auto gap = static_cast<std::size_t>(separation);
  const double p = sampling_rate;
  // at[s]: that the n-th participation is in step s. The record is free again b steps later.
  std::vector<double> at(count, 0.0);
  const double norm = 1.0 + (separation - 1.0) * p;
  double waiting = 0.0;  // free at step s, without a participation so far
  for (std::size_t s = 0; s < count; ++s) {
    waiting += warm_start ? (s == 0 ? 1.0 / norm : s < gap ? p / norm : 0.0) : (s == 0 ? 1.0 : 0.0);
    at[s] = waiting * p;
    waiting -= at[s];
  }
  std::vector<double> at_least{1.0};
  std::vector<double> next(count);
  for (double sum = std::accumulate(at.begin(), at.end(), 0.0); sum > 0.0;) {
    at_least.push_back(std::min(1.0, sum));
    double free = 0.0;
    sum = 0.0;
    for (std::size_t s = 0; s < count; ++s) {
      free += s >= gap ? at[s - gap] : 0.0;
      next[s] = free * p;
      free -= next[s];
      sum += next[s];
    }
    std::swap(at, next);
  }
  std::vector<double> probability(at_least.size());
  for (std::size_t n = 0; n < probability.size(); ++n) {
    probability[n] = std::max(0.0, at_least[n] - (n + 1 < at_least.size() ? at_least[n + 1] : 0.0));
  }
  return probability;
}

}  // namespace dpcurves::accounting
