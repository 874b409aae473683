// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <dpcurves/accounting/detail/allocation_renyi.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/numerics/sums.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr double unit = std::numeric_limits<double>::epsilon();

// Logs of the coefficients of a power series with positive coefficients.
using LogSeries = std::vector<double>;

LogSeries product(const LogSeries& a, const LogSeries& b) {
  LogSeries result(a.size());
  std::vector<double> terms;
  for (std::size_t n = 0; n < a.size(); ++n) {
    terms.clear();
    for (std::size_t k = 0; k <= n; ++k) {
      terms.push_back(a[k] + b[n - k]);
    }
    result[n] = numerics::log_sum_exp(terms);
  }
  return result;
}

double log_choose(double n, double k) { return std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0); }

// logs of E (X - 1)^k / k!, X lognormal of mean 1. By E X f(X) = E f(e^{mu^2} X), with v = e^{mu^2} - 1:
// w_k = ((1 + v)^{k-1} - 1) w_{k-1} + sum_{j < k-1} C(k-1, j) (1 + v)^j v^{k-1-j} w_j, all terms positive.
LogSeries central_moments(double mu, int order) {
  const double square = mu * mu;
  const double log_v = numerics::log_expm1(square);
  LogSeries w{0.0, -infinity};
  std::vector<double> terms;
  for (int k = 2; k <= order; ++k) {
    terms.clear();
    for (int j = 0; j < k - 1; ++j) {
      terms.push_back(log_choose(k - 1, j) + square * j + (k - 1 - j) * log_v + w[static_cast<std::size_t>(j)]);
    }
    terms.push_back(numerics::log_expm1(square * (k - 1)) + w[static_cast<std::size_t>(k - 1)]);
    w.push_back(numerics::log_sum_exp(terms));
  }
  w.resize(static_cast<std::size_t>(order) + 1);
  for (int k = 0; k <= order; ++k) {
    w[static_cast<std::size_t>(k)] -= std::lgamma(k + 1.0);
  }
  return w;
}

}  // namespace

Enclosure log_moment(double mu, double steps, int order) {
  if (order <= 1) {
    return exactly(0.0);
  }
  LogSeries power = central_moments(mu, order);
  const LogSeries one = power;
  const auto count = static_cast<std::uint64_t>(steps);
  int bit = static_cast<int>(std::bit_width(count)) - 1;
  for (--bit; bit >= 0; --bit) {
    power = product(power, power);
    if (((count >> bit) & 1U) != 0) {
      power = product(power, one);
    }
  }
  // E L^n = 1 + sum_{k >= 2} n! / (n - k)! steps^{-k} [y^k] (E e^{y (X - 1)})^steps.
  std::vector<double> terms;
  double size = 1.0;
  for (int k = 2; k <= order; ++k) {
    const double log_coefficient = power[static_cast<std::size_t>(k)];
    terms.push_back(std::lgamma(order + 1.0) - std::lgamma(order - k + 1.0) - k * std::log(steps) + log_coefficient);
    size = std::max({size, std::abs(log_coefficient), std::lgamma(order + 1.0), k * std::log(steps)});
  }
  const double excess = numerics::log_sum_exp(terms);
  const double value = excess > 30.0 ? excess + std::log1p(std::exp(-excess)) : std::log1p(std::exp(excess));
  // A coefficient k is a sum of products of at most k / 2 moments, and every log has an error of some units.
  const double relative = 16.0 * unit * size * (order + 2.0 * std::log2(steps) + 4.0);
  return outward({value - std::min(value, 1.0) * relative, value + std::min(value, 1.0) * relative}, 4.0 * unit);
}

