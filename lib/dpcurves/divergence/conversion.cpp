// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/divergence/conversion.hpp>
#include <dpcurves/numerics/minimise.hpp>
#include <dpcurves/rigorous/refine.hpp>

namespace dpcurves::divergence {
namespace {

using rigorous::Real;

// A conversion at one order, for the search in doubles and in balls. `excess` is order - 1.
struct Formula {
  std::string_view name;
  double (*estimate)(double excess, double divergence, double log_delta);
  Real (*proved)(const Real& excess, const Real& divergence, const Real& delta);
};

constexpr Formula by_mironov{
    "Mironov", [](double excess, double divergence, double log_delta) { return divergence - log_delta / excess; },
    [](const Real& excess, const Real& divergence, const Real& delta) { return divergence - log(delta) / excess; }};

constexpr Formula by_balle{"Balle et al.",
                           [](double excess, double divergence, double log_delta) {
                             const double log_order = std::log1p(excess);
                             return divergence + std::log(excess) - log_order - (log_delta + log_order) / excess;
                           },
                           [](const Real& excess, const Real& divergence, const Real& delta) {
                             const Real order = excess + Real(1);
                             return divergence + log(excess / order) - log(delta * order) / excess;
                           }};

// log(1 + (exp(x) - 1) / (order delta)) / (order - 1), x = (order - 1) divergence.
constexpr Formula by_asoodeh{"Asoodeh et al.",
                             [](double excess, double divergence, double log_delta) {
                               const double log_scale = std::log1p(excess) + log_delta, x = excess * divergence;
                               if (x < 1.0 && log_scale > -700.0) {
                                 return std::log1p(std::expm1(x) * std::exp(-log_scale)) / excess;
                               }
                               return (x - log_scale + std::log(-std::expm1(-x) + std::exp(log_scale - x))) / excess;
                             },
                             [](const Real& excess, const Real& divergence, const Real& delta) {
                               const Real x = excess * divergence, scale = (excess + Real(1)) * delta;
                               if (x < Real(1)) {
                                 return log1p(expm1(x) / scale) / excess;
                               }
                               return (x - log(scale) + log1p((scale - Real(1)) * exp(-x))) / excess;
                             }};

void check_delta(double delta) { require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)"); }

// The divergence at an order as the search and the proof may use it.
bool usable(double divergence) { return divergence >= 0.0 && std::isfinite(divergence); }

double value_at(const Formula& formula, double excess, double divergence, double log_delta) {
  const double value = usable(divergence) ? formula.estimate(excess, divergence, log_delta) : infinity;
  return std::isnan(value) ? infinity : value;
}

double rounded_up(const Formula& formula, double order, double divergence, double delta) {
  if (!usable(divergence)) {
    return infinity;
  }
  const auto epsilon = [&] { return formula.proved(Real(order) - Real(1), Real(divergence), Real(delta)); };
  return rigorous::refined(epsilon).upper();
}

/// The least value over [low, high]: on a coarse grid, on finer ones around each of its valleys, and between the
/// neighbours of the least of all. Where the coarse grid sees nothing finite, all of the finest.
numerics::Minimum search(const std::function<double(double)>& f, double low, double high) {
  constexpr int coarse = 8, cells = 96;  // the former divides the latter
  const double step = (high - low) / cells;
  const auto at = [&](int i) {
    return i < 0 || i > cells ? numerics::Minimum{low, infinity} : numerics::Minimum{low + step * i, f(low + step * i)};
  };
  const auto lower = [](const numerics::Minimum& a, const numerics::Minimum& b) { return a.value < b.value ? a : b; };
  std::array<numerics::Minimum, cells / coarse + 1> grid;
  for (int i = 0; i * coarse <= cells; ++i) {
    grid[static_cast<std::size_t>(i)] = at(i * coarse);
  }
  numerics::Minimum least{low, infinity};
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const double here = grid[i].value;
    if (std::isinf(here) || (i > 0 && grid[i - 1].value < here) || (i + 1 < grid.size() && grid[i + 1].value < here)) {
      continue;
    }
    int place = static_cast<int>(i) * coarse;
    numerics::Minimum valley = grid[i];
    for (int width = coarse / 2; width > 0; width /= 2) {
      const numerics::Minimum left = at(place - width), right = at(place + width);
      place += left.value < std::min(valley.value, right.value) ? -width : right.value < valley.value ? width : 0;
      valley = lower(lower(valley, left), right);
    }
    least = lower(least, valley);
  }
  for (int i = 0; i <= cells && std::isinf(least.value); ++i) {
    least = lower(least, at(i));
  }
  if (std::isinf(least.value)) {
    return least;
  }
  const numerics::Minimum refined =
      numerics::minimise(f, std::max(low, least.at - step), std::min(high, least.at + step));
  return lower(least, refined);
}

constexpr double lowest = -13.8, highest = 20.7;  // orders from 1 + 1e-6 to 1e9

/// The smallest of several formulas at one order: the order is searched for all at once.
Conversion convert(std::initializer_list<const Formula*> formulas, const RenyiCurve& curve, double delta) {
  check_delta(delta);
  const double log_delta = std::log(delta);
  const auto best_at = [&](double s) {
    const double excess = std::exp(s), divergence = curve.guide(1.0 + excess);
    std::pair<double, const Formula*> best{infinity, *formulas.begin()};
    for (const Formula* formula : formulas) {
      best = std::min(best, {value_at(*formula, excess, divergence, log_delta), formula},
                      [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    return best;
  };
  const double at = search([&](double s) { return best_at(s).first; }, lowest, highest).at;
  const Formula& formula = *best_at(at).second;
  const double order = 1.0 + std::exp(at);
  return {std::max(0.0, rounded_up(formula, order, curve(order), delta)), order, formula.name};
}

Conversion convert_line(const Formula& formula, double rho, double delta) {
  require_domain(rho >= 0.0 && std::isfinite(rho), "rho", rho, "[0, inf)");
  check_delta(delta);
  if (rho == 0.0) {
    return {0.0, infinity, formula.name};
  }
  const double log_delta = std::log(delta);
  const auto value = [&](double s) {
    const double excess = std::exp(s);
    return value_at(formula, excess, rho * (1.0 + excess), log_delta);
  };
  // Mironov's optimum; the others' lie within a factor e^8 of it or epsilon is 0.
  const double centre = 0.5 * (std::log(-std::log(delta)) - std::log(rho));
  const double excess = std::exp(search(value, centre - 16.0, centre + 16.0).at);
  const auto epsilon = [&] { return formula.proved(Real(excess), Real(rho) * (Real(1) + Real(excess)), Real(delta)); };
  return {std::max(0.0, rigorous::refined(epsilon).upper()), 1.0 + excess, formula.name};
}

Conversion convert_points(const Formula& formula, std::span<const RenyiPoint> points, double delta) {
  check_delta(delta);
  const double log_delta = std::log(delta);
  Conversion least{infinity, std::numeric_limits<double>::quiet_NaN(), formula.name};
  double divergence = infinity;
  for (const auto& point : points) {
    require_domain(point.order > 1.0 && std::isfinite(point.order), "order", point.order, "(1, inf)");
    require_domain(point.divergence >= 0.0, "divergence", point.divergence, "[0, inf]");
    const double epsilon =
        usable(point.divergence) ? formula.estimate(point.order - 1.0, point.divergence, log_delta) : infinity;
    if (epsilon < least.epsilon) {
      least.epsilon = epsilon;
      least.order = point.order;
      divergence = point.divergence;
    }
  }
  least.epsilon = rounded_up(formula, least.order, divergence, delta);
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
  const auto epsilon = [&] { return Real(rho) + scaled(sqrt(-Real(rho) * log(Real(delta))), 1); };
  return {rho == 0.0 ? 0.0 : rigorous::refined(epsilon).upper(),
          rho == 0.0 ? infinity : 1.0 + std::sqrt(-std::log(delta) / rho), "Bun-Steinke"};
}

Conversion mironov(double rho, double delta) {
  Conversion result = bun_steinke(rho, delta);
  result.method = by_mironov.name;
  return result;
}

Conversion balle(double rho, double delta) { return convert_line(by_balle, rho, delta); }
Conversion asoodeh(double rho, double delta) { return convert_line(by_asoodeh, rho, delta); }

Conversion best(double rho, double delta) {
  return smallest({balle(rho, delta), asoodeh(rho, delta), bun_steinke(rho, delta)});
}

Conversion mironov(const RenyiCurve& curve, double delta) { return convert({&by_mironov}, curve, delta); }

Conversion balle(const RenyiCurve& curve, double delta) { return convert({&by_balle}, curve, delta); }

Conversion asoodeh(const RenyiCurve& curve, double delta) { return convert({&by_asoodeh}, curve, delta); }

// Mironov's is that of Balle et al. and two positive terms, at every order.
Conversion best(const RenyiCurve& curve, double delta) { return convert({&by_balle, &by_asoodeh}, curve, delta); }

Conversion mironov(std::span<const RenyiPoint> points, double delta) {
  return convert_points(by_mironov, points, delta);
}

Conversion balle(std::span<const RenyiPoint> points, double delta) { return convert_points(by_balle, points, delta); }

double log_delta_of_renyi(const RenyiCurve& curve, double epsilon) {
  require_domain(epsilon >= 0.0, "epsilon", epsilon, "[0, inf]");
  if (std::isinf(epsilon)) {
    return -infinity;
  }
  const auto estimate = [&](double s) {
    const double excess = std::exp(s), log_order = std::log1p(excess), divergence = curve.guide(1.0 + excess);
    return usable(divergence) ? excess * (divergence - epsilon + s - log_order) - log_order : infinity;
  };
  const double order = 1.0 + std::exp(search(estimate, lowest, highest).at), divergence = curve(order);
  const auto log_delta = [&] {
    const Real a(order), excess = a - Real(1);
    return excess * (Real(divergence) - Real(epsilon) + log(excess / a)) - log(a);
  };
  return usable(divergence) ? std::min(0.0, rigorous::refined(log_delta).upper()) : 0.0;
}

}  // namespace dpcurves::divergence
