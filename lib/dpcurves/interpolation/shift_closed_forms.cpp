// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/detail/shift_balls.hpp>
#include <dpcurves/interpolation/shift_closed_forms.hpp>

namespace dpcurves::interpolation {
namespace {

using rigorous::Real;

void require_sensitivity(double s) { require_domain(s >= 0.0 && std::isfinite(s), "s", s, "[0, inf)"); }

void require_diameter(double diameter) {
  require_domain(diameter >= 0.0 && std::isfinite(diameter), "diameter", diameter, "[0, inf)");
}

void require_count(double n, const char* name) {
  require_domain(n >= 1.0 && (std::isinf(n) || std::floor(n) == n), name, n, "{1, 2, ..., inf}");
}

void require_length(double n, const char* name) {
  require_domain(n >= 1.0 && n <= 1e8 && std::floor(n) == n, name, n, "{1, ..., 1e8}");
}

// The double nearest to a ball of the closed form, nearly always.
template <typename Formula>
double nearest(const Formula& formula) {
  return rigorous::refined(formula).middle();
}

}  // namespace

double strongly_convex_optimum(const Contraction& contraction, double s, double t) {
  require_sensitivity(s);
  require_count(t, "t");
  const double h = contraction.decay();
  if (s == 0.0 || h == 0.0 || std::isinf(h) || t == 1.0) {
    return s == 0.0 ? 0.0 : s * s * (h == 0.0 ? t : 1.0);
  }
  return nearest([&] { return detail::strongly_convex_ball(detail::Powers(contraction), s, t); });
}

ShiftSequences strongly_convex_sequences(const Contraction& contraction, double s, double t) {
  require_sensitivity(s);
  require_length(t, "t");
  ShiftSequences result;
  const double c = contraction.c();
  const double sum = 1.0 + contraction.power(t);
  for (double k = 1.0; k <= t; ++k) {
    const double rest = contraction.geometric_sum(t - k);
    result.a.push_back(contraction.power(t - k) * (1.0 + c) * s / sum);
    result.z.push_back(contraction.one_minus_power(k) * rest * s / sum);
    // 1 - c^(t-k+2) - c^k + c^t = (1 - c^k)(1 - c^(t-k)) + c^(t-k)(1 - c^2), free of cancellation
    const double gain = contraction.power(t - k) * (1.0 + c);
    result.lambda.push_back(gain / (contraction.one_minus_power(k) * rest + gain));
  }
  return result;
}

double convex_diameter_optimum(double s, double diameter, double n) {
  return constrained_optimum(Contraction(), s, diameter, n);
}

ShiftSequences convex_diameter_sequences(double s, double diameter, double n) {
  require_sensitivity(s);
  require_diameter(diameter);
  require_length(n, "n");
  ShiftSequences result;
  const double rate = diameter / n;
  for (double left = n - 1.0; left >= 0.0; --left) {
    result.a.push_back(s + rate);
    result.z.push_back(rate * left);
    result.lambda.push_back(s + rate > 0.0 ? (s + rate) / (s + rate * (left + 1.0)) : 0.0);
  }
  return result;
}

double constrained_optimum(const Contraction& contraction, double s, double diameter, double n) {
  require_sensitivity(s);
  require_diameter(diameter);
  require_count(n, "n");
  if (std::isinf(n)) {
    return strongly_convex_optimum(contraction, s, n);
  }
  return nearest([&] { return detail::constrained_ball(detail::Powers(contraction), s, diameter, n); });
}

double constrained_horizon(const Contraction& contraction, double s, double diameter) {
  require_sensitivity(s);
  require_diameter(diameter);
  if (diameter == 0.0) {
    return 0.0;
  }
  if (contraction.one_minus_c() * diameter >= s) {
    return infinity;
  }
  const double steps = diameter / s;
  if (contraction.decay() == 0.0) {
    return steps;
  }
  return -std::log1p(-contraction.one_minus_c() * steps) / contraction.decay();
}

double constrained_infimum(const Contraction& contraction, double s, double diameter) {
  if (std::isinf(constrained_horizon(contraction, s, diameter))) {
    return strongly_convex_optimum(contraction, s, infinity);
  }
  return nearest([&] { return detail::constrained_infimum_ball(detail::Powers(contraction), s, diameter); });
}

double cyclic_optimum_before_last(const Contraction& contraction, double s, double l, double E) {
  require_sensitivity(s);
  require_domain(l >= 1.0 && std::isfinite(l) && std::floor(l) == l, "l", l, "{1, 2, ...}");
  require_count(E, "E");
  const double h = contraction.decay();
  if (s == 0.0 || E == 1.0) {
    return 0.0;
  }
  if (h == 0.0) {
    return s * s * ((E - 1.0) / l);
  }
  if (std::isinf(h)) {
    return l == 1.0 ? s * s : 0.0;
  }
  return nearest([&] { return detail::before_last_ball(detail::Powers(contraction), s, l, E); });
}

double cyclic_convex_feasible(double s, double diameter, double l, double n) {
  require_sensitivity(s);
  require_diameter(diameter);
  require_domain(l >= 1.0 && std::isfinite(l), "l", l, "{1, 2, ...}");
  require_domain(n >= 1.0 && std::isfinite(n), "n", n, "{1, 2, ...}");
  const double reach = diameter + s * n;
  return reach * (reach / (l * n));
}

double cyclic_optimum(const Contraction& contraction, double s, double l, double E, double position) {
  const double before = cyclic_optimum_before_last(contraction, s, l, E);  // checks s, l and E
  require_domain(position >= 1.0 && position <= l && std::floor(position) == position, "position", position,
                 "{1, ..., l}");
  if (std::isinf(before) || s == 0.0) {
    return before;
  }
  return nearest([&] { return detail::cyclic_ball(detail::Powers(contraction), s, l, E, position); });
}

CyclicConstrained cyclic_constrained(const Contraction& contraction, double s, double diameter, double l, double n) {
  require_sensitivity(s);
  require_diameter(diameter);
  require_domain(l >= 1.0 && n >= 1.0 && l * n >= 2.0 && std::isfinite(l), "l n", l * n, "{2, 3, ..., inf}");
  CyclicConstrained result;
  if (l >= 2.0 && n > 1.0) {
    const detail::Powers c(contraction);
    const Real ratio = c.squared_weights(Real(l) - Real(1)) / c.squared_weights(Real(l));
    result.feasible = Real(diameter) >= Real(s) * c.power(Real(l)) * ratio;
  }
  if (std::isinf(n)) {
    result.before_last = cyclic_optimum_before_last(contraction, s, l, n);
    result.whole = cyclic_optimum(contraction, s, l, n, l);
    return result;
  }
  const auto balls = [&] { return detail::cyclic_constrained_balls(detail::Powers(contraction), s, diameter, l, n); };
  result.before_last = nearest([&] { return balls().before_last; });
  result.whole = nearest([&] { return balls().whole; });
  return result;
}

double cyclic_constrained_horizon(const Contraction& contraction, double s, double diameter, double l) {
  require_sensitivity(s);
  require_diameter(diameter);
  require_domain(l >= 1.0 && std::isfinite(l) && std::floor(l) == l, "l", l, "{1, 2, ...}");
  const double epoch = contraction.one_minus_power(l);
  if (s == 0.0 || epoch * diameter >= s) {
    return diameter == 0.0 ? 0.0 : infinity;
  }
  const double h = contraction.decay();
  const double epochs = h == 0.0 ? diameter / s : -std::log1p(-epoch * (diameter / s)) / (l * h);
  return epochs + (2.0 - l) / l;
}

CyclicBest cyclic_constrained_best(const Contraction& contraction, double s, double diameter, double l, double E) {
  CyclicBest best{cyclic_optimum(contraction, s, l, E, l), E, false};
  const double horizon = cyclic_constrained_horizon(contraction, s, diameter, l);
  const double least = l == 1.0 ? 2.0 : 1.0;
  // The two chords have their optima less than one epoch apart, hence two epochs around the first.
  for (double n :
       {least, std::floor(horizon) - 1.0, std::floor(horizon), std::floor(horizon) + 1.0, std::floor(horizon) + 2.0}) {
    n = std::min(std::max(n, least), E - 1.0);
    if (n < least || std::isinf(n)) {
      continue;
    }
    const auto candidate = cyclic_constrained(contraction, s, diameter, l, n);
    if (candidate.feasible && candidate.whole < best.optimum) {
      best = {candidate.whole, n, true};
    }
  }
  if (l == 1.0 && E >= 2.0) {  // the horizon of a single step, which has no chord before it
    const double single = constrained_optimum(contraction, s, diameter, 1.0);
    if (single < best.optimum) {
      best = {single, 1.0, true};
    }
  }
  return best;
}

}  // namespace dpcurves::interpolation