namespace {

// The mean of g(L) = L^power - 1 - power (L - 1), convex and nonnegative for power outside (0, 1), so that
// E L^power = 1 + E g(L) keeps its digits near 1. The sum over the atoms, with its error.
Enclosure mean_excess(const RatioLaw& law, double power) {
  double total = 0.0;
  double moved = 0.0;  // the most that an error of the ratios adds
  for (std::size_t k = 0; k < law.ratio.size(); ++k) {
    const double y = std::log(law.ratio[k]);
    total += law.mass[k] * std::max(0.0, std::expm1(power * y) - power * std::expm1(y));
    moved += law.mass[k] * std::abs(power * (std::exp(power * y) - law.ratio[k]));
  }
  if (!std::isfinite(total) || !std::isfinite(moved)) {  // beyond the doubles
    return {0.0, infinity};
  }
  const double error = total * (law.mass_error + 4.0 * unit * static_cast<double>(law.ratio.size())) +
                       2.0 * moved * (law.ratio_error + 4.0 * unit);
  return around(total, error);
}

// E L^-s for L at most its lowest atom b: by the inequalities of Hoelder and, E L^{-s} <= (E X^{-s/steps})^steps,
// Jensen.
double mean_of_lowest(const RatioLaw& law, double mu, double steps, double s) {
  // P(L < b) <= E (c - L)_+ / (c - b) for every c > b.
  const double b = law.ratio.front();
  double lowest = 1.0;
  double mass = 0.0;
  double excess = law.zero * b;
  for (std::size_t k = 1; k < std::min<std::size_t>(law.ratio.size(), 200); ++k) {
    mass += law.mass[k - 1];
    excess += (mass + law.zero) * (law.ratio[k] - law.ratio[k - 1]);
    lowest = std::min(lowest, excess / (law.ratio[k] - b));
  }
  const double log_mass = std::log(lowest * (1.0 + law.mass_error + 1e-12));
  double least = infinity;
  for (const double q : {1.2, 2.0, 4.0, 8.0, 16.0}) {
    least = std::min(least, log_mass * (1.0 - 1.0 / q) + 0.5 * mu * mu * (q * s * s / steps + s));
  }
  return std::exp(least) + law.zero * (1.0 + s) * std::pow(b, -s);
}

}  // namespace

Enclosure allocation_renyi(double mu, double steps, double order, Direction direction, const RatioLaws& laws) {
  const double gaussian = 0.5 * order * mu * mu;  // no amplification
  Enclosure log_mean_of_power{0.0, infinity};
  if (direction == Direction::remove) {
    const double floor = std::floor(order);
    log_mean_of_power.lower = std::log1p(mean_excess(laws.below, order).lower);
    if (floor < largest_closed_order) {
      const int n = static_cast<int>(floor);
      const Enclosure left = log_moment(mu, steps, n);
      if (order == floor) {
        log_mean_of_power = left;
      } else {  // the log of a moment is convex in the order
        const double part = order - floor;
        const double right = log_moment(mu, steps, n + 1).upper;
        log_mean_of_power.upper = next_up((1.0 - part) * left.upper + part * right);
        if (n > 1) {
          const double before = log_moment(mu, steps, n - 1).upper;
          log_mean_of_power.lower =
              std::max(log_mean_of_power.lower, left.lower + part * (left.lower - before) - 4.0 * unit * left.lower);
        }
      }
    }
  } else {
    const double power = 1.0 - order;
    log_mean_of_power.lower = std::log1p(std::max(0.0, mean_excess(laws.below, power).lower));
    // From the lowest ratio b of the law above, the mean of g continued by its tangent, at most (1 + |power|) b^power
    // at 0; below b, g is at most L^power.
    log_mean_of_power.upper =
        std::log1p(mean_excess(laws.above, power).upper + mean_of_lowest(laws.above, mu, steps, -power));
  }
  const Enclosure value{std::max(0.0, next_down(log_mean_of_power.lower / (order - 1.0))),
                        std::min(next_up(gaussian), next_up(log_mean_of_power.upper / (order - 1.0)))};
  return {std::min(value.lower, value.upper), value.upper};
}

}  // namespace dpcurves::accounting::detail
