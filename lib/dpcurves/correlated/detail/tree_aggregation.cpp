// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/detail/tree_aggregation.hpp>

namespace dpcurves::correlated {
namespace {

void require_steps(std::size_t steps) {
  require_domain(steps >= 1 && steps <= 10'000'000, "steps", static_cast<double>(steps), "[1, 1e7]");
}

/// Sum over the blocks of the squares of the participations in them: a whole number, exact in a double.
double square(std::size_t steps, const std::vector<std::size_t>& set) {
  double sum = 0.0;
  for (std::size_t size = 1; size <= steps; size *= 2) {
    double inside = 0.0;
    for (std::size_t i = 0; i < set.size() && set[i] / size < steps / size; ++i) {
      inside = i > 0 && set[i] / size == set[i - 1] / size ? inside + 1.0 : 1.0;
      sum += 2.0 * inside - 1.0;  // n^2 as a sum of odd numbers
    }
  }
  return sum;
}

Enclosure root(double lower, double upper) {
  return {std::max(0.0, next_down(std::sqrt(lower))), next_up(std::sqrt(upper))};
}

}  // namespace

PatternSensitivity tree_sensitivity(std::size_t steps, const ParticipationPattern& pattern) {
  require_steps(steps);
  const std::size_t k = pattern.participations(steps);
  const std::size_t b = k == 1 ? 1 : pattern.separation;
  PatternSensitivity result;
  double best = -1.0;
  for (std::size_t first = 0; first < std::min(b, steps); ++first) {
    std::vector<std::size_t> set;
    for (std::size_t t = first; t < steps && set.size() < k; t += b) {
      set.push_back(t);
    }
    if (const double value = square(steps, set); value > best) {
      best = value;
      result.steps = std::move(set);
    }
  }
  double most = best;
  if (k > 1 && pattern.rule == ParticipationRule::min_separation) {
    most = 0.0;
    for (std::size_t size = 1; size <= steps; size *= 2) {
      const std::size_t full = std::min(k, (size - 1) / b + 1), blocks = steps / size;
      const std::size_t filled = std::min(blocks, k / full), rest = filled < blocks ? k - filled * full : 0;
      most += static_cast<double>(filled * full * full + rest * rest);
    }
  }
  result.value = root(best, most);
  result.exact = most == best;
  return result;
}

StrategyError tree_error(std::size_t steps, bool honaker) {
  require_steps(steps);
  std::vector<double> variance{1.0};
  for (std::size_t size = 2; size <= steps; size *= 2) {
    variance.push_back(honaker ? 1.0 / (1.0 + 0.5 / variance.back()) : 1.0);
  }
  double sum = 0.0, largest = 0.0, last = 0.0;
  for (std::size_t t = 1; t <= steps; ++t) {
    last = 0.0;
    for (std::size_t level = 0; level < variance.size(); ++level) {
      last += ((t >> level) & 1U) != 0 ? variance[level] : 0.0;
    }
    sum += last;
    largest = std::max(largest, last);
  }
  return {std::sqrt(sum / static_cast<double>(steps)), std::sqrt(largest), std::sqrt(last)};
}

}  // namespace dpcurves::correlated
