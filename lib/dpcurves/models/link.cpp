// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/models/link.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/numerics/quadrature.hpp>

namespace dpcurves::models {
namespace {

using std::numbers::pi;
using std::numbers::sqrt2;

double sigmoid(double u) {
  const double e = std::exp(-std::abs(u));
  return (u >= 0.0 ? 1.0 : e) / (1.0 + e);
}

double softplus(double u) { return std::max(u, 0.0) + std::log1p(std::exp(-std::abs(u))); }

/// The integral of Phi over (-inf, u].
double normal_primitive(double u) {
  if (u < 0.0) {  // u Phi(u) + phi(u) would cancel
    return numerics::normal_density(u) * numerics::mills_slope(-u);
  }
  return u * numerics::normal_cdf(u) + numerics::normal_density(u);
}

/// Bregman divergences D(a, b) of the primitives at slope 1, with width = a - b given apart: it is known better than
/// the difference of two arguments that were multiplied by a slope.
struct Pair {
  double a = 0.0, b = 0.0, width = 0.0;
  [[nodiscard]] Pair scaled(double by) const { return {by * a, by * b, by * width}; }
};

/// width^2 times the mean of g'(b + t width) with weight 1 - t: no cancellation, for smooth g and short intervals.
template <class Derivative>
double by_quadrature(const Pair& p, const Derivative& derivative) {
  static const numerics::GaussRule rule = numerics::gauss_legendre(24);
  double sum = 0.0;
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
    const double t = 0.5 * (1.0 + rule.nodes[i]);
    sum += rule.weights[i] * (1.0 - t) * derivative(p.b + t * p.width);
  }
  return 0.5 * p.width * (p.width * sum);
}

double sigmoid_derivative(double u) {
  const double e = std::exp(-std::abs(u));
  return e / ((1.0 + e) * (1.0 + e));
}

double sigmoid_bregman(const Pair& p) {
  if (p.b > 0.0) {  // S(u) - u is S(-u): the linear part does not count, and the small exponentials are kept
    return sigmoid_bregman(p.scaled(-1.0));
  }
  if (std::abs(p.width) < 1.0) {  // the poles of the derivative are pi away
    return by_quadrature(p, sigmoid_derivative);
  }
  const double s = sigmoid(p.b);
  if (p.width > 30.0) {  // exp(width) may overflow
    return softplus(p.a) - softplus(p.b) - s * p.width;
  }
  return std::log1p(s * std::expm1(p.width)) - s * p.width;
}

double probit_bregman(const Pair& p) {
  if (p.b > 0.0) {
    return probit_bregman(p.scaled(-1.0));
  }
  if (std::abs(p.width) * (1.0 - p.b) < 1.0) {
    return by_quadrature(p, [](double u) { return numerics::normal_density(u); });
  }
  return normal_primitive(p.a) - normal_primitive(p.b) - numerics::normal_cdf(p.b) * p.width;
}

double arctan_bregman(const Pair& p) {
  const double scale = std::hypot(1.0, p.b);  // the poles of the derivative are as far away
  if (std::abs(p.width) < 0.5 * scale) {
    return by_quadrature(p, [](double u) { return 1.0 / (1.0 + u * u); });
  }
  // atan a - atan b is the angle between (1, b) and (1, a).
  return p.a * std::atan2(p.width, 1.0 + p.a * p.b) - std::log(std::hypot(1.0, p.a) / scale);
}

double relu_bregman(const Pair& p) {
  if (p.b < 0.0) {
    return p.a > 0.0 ? 0.5 * p.a * p.a : 0.0;
  }
  return p.a >= 0.0 ? 0.5 * p.width * p.width : p.b * (0.5 * p.b - p.a);
}

double hard_tanh_bregman(const Pair& p) {
  if (p.a < p.b) {
    return hard_tanh_bregman(p.scaled(-1.0));
  }
  if (p.b >= 1.0) {
    return 0.0;
  }
  const double from = std::max(p.b, -1.0);
  const double inside = p.b >= -1.0 && p.a <= 1.0 ? p.width : std::max(0.0, std::min(p.a, 1.0) - from);
  return 0.5 * inside * inside + std::max(0.0, p.a - 1.0) * (1.0 - from);
}

double sign_bregman(const Pair& p) {
  if (p.b == 0.0) {
    return std::abs(p.a);
  }
  return (p.a > 0.0) != (p.b > 0.0) ? 2.0 * std::abs(p.a) : 0.0;
}

}  // namespace

double Link::value(double u) const {
  const double v = slope * u;
  switch (kind) {
    case LinkKind::sigmoid:
      return sigmoid(v);
    case LinkKind::tanh:
      return std::tanh(v);
    case LinkKind::relu:
      return std::isnan(v) ? v : std::max(v, 0.0);
    case LinkKind::identity:
      return v;
    case LinkKind::probit:
      return std::isnan(v) ? v : numerics::normal_cdf(v);
    case LinkKind::erf:
      return std::erf(v);
    case LinkKind::arctan:
      return std::atan(v);
    case LinkKind::hard_tanh:
      return std::clamp(v, -1.0, 1.0);
    case LinkKind::sign:
      return std::isnan(v) ? v : static_cast<double>((v > 0.0) - (v < 0.0));
  }
  return v;
}

