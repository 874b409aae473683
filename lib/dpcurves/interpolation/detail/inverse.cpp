// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/detail/inverse.hpp>
#include <dpcurves/interpolation/shift_closed_forms.hpp>

namespace dpcurves::interpolation {
namespace {

void require_budget(double budget) {
  require_domain(budget >= 0.0 && std::isfinite(budget), "budget", budget, "[0, inf)");
}

/// The integer below the real solution; where rounding makes it doubtful, the largest one that holds.
LargestCount settled(double real, const std::function<bool(double)>& within) {
  if (std::isinf(real)) {
    return {infinity, largest_count(within)};
  }
  const double n = std::floor(std::min(real, 0x1p53));
  const bool settles = (n < 1.0 || within(n)) && !within(n + 1.0);
  return {real, settles ? n : largest_count(within)};
}

double squared_ratio(const NoisyDescent& descent, double budget) {
  const double ratio = budget / descent.effective_sensitivity;
  return ratio * ratio;
}

}  // namespace

double largest_count(const std::function<bool(double)>& within) {
  if (!within(1.0)) {
    return 0.0;
  }
  if (within(infinity)) {
    return infinity;
  }
  double low = 1.0;
  double high = 2.0;
  while (high < 0x1p53 && within(high)) {
    low = high;
    high *= 2.0;
  }
  if (high >= 0x1p53 && within(high)) {
    return high;
  }
  while (high - low > 1.0) {
    const double middle = std::floor(0.5 * (low + high));
    (within(middle) ? low : high) = middle;
  }
  return low;
}

LargestCount solve_steps(const NoisyDescent& descent, double budget) {
  require_budget(budget);
  require_theorem("Theorem 4.2", strongly_convex_violations(NoisyGd{descent, 1.0}));
  if (descent.effective_sensitivity == 0.0) {
    return {infinity, infinity};
  }
  const double h = descent.contraction->decay();
  const double square = squared_ratio(descent, budget);
  const double share = h == 0.0 ? square : square * std::tanh(0.5 * h);
  double real = infinity;
  if (h == 0.0) {
    real = square;
  } else if (std::isinf(h)) {
    real = square >= 1.0 ? infinity : 0.0;
  } else if (share < 1.0) {
    real = 2.0 / h * std::atanh(share);
  }
  return settled(real, [&descent, budget](double steps) {
    return strongly_convex_violations(NoisyGd{descent, steps}).empty() &&
           strongly_convex_mu(NoisyGd{descent, steps}).upper <= budget;
  });
}

LargestCount solve_steps_by_composition(const NoisyDescent& descent, double budget) {
  require_budget(budget);
  require_descent(descent);
  if (descent.effective_sensitivity == 0.0) {
    return {infinity, infinity};
  }
  return settled(squared_ratio(descent, budget), [&descent, budget](double steps) {
    return std::isfinite(steps) && composition_mu(NoisyGd{descent, steps}).upper <= budget;
  });
}

LargestCount solve_epochs(const NoisyDescent& descent, double batches_per_epoch, double budget) {
  const double l = batches_per_epoch;
  require_theorem("Theorem 4.5", strongly_convex_violations(NoisyCgd{descent, l, 1.0}));
  if (l == 1.0) {
    return solve_steps(descent, budget);
  }
  require_budget(budget);
  if (descent.effective_sensitivity == 0.0) {
    return {infinity, infinity};
  }
  const double excess = squared_ratio(descent, budget) - 1.0;
  const double h = descent.contraction->decay();
  double real = infinity;
  if (excess < 0.0) {
    real = 0.0;
  } else if (h == 0.0) {
    real = 1.0 + l * excess;
  } else if (std::isfinite(h)) {
    const double limit = cyclic_optimum_before_last(*descent.contraction, 1.0, l, infinity);
    if (excess < limit) {
      real = 1.0 + 2.0 / (l * h) * std::atanh(excess / limit);
    }
  }
  return settled(real, [&descent, l, budget](double epochs) {
    return strongly_convex_violations(NoisyCgd{descent, l, epochs}).empty() &&
           strongly_convex_mu(NoisyCgd{descent, l, epochs}).upper <= budget;
  });
}

LargestCount solve_epochs_by_composition(const NoisyDescent& descent, double budget) {
  return solve_steps_by_composition(descent, budget);
}

}  // namespace dpcurves::interpolation
