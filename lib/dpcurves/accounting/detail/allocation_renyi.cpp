// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include <dpcurves/accounting/detail/allocation_renyi.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/rigorous/series.hpp>

namespace dpcurves::accounting::detail {
namespace {

using rigorous::Real;

constexpr double unit = std::numeric_limits<double>::epsilon();

// log E L^n of orders n from `lowest` on at one mu, in balls:
// E L^n = n! [y^n] (sum_j e^{mu^2 j (j - 1) / 2} (y / steps)^j / j!)^steps.
template <std::size_t orders>
std::array<Enclosure, orders> log_moments_at(double mu, double steps, int lowest) {
  constexpr slong bits = 144;  // a moment may be 1 + 1e-15, and is wanted to the last digit
  const rigorous::Precision precision(bits);
  const Real square = Real(mu) * Real(mu);
  const long highest = lowest + static_cast<long>(orders) - 1;
  rigorous::Series series;
  Real term(1), factorial(1);
  series.set(0, term);
  for (long j = 1; j <= highest; ++j) {
    term = term * exp(square * Real(j - 1)) / (Real(steps) * Real(j));
    series.set(j, term);
  }
  series.raise(static_cast<ulong>(steps), highest + 1);
  std::array<Enclosure, orders> logs;
  for (long n = 1; n <= highest; ++n) {
    factorial = factorial * Real(n);
    if (n >= lowest) {
      logs[static_cast<std::size_t>(n - lowest)] = log(factorial * series.at(n)).enclosure();
    }
  }
  return logs;
}

// For every mu that rounds to this one: they rise with mu. \param lowest  at least 0.
template <std::size_t orders>
std::array<Enclosure, orders> log_moments(double mu, double steps, int lowest) {
  std::array<Enclosure, orders> logs = log_moments_at<orders>(next_down(mu), steps, lowest);
  const auto above = log_moments_at<orders>(next_up(mu), steps, lowest);
  for (std::size_t i = 0; i < orders; ++i) {
    logs[i] = {std::max(0.0, logs[i].lower), above[i].upper};
  }
  return logs;
}

// The mean of g(L) = L^power - 1 - power (L - 1), convex, nonnegative and least at 1 for power outside (0, 1), so that
// E L^power = 1 + E g(L) keeps its digits near 1. The sum over the atoms, on the side of the law.
double mean_excess(const RatioLaw& law, Side side, double power) {
  double total = 0.0;
  for (std::size_t k = 0; k < law.ratio.size(); ++k) {
    // Moved away from 1, or towards it, by what the ratio and its logarithm are off by.
    const double log_ratio = std::log(law.ratio[k]), off = law.ratio_error + 2.0 * unit * std::abs(log_ratio);
    const double size = std::abs(log_ratio) + (side == Side::above ? off : -off);
    const double y = std::copysign(std::max(0.0, size), log_ratio);
    const double first = std::expm1(power * y), second = power * std::expm1(y);
    const double rounding = 4.0 * unit * (std::abs(first) * (1.0 + std::abs(power * y)) + std::abs(second));
    total += law.mass[k] * std::max(0.0, first - second + (side == Side::above ? rounding : -rounding));
  }
  if (!std::isfinite(total)) {  // beyond the doubles
    return side == Side::above ? infinity : 0.0;
  }
  if (side == Side::above && power < 0.0) {  // its slope at infinity
    total -= power * law.infinite;
  }
  const double error = law.mass_error + law.ratio_error + unit * (static_cast<double>(law.ratio.size()) + 4.0);
  return total * std::exp(side == Side::above ? error : -error);
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
    // c is the ratio moved down like all others.
    const double gap = law.ratio[k] - b * (1.0 + 2.0 * law.ratio_error);
    lowest = gap > 0.0 ? std::min(lowest, excess / gap) : lowest;
  }
  constexpr double slack = 1e-9;  // of some hundred roundings, and of exponents up to 1e6
  const double log_mass = std::min(0.0, std::log(lowest) + law.mass_error + slack);
  double least = infinity;
  for (const double q : {1.2, 2.0, 4.0, 8.0, 16.0}) {
    least = std::min(least, log_mass * (1.0 - 1.0 / q) + 0.5 * mu * mu * (q * s * s / steps + s));
  }
  const double at_zero = law.zero * (1.0 + s) * std::pow(b * (1.0 - 2.0 * law.ratio_error), -s);
  return std::exp(least + slack * (1.0 + std::abs(least))) + at_zero * std::exp(law.mass_error + slack);
}

}  // namespace

Enclosure allocation_renyi(double mu, double steps, double order, Direction direction, const RatioLaws& laws) {
  const double gaussian = 0.5 * order * mu * mu;  // no amplification
  Enclosure log_mean_of_power{0.0, infinity};
  if (direction == Direction::remove) {
    const double floor = std::floor(order);
    log_mean_of_power.lower = std::log1p(mean_excess(laws.below, Side::below, order));
    if (floor < largest_closed_order) {
      const int n = static_cast<int>(floor);
      if (order == floor) {
        log_mean_of_power = log_moments<1>(mu, steps, n).front();
      } else {  // the log of a moment is convex in the order, and 0 at the orders 0 and 1
        const double part = order - floor;
        const auto [before, left, right] = log_moments<3>(mu, steps, n - 1);
        log_mean_of_power.upper = (part * right.upper + (1.0 - part) * left.upper) * (1.0 + 2.0 * unit);
        log_mean_of_power.lower = std::max(log_mean_of_power.lower, left.lower + part * (left.lower - before.upper) -
                                                                        4.0 * unit * (left.lower + before.upper));
      }
    }
  } else {
    const double power = 1.0 - order;
    log_mean_of_power.lower = std::log1p(mean_excess(laws.below, Side::below, power));
    // From the lowest ratio b of the law above, the mean of g continued by its tangent, at most (1 + |power|) b^power
    // at 0; below b, g is at most L^power.
    log_mean_of_power.upper =
        std::log1p(mean_excess(laws.above, Side::above, power) + mean_of_lowest(laws.above, mu, steps, -power));
  }
  const Enclosure divergence =
      outward({log_mean_of_power.lower / (order - 1.0), log_mean_of_power.upper / (order - 1.0)},
              4.0 * unit);  // log1p, a quotient
  const Enclosure value{std::max(0.0, divergence.lower), std::min(gaussian * (1.0 + 4.0 * unit), divergence.upper)};
  return {std::min(value.lower, value.upper), value.upper};
}

}  // namespace dpcurves::accounting::detail