double Link::derivative(double u) const {
  const double v = slope * u;
  if (std::isnan(v)) {
    return v;
  }
  switch (kind) {
    case LinkKind::sigmoid:
      return slope * sigmoid_derivative(v);
    case LinkKind::tanh:
      return slope * (4.0 * sigmoid_derivative(2.0 * v));
    case LinkKind::relu:
      return v >= 0.0 ? slope : 0.0;
    case LinkKind::identity:
      return slope;
    case LinkKind::probit:
      return slope * numerics::normal_density(v);
    case LinkKind::erf:
      return slope * (2.0 * sqrt2 * numerics::normal_density(sqrt2 * v));
    case LinkKind::arctan:
      return slope / (1.0 + v * v);
    case LinkKind::hard_tanh:
      return v >= -1.0 && v < 1.0 ? slope : 0.0;
    case LinkKind::sign:
      break;
  }
  return 0.0;
}

double Link::primitive(double u) const {
  const double v = slope * u;
  if (std::isnan(v)) {
    return v;
  }
  if (std::isinf(v)) {
    const bool flat = kind == LinkKind::relu || kind == LinkKind::sigmoid || kind == LinkKind::probit;
    return v > 0.0 || !flat ? infinity : (kind == LinkKind::relu ? 0.0 : primitive(-1000.0 / slope));
  }
  // The divergence from 0 is S without its linear part value(0) u, and does not cancel; far out the parts would.
  constexpr double near = 1.0;
  if (kind == LinkKind::sigmoid && std::abs(v) > near) {
    return (softplus(v) - std::numbers::ln2) / slope;
  }
  if (kind == LinkKind::probit && std::abs(v) > near) {
    return (normal_primitive(v) - numerics::normal_density(0.0)) / slope;
  }
  return bregman(u, 0.0) + value(0.0) * u;
}

double Link::bregman(double a, double b) const {
  const Pair p{slope * a, slope * b, slope * (a - b)};
  switch (kind) {
    case LinkKind::sigmoid:
      return sigmoid_bregman(p) / slope;
    case LinkKind::tanh:  // tanh u = 2 sigmoid(2 u) - 1
      return sigmoid_bregman(p.scaled(2.0)) / slope;
    case LinkKind::relu:
      return relu_bregman(p) / slope;
    case LinkKind::identity:
      return 0.5 * p.width * (a - b);
    case LinkKind::probit:
      return probit_bregman(p) / slope;
    case LinkKind::erf:  // erf u = 2 Phi(sqrt2 u) - 1
      return sqrt2 * probit_bregman(p.scaled(sqrt2)) / slope;
    case LinkKind::arctan:
      return arctan_bregman(p) / slope;
    case LinkKind::hard_tanh:
      return hard_tanh_bregman(p) / slope;
    case LinkKind::sign:
      return sign_bregman(p) / slope;
  }
  return 0.0;
}

double Link::lipschitz() const {
  switch (kind) {
    case LinkKind::sigmoid:
      return 0.25 * slope;
    case LinkKind::probit:
      return slope / std::sqrt(2.0 * pi);
    case LinkKind::erf:
      return slope * 2.0 * std::numbers::inv_sqrtpi;
    case LinkKind::sign:
      return infinity;
    default:
      return slope;
  }
}

double Link::lowest() const {
  switch (kind) {
    case LinkKind::sigmoid:
    case LinkKind::probit:
    case LinkKind::relu:
      return 0.0;
    case LinkKind::identity:
      return -infinity;
    case LinkKind::arctan:
      return -0.5 * pi;
    default:
      return -1.0;
  }
}

double Link::highest() const {
  switch (kind) {
    case LinkKind::relu:
    case LinkKind::identity:
      return infinity;
    case LinkKind::arctan:
      return 0.5 * pi;
    default:
      return 1.0;
  }
}

double Link::bound() const { return std::max(-lowest(), highest()); }

double surrogate_loss(const Link& link, double u, double label) { return link.primitive(u) - label * u; }

Link make_link(LinkKind kind, double slope) {
  require_domain(slope > 0.0 && std::isfinite(slope), "slope", slope, "(0, inf)");
  return {kind, slope};
}

std::string to_string(LinkKind kind) {
  for (const auto& [value, name] : enumerators(kind)) {
    if (value == kind) {
      return std::string(name);
    }
  }
  return "";
}

const std::vector<LinkKind>& all_links() {
  static const std::vector<LinkKind> links = [] {
    return mapped(enumerators(LinkKind{}), [&](const auto& one) { return one.first; });
  }();
  return links;
}

LinkKind link_of(const std::string& name) {
  std::string names;
  for (const LinkKind kind : all_links()) {
    if (to_string(kind) == name) {
      return kind;
    }
    names += (names.empty() ? "" : ", ") + to_string(kind);
  }
  throw DomainError("link: \"" + name + "\" is none of " + names);
}

}  // namespace dpcurves::models
