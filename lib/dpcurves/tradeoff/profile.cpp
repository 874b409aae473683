// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/minimise.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/rigorous/refine.hpp>
#include <dpcurves/tradeoff/profile.hpp>

namespace dpcurves::tradeoff {
namespace {

using rigorous::Real;

// Where `value` is largest on [low, high]: scan, then Brent's method around the best node.
double argument_of_largest(const std::function<double(double)>& value, double low, double high) {
  constexpr int cells = 128;
  double best = value(low), at = low;
  for (int i = 1; i <= cells; ++i) {
    const double x = low + (high - low) * i / cells;
    if (const double y = value(x); y > best) {
      best = y;
      at = x;
    }
  }
  const double step = (high - low) / cells;
  const auto found =
      numerics::minimise([&](double x) { return -value(x); }, std::max(low, at - step), std::min(high, at + step));
  return -found.value > best ? found.at : at;
}

// max(0, 1 - delta - exp(epsilon) a), rounded down.
double steep_tangent(double delta, double epsilon, double a) {
  const auto value = [&] { return Real(1) - Real(delta) - exp(Real(epsilon)) * Real(a); };
  return std::max(0.0, rigorous::refined(value).lower());
}

void check_point(double type_one_error) {
  require_domain(type_one_error >= 0.0 && type_one_error <= 1.0, "type_one_error", type_one_error, "[0, 1]");
}

}  // namespace

Enclosure delta_of_power(const std::function<double(double)>& power, double epsilon) {
  require_domain(std::isfinite(epsilon), "epsilon", epsilon, "(-inf, inf)");
  struct Node {
    double quantile, a, power, gain;
  };
  const auto node = [&](double quantile) {
    const double a = numerics::normal_upper_tail(quantile), p = power(a);
    return Node{quantile, a, p, p - std::exp(epsilon + std::log(a))};
  };
  // Concave in a, hence unimodal in the quantile: scan, then golden section.
  constexpr double highest = 37.0, lowest = -8.2;
  constexpr int cells = 64;
  std::vector<Node> scan;
  for (int i = 0; i <= cells; ++i) {
    scan.push_back(node(highest + (lowest - highest) * i / cells));
  }
  const auto best =
      std::max_element(scan.begin(), scan.end(), [](const Node& p, const Node& q) { return p.gain < q.gain; });
  const double start = std::max(0.0, power(0.0));
  if (best == scan.begin() || best + 1 == scan.end()) {
    // At an end the maximum may lie anywhere up to the border: the power does not fall, the cost does not either.
    const Node& inner = best == scan.begin() ? scan[1] : scan[cells - 1];
    const double cost = best == scan.begin() ? 0.0 : std::exp(epsilon + std::log(inner.a));
    const double upper = best == scan.begin() ? inner.power : 1.0 - cost;
    return clamp(outward({std::max(start, best->gain), std::max({upper, best->gain, start})}, 4e-12), 0.0, 1.0);
  }
  Node left = *(best - 1), middle = *best, right = *(best + 1);  // type I errors increase
  while (left.quantile - right.quantile > 1e-13 * (1.0 + std::abs(middle.quantile))) {
    constexpr double golden = 0.3819660112501051;
    const bool in_left = left.quantile - middle.quantile > middle.quantile - right.quantile;
    const double far = in_left ? left.quantile : right.quantile;
    const Node probe = node(middle.quantile + golden * (far - middle.quantile));
    if (probe.a == middle.a || probe.quantile == middle.quantile) {
      break;
    }
    if (probe.gain > middle.gain) {
      (in_left ? right : left) = middle;
      middle = probe;
    } else {
      (in_left ? left : right) = probe;
    }
  }
  // Beyond the middle the chord from the other side is an upper bound.
  const double by_left =
      middle.a > left.a ? std::max(0.0, middle.gain - left.gain) / (middle.a - left.a) * (right.a - middle.a) : 0.0;
  const double by_right =
      right.a > middle.a ? std::max(0.0, middle.gain - right.gain) / (right.a - middle.a) * (middle.a - left.a) : 0.0;
  const double rounding = 4e-12 * middle.power;
  const double lower = std::max(start, middle.gain - rounding);
  const double upper = std::max(start, middle.gain + std::max(by_left, by_right) + rounding);
  return clamp({next_down(lower), next_up(upper)}, 0.0, 1.0);
}

double tradeoff_of_profile(const std::function<double(double)>& delta, double type_one_error, double lowest,
                           double highest) {
  check_point(type_one_error);
  require_domain(lowest <= highest && std::isfinite(lowest) && std::isfinite(highest), "lowest", lowest,
                 "(-inf, highest]");
  const double epsilon =
      argument_of_largest([&](double e) { return 1.0 - delta(e) - std::exp(e) * type_one_error; }, lowest, highest);
  return steep_tangent(delta(epsilon), epsilon, type_one_error);
}

Enclosure mirrored_delta(const Enclosure& delta_at_opposite, double epsilon) {
  require_domain(std::isfinite(epsilon), "epsilon", epsilon, "(-inf, inf)");
  // 1 - e^epsilon (1 - delta) = (1 - e^epsilon) + e^epsilon delta, two positive terms for epsilon < 0.
  const auto at = [epsilon](double delta) {
    return rigorous::refined([&] {
      const Real e(epsilon), d(delta);
      return epsilon < 0.0 ? exp(e) * d - expm1(e) : Real(1) - exp(e) * (Real(1) - d);
    });
  };
  return clamp({at(delta_at_opposite.lower).lower(), at(delta_at_opposite.upper).upper()}, 0.0, 1.0);
}

}  // namespace dpcurves::tradeoff
