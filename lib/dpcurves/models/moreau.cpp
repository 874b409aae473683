// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/moreau.hpp>
#include <dpcurves/numerics/roots.hpp>

namespace dpcurves::models {
namespace {

void require_point(double label, double beta, double at) {
  require_domain(std::isfinite(label), "y", label, "(-inf, inf)");
  require_domain(beta > 0.0 && std::isfinite(beta), "beta", beta, "(0, inf)");
  require_domain(std::isfinite(at), "m", at, "(-inf, inf)");
}

/// From the displacement u - m, which has more digits than the difference of two rounded points.
Prox displaced(double beta, double at, double by, int evaluations = 0) { return {at + by, -beta * by, evaluations}; }

/// On a piece where the link is gain u: u - m solves (beta + gain) (u - m) = y - gain m.
Prox on_line(double gain, double label, double beta, double at) {
  return displaced(beta, at, (label - gain * at) / (beta + gain));
}

/// Links that are flat at -1 and 1 outside (-edge, edge) and gain u inside; without an inside, the kink at 0.
Prox between_levels(double edge, double gain, double label, double beta, double at) {
  const double from_above = at - (1.0 - label) / beta, from_below = at + (1.0 + label) / beta;
  if (from_above > edge) {
    return {from_above, 1.0 - label, 0};
  }
  if (from_below < -edge) {
    return {from_below, -1.0 - label, 0};
  }
  return edge > 0.0 ? on_line(gain, label, beta, at) : Prox{0.0, beta * at, 0};
}

/// link(u) - lowest for u <= 0, without cancellation, of the smooth links; each has highest - link(u) at -u.
double above_lowest(const Link& link, double u) {
  const double v = link.slope * u;
  switch (link.kind) {
    case LinkKind::tanh:
      return 2.0 * Link{LinkKind::sigmoid, 1.0}.value(2.0 * v);
    case LinkKind::erf:
      return 2.0 * Link{LinkKind::probit, 1.0}.value(std::numbers::sqrt2 * v);
    case LinkKind::arctan:
      return std::atan2(1.0, -v);
    default:
      return link.value(u);
  }
}

/// Smooth links. With r = link(m) - y, the root lies against the sign of r, at a distance between |r|/(beta + G) and
/// |r|/beta: on the way the link changes by at most G times the distance, and towards y.
Prox by_root(const Link& link, double label, double beta, double at) {
  // link(u) - y keeps its digits when it is formed from the nearer of 0 and an end of the range: labels of two classes
  // are such ends.
  const double over_lowest = link.lowest() - label, over_highest = link.highest() - label;
  const auto excess = [&](double u) {
    const double value = link.value(u), tail = above_lowest(link, -std::abs(u));
    const double end = u <= 0.0 ? over_lowest : over_highest;
    const double by_end = u <= 0.0 ? end + tail : end - tail;
    return std::abs(end) + tail < std::abs(value) + std::abs(label) ? by_end : value - label;
  };
  const double slope = excess(at);
  int evaluations = 1;
  if (slope == 0.0) {
    return displaced(beta, at, 0.0, evaluations);
  }
  if (std::abs(slope) / beta < std::numeric_limits<double>::min()) {  // so near that the link is its tangent
    return {at, slope / (1.0 + link.derivative(at) / beta), evaluations};
  }
  const double side = slope > 0.0 ? -1.0 : 1.0;
  const auto residual = [&](double distance) {  // negative below the root
    ++evaluations;
    return side * excess(at + side * distance) + beta * distance;
  };
  constexpr double rounding = 1e-15, farthest = 1e300;
  constexpr double nearest = std::numeric_limits<double>::denorm_min();  // from 0 no mean of magnitudes leads away
  double near = std::max(std::abs(slope) / (beta + link.lipschitz()) * (1.0 - rounding), nearest);
  double far = std::clamp(std::abs(slope) / beta * (1.0 + rounding), near, farthest);
  while (far > 4.0 * near) {  // a small beta: find the order of magnitude first
    const double middle = std::sqrt(near) * std::sqrt(far);
    (residual(middle) < 0.0 ? near : far) = middle;
  }
  double distance = 0.0;
  if (residual(near) >= 0.0) {  // equal to the end up to rounding
    distance = near;
  } else if (residual(far) <= 0.0) {
    require_domain(far < farthest, "beta", beta, "values whose proximal point is below 1e300");
    distance = far;
  } else {
    const auto found = numerics::root(residual, near, far);
    distance = 0.5 * (found.lower + found.upper);
  }
  return displaced(beta, at, side * distance, evaluations);
}

}  // namespace

Prox prox(const Link& link, double label, double beta, double at) {
  require_domain(link.slope > 0.0 && std::isfinite(link.slope), "slope", link.slope, "(0, inf)");
  require_point(label, beta, at);
  switch (link.kind) {
    case LinkKind::identity:
      return on_line(link.slope, label, beta, at);
    case LinkKind::relu:
      return at + label / beta > 0.0 ? on_line(link.slope, label, beta, at) : displaced(beta, at, label / beta);
    case LinkKind::hard_tanh:
      return between_levels(1.0 / link.slope, link.slope, label, beta, at);
    case LinkKind::sign:
      return between_levels(0.0, 0.0, label, beta, at);
    default:
      return by_root(link, label, beta, at);
  }
}

double moreau_envelope(const Link& link, double label, double beta, double at) {
  const auto p = prox(link, label, beta, at);
  return surrogate_loss(link, p.point, label) + 0.5 * p.slope * (at - p.point);
}

double moreau_gap(const Link& link, double label, double beta, double at) {
  // g(m) - g(u) = D(m, u) + g'(u) (m - u) and g'(u) = beta (m - u). A kink at u leaves the subgradient p.slope in the
  // place of g'(u), which the second term makes up for.
  const auto p = prox(link, label, beta, at);
  const double distance = p.slope / beta;
  const double kink = link.kind == LinkKind::sign ? (link.value(p.point) - label - p.slope) * (at - p.point) : 0.0;
  return std::max(0.0, link.bregman(at, p.point) + kink + 0.5 * p.slope * distance);
}

double oracle_steps(double label_bound, double accuracy) {
  require_domain(label_bound > 0.0 && std::isfinite(label_bound), "B", label_bound, "(0, inf)");
  require_domain(accuracy > 0.0 && std::isfinite(accuracy), "gamma", accuracy, "(0, inf)");
  const double ratio = 12.0 * (label_bound / accuracy);
  constexpr double forgiven = 1e-12;  // 144 B^2/gamma^2 is often a whole number but for rounding
  return std::max(1.0, std::ceil(ratio * ratio * (1.0 - forgiven)));
}

double oracle_error_bound(double label_bound, double steps) {
  require_domain(label_bound > 0.0 && std::isfinite(label_bound), "B", label_bound, "(0, inf)");
  require_domain(steps >= 1.0, "T", steps, "[1, inf]");
  return 12.0 * (label_bound / std::sqrt(steps + 1.0));
}

double oracle_slope(const Link& link, double label, double label_bound, double beta, double at, std::uint64_t steps) {
  require_point(label, beta, at);
  require_domain(label_bound > 0.0 && std::isfinite(label_bound), "B", label_bound, "(0, inf)");
  require_domain(steps >= 1, "T", static_cast<double>(steps), "[1, 2^64)");
  const double low = at - 4.0 * label_bound / beta, high = at + 4.0 * label_bound / beta;
  const auto total = static_cast<double>(steps);
  double u = at, mean = 0.0;
  for (std::uint64_t step = 1; step <= steps; ++step) {
    const auto t = static_cast<double>(step);
    mean += (2.0 * t / (total * (total + 1.0))) * u;
    u = std::clamp(u - 2.0 / (beta * (t + 1.0)) * (link.value(u) - label + beta * (u - at)), low, high);
  }
  return beta * (at - mean);
}

}  // namespace dpcurves::models
