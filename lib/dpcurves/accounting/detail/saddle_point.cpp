// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include <dpcurves/accounting/detail/saddle_point.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr double first_order = 6e-6, last_order = 1.2e6;

/// The order at which `look` says that it is the one: it returns how far the order's logarithm is off, about, with the
/// sign of where to go. Newton's steps, between orders that were too small and too large.
double settled(const std::function<double(double)>& look, double guess, double enough) {
  double low = std::log(first_order), high = std::log(last_order), u = std::clamp(std::log(guess), low, high);
  for (int i = 0; i < 60 && high - low > enough; ++i) {
    const double off = look(std::exp(u));
    if (std::abs(off) < enough) {
      return std::exp(u + off);
    }
    (off > 0.0 ? low : high) = u;
    u = u + off > low && u + off < high ? u + off : 0.5 * (low + high);
  }
  return std::exp(u);
}

/// Second derivative of K(c) - c epsilon - log c - log(1 + c).
double curvature(const Cumulants& k, double c) { return k.second + 1.0 / (c * c) + 1.0 / ((1.0 + c) * (1.0 + c)); }
/// The threshold whose saddle point is c.
double threshold(const Cumulants& k, double c) { return k.first - 1.0 / c - 1.0 / (1.0 + c); }

}  // namespace

SaddlePoint saddle_at(const Cumulants& k, double c, double epsilon) {
  const double second = curvature(k, c), height = k.value - c * epsilon - std::log(c) - std::log1p(c);
  return {c, epsilon, std::sqrt(second), height - 0.5 * std::log(2.0 * std::numbers::pi * second)};
}

Cumulants cumulants_of(std::span<const double> loss, std::span<const double> log_mass, double order) {
  std::size_t top = 0;
  for (std::size_t i = 1; i < loss.size(); ++i) {
    top = log_mass[i] + order * loss[i] > log_mass[top] + order * loss[top] ? i : top;
  }
  const double most = log_mass[top] + order * loss[top], centre = loss[top];
  double sum = 0.0, first = 0.0, second = 0.0;
  for (std::size_t i = 0; i < loss.size(); ++i) {
    const double weight = std::exp(log_mass[i] + order * loss[i] - most), off = loss[i] - centre;
    sum += weight;
    first += weight * off;
    second += weight * off * off;
  }
  const double mean = first / sum;
  return {most + std::log(sum), centre + mean, std::max(0.0, second / sum - mean * mean)};
}

double saddle_order(const CumulantsAt& cumulants, double epsilon, double guess) {
  return settled(
      [&](double order) {
        const Cumulants k = cumulants(order);
        return (epsilon - threshold(k, order)) / (order * curvature(k, order));
      },
      guess, 1e-7);
}

// Where the order grows by a factor, log delta falls by its logarithm times c^2 times the curvature, about.
SaddlePoint saddle_of_delta(const CumulantsAt& cumulants, double log_delta, double guess) {
  constexpr double near = 0.02;  // of log delta
  SaddlePoint at;
  (void)settled(
      [&](double order) {
        const Cumulants k = cumulants(order);
        at = saddle_at(k, order, threshold(k, order));
        const double off = at.log_delta - log_delta;
        return std::abs(off) < near ? 0.0 : off / (order * order * curvature(k, order));
      },
      guess, 1e-9);
  return at;
}

}  // namespace dpcurves::accounting::detail
