// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/divergence/conversion.hpp>
#include <dpcurves/numerics/minimise.hpp>

namespace dpcurves::divergence {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding = 8.0 * std::numeric_limits<double>::epsilon();

// epsilon from (a, divergence)-RDP, excess = a - 1, rounded up by `rounding` times the sum of the terms' sizes.
using AtOrder = double (*)(double excess, double divergence, double log_delta);

double mironov_at(double excess, double divergence, double log_delta) {
  return (divergence - log_delta / excess) * (1.0 + rounding);
}

double balle_at(double excess, double divergence, double log_delta) {
  const double log_order = std::log1p(excess);
  const double shrink = std::log(excess) - log_order;  // log((a - 1) / a)
  const double sizes = divergence + std::abs(shrink) + (log_order - log_delta) / excess;
  return divergence + shrink - (log_delta + log_order) / excess + rounding * sizes;
}

double asoodeh_at(double excess, double divergence, double log_delta) {
  const double log_scale = std::log1p(excess) + log_delta;  // log(a delta)
  const double x = excess * divergence;
  if (x < 1.0 && log_scale > -700.0) {
    return std::log1p(std::expm1(x) * std::exp(-log_scale)) / excess * (1.0 + rounding * (1.0 + std::abs(log_scale)));
  }
  const double last = std::log(-std::expm1(-x) + std::exp(log_scale - x));
  return (x - log_scale + last + rounding * (x + std::abs(log_scale) + std::abs(last))) / excess;
}

double value_at(AtOrder at, const RenyiCurve& curve, double s, double log_delta) {
  const double excess = std::exp(s);
  const double divergence = curve(1.0 + excess);
  if (!(divergence >= 0.0) || std::isinf(divergence)) {
    return infinity;
  }
  const double value = at(excess, divergence, log_delta);
  return std::isnan(value) ? infinity : value;
}

// Smallest value of f on a grid of [low, high], then by Brent's method between the neighbours of the best node.
numerics::Minimum search(const std::function<double(double)>& f, double low, double high) {
  constexpr int cells = 96;
  const double step = (high - low) / cells;
  numerics::Minimum least{low, infinity};
  for (int i = 0; i <= cells; ++i) {
    const double s = low + step * i;
    if (const double value = f(s); value < least.value) {
      least = {s, value};
    }
  }
  if (std::isinf(least.value)) {
    return least;
  }
  const numerics::Minimum refined =
      numerics::minimise(f, std::max(low, least.at - step), std::min(high, least.at + step));
  return refined.value < least.value ? refined : least;
}

constexpr double lowest = -13.8, highest = 20.7;  // orders from 1 + 1e-6 to 1e9

Conversion convert(AtOrder at, const RenyiCurve& curve, double delta, double low, double high,
                   std::string_view method) {
  const double log_delta = std::log(delta);
  const auto least = search([&](double s) { return value_at(at, curve, s, log_delta); }, low, high);
  return {std::max(0.0, least.value), 1.0 + std::exp(least.at), method};
}

void check_delta(double delta) { require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)"); }

Conversion convert_line(AtOrder at, double rho, double delta, std::string_view method) {
  require_domain(rho >= 0.0 && std::isfinite(rho), "rho", rho, "[0, inf)");
  check_delta(delta);
  if (rho == 0.0) {
    return {0.0, infinity, method};
  }
  // Mironov's optimum; the others' lie within a factor e^8 of it or epsilon is 0.
  const double centre = 0.5 * (std::log(-std::log(delta)) - std::log(rho));
  return convert(
      at, [rho](double order) { return rho * order; }, delta, centre - 16.0, centre + 16.0, method);
}

Conversion convert_points(AtOrder at, std::span<const RenyiPoint> points, double delta, std::string_view method) {
  check_delta(delta);
  const double log_delta = std::log(delta);
  Conversion least{infinity, std::numeric_limits<double>::quiet_NaN(), method};
  for (const auto& point : points) {
    require_domain(point.order > 1.0 && std::isfinite(point.order), "order", point.order, "(1, inf)");
    require_domain(point.divergence >= 0.0, "divergence", point.divergence, "[0, inf]");
    const double epsilon = at(point.order - 1.0, point.divergence, log_delta);
    if (epsilon < least.epsilon) {
      least.epsilon = epsilon;
      least.order = point.order;
    }
  }
  return least;
}

Conversion smallest(std::initializer_list<Conversion> candidates) {
  return *std::min_element(candidates.begin(), candidates.end(),
                           [](const Conversion& a, const Conversion& b) { return a.epsilon < b.epsilon; });
}

}  // namespace

Conversion bun_steinke(double rho, double delta) {
  require_domain(rho >= 0.0 && std::isfinite(rho), "rho", rho, "[0, inf)");
  check_delta(delta);
  const double log_inverse = -std::log(delta);
  const double epsilon = (rho + 2.0 * std::sqrt(rho) * std::sqrt(log_inverse)) * (1.0 + rounding);
  return {epsilon, rho == 0.0 ? infinity : 1.0 + std::sqrt(log_inverse / rho), "Bun-Steinke"};
}

Conversion mironov(double rho, double delta) {
  Conversion result = bun_steinke(rho, delta);
  result.method = "Mironov";
  return result;
}

Conversion balle(double rho, double delta) { return convert_line(balle_at, rho, delta, "Balle et al."); }
Conversion asoodeh(double rho, double delta) { return convert_line(asoodeh_at, rho, delta, "Asoodeh et al."); }

Conversion best(double rho, double delta) {
  return smallest({balle(rho, delta), asoodeh(rho, delta), bun_steinke(rho, delta)});
}

Conversion mironov(const RenyiCurve& curve, double delta) {
  check_delta(delta);
  return convert(mironov_at, curve, delta, lowest, highest, "Mironov");
}

Conversion balle(const RenyiCurve& curve, double delta) {
  check_delta(delta);
  return convert(balle_at, curve, delta, lowest, highest, "Balle et al.");
}

Conversion asoodeh(const RenyiCurve& curve, double delta) {
  check_delta(delta);
  return convert(asoodeh_at, curve, delta, lowest, highest, "Asoodeh et al.");
}

Conversion best(const RenyiCurve& curve, double delta) {
  return smallest({balle(curve, delta), asoodeh(curve, delta), mironov(curve, delta)});
}

Conversion mironov(std::span<const RenyiPoint> points, double delta) {
  return convert_points(mironov_at, points, delta, "Mironov");
}

Conversion balle(std::span<const RenyiPoint> points, double delta) {
  return convert_points(balle_at, points, delta, "Balle et al.");
}

double log_delta_of_renyi(const RenyiCurve& curve, double epsilon) {
  require_domain(epsilon >= 0.0, "epsilon", epsilon, "[0, inf]");
  if (std::isinf(epsilon)) {
    return -infinity;
  }
  const auto log_delta = [&](double s) {
    const double excess = std::exp(s), log_order = std::log1p(excess);
    const double divergence = curve(1.0 + excess);
    if (!(divergence >= 0.0) || std::isinf(divergence)) {
      return infinity;
    }
    const double shrink = s - log_order;
    const double sizes = excess * (divergence + epsilon + std::abs(s) + 2.0 * log_order) + log_order;
    return excess * (divergence - epsilon + shrink) - log_order + rounding * sizes;
  };
  return std::min(0.0, search(log_delta, lowest, highest).value);
}

}  // namespace dpcurves::divergence
