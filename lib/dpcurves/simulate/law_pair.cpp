// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// From two laws to their trade-off curve and privacy profile.
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/numerics/quadrature.hpp>
#include <dpcurves/simulate/detail/chain_law.hpp>

namespace dpcurves::simulate {
namespace {

using numerics::normal_cdf;
using numerics::normal_quantile;
using numerics::normal_upper_quantile;

constexpr double cells_per_noise = 8.0;
constexpr int cell_points = 4;  // relative error of a cell's mass below 1e-13 at an eighth of the noise

double mass(const GaussianMixture& law, double left, double right) {
  const auto rule = numerics::gauss_legendre(cell_points);
  double sum = 0.0;
  for (std::size_t i = 0; i < cell_points; ++i) {
    sum += rule.weights[i] * law.density(0.5 * (left + right) + 0.5 * (right - left) * rule.nodes[i]);
  }
  return 0.5 * (right - left) * sum;
}

/// Phi^{-1} of a probability that is given with its complement.
double quantile(double probability, double complement) {
  return probability <= 0.5 ? normal_quantile(probability) : normal_upper_quantile(complement);
}

}  // namespace

double TradeoffVertex::effective_mu() const {
  return -quantile(type_one_error, one_minus_type_one_error) - quantile(type_two_error, one_minus_type_two_error);
}

LawPair::LawPair(GaussianMixture p, GaussianMixture q, double lower, double upper, double reach_low, double reach_high)
    : p_(std::move(p)), q_(std::move(q)), lower_(lower), upper_(upper) {
  const double count = std::max(16.0, std::ceil((reach_high - reach_low) * cells_per_noise / p_.width));
  const double size = (reach_high - reach_low) / count;
  if (std::isfinite(lower_)) {
    cells_.push_back({lower_, lower_, p_.lower_tail(lower_), q_.lower_tail(lower_)});
    cells_.push_back({upper_, upper_, p_.upper_tail(upper_), q_.upper_tail(upper_)});
  }
  for (double i = 0.0; i < count; ++i) {
    const double left = reach_low + size * i, right = i + 1.0 == count ? reach_high : reach_low + size * (i + 1.0);
    cells_.push_back({left, right, mass(p_, left, right), mass(q_, left, right)});
  }
  std::erase_if(cells_, [](const Cell& cell) { return cell.p <= 0.0 && cell.q <= 0.0; });

  // Neyman and Pearson: reject P first where q / p is largest.
  struct Ranked {
    double log_ratio;
    const Cell* cell;
  };
  std::vector<Ranked> order;
  for (const Cell& cell : cells_) {
    order.push_back({std::log(cell.q) - std::log(cell.p), &cell});
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Ranked& a, const Ranked& b) { return a.log_ratio > b.log_ratio; });
  vertices_.resize(order.size() + 1);
  straight_.resize(order.size() + 1, false);
  double alpha = 0.0, power = 0.0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    alpha += order[i].cell->p;
    power += order[i].cell->q;
    vertices_[i + 1].type_one_error = alpha;
    vertices_[i + 1].one_minus_type_two_error = power;
    straight_[i + 1] = order[i].cell->left == order[i].cell->right;
  }
  // The complements are summed from the other end: each keeps its relative accuracy.
  double rest_p = 0.0, rest_q = 0.0;
  vertices_.back().one_minus_type_one_error = vertices_.back().type_two_error = 0.0;
  for (std::size_t i = order.size(); i-- > 0;) {
    rest_p += order[i].cell->p;
    rest_q += order[i].cell->q;
    vertices_[i].one_minus_type_one_error = rest_p;
    vertices_[i].type_two_error = rest_q;
  }
  // Quadrature leaves the totals within about 1e-14 of 1.
  for (TradeoffVertex& vertex : vertices_) {
    vertex.type_one_error = std::min(1.0, vertex.type_one_error / alpha);
    vertex.one_minus_type_one_error = std::min(1.0, vertex.one_minus_type_one_error / rest_p);
    vertex.type_two_error = std::min(1.0, vertex.type_two_error / rest_q);
    vertex.one_minus_type_two_error = std::min(1.0, vertex.one_minus_type_two_error / power);
  }
}

TradeoffVertex LawPair::on_segment(std::size_t end, bool given_type_one, double error) const {
  const TradeoffVertex& low = vertices_[end - 1];
  const TradeoffVertex& high = vertices_[end];
  const bool inner = low.type_one_error > 0.0 && high.one_minus_type_one_error > 0.0 &&
                     low.one_minus_type_two_error > 0.0 && high.type_two_error > 0.0;
  TradeoffVertex point;
  if (straight_[end] || !inner) {
    const double part = given_type_one ? (error - low.type_one_error) / (high.type_one_error - low.type_one_error)
                                       : (error - low.type_two_error) / (high.type_two_error - low.type_two_error);
    const auto blend = [part](double from, double to) { return from + part * (to - from); };
    point.type_one_error = blend(low.type_one_error, high.type_one_error);
    point.one_minus_type_one_error = blend(low.one_minus_type_one_error, high.one_minus_type_one_error);
    point.type_two_error = blend(low.type_two_error, high.type_two_error);
    point.one_minus_type_two_error = blend(low.one_minus_type_two_error, high.one_minus_type_two_error);
    return point;
  }
  // Linear between quantiles: exact for a Gaussian pair.
  const double x0 = quantile(low.type_one_error, low.one_minus_type_one_error);
  const double x1 = quantile(high.type_one_error, high.one_minus_type_one_error);
  const double y0 = quantile(low.type_two_error, low.one_minus_type_two_error);
  const double y1 = quantile(high.type_two_error, high.one_minus_type_two_error);
  const double part =
      (quantile(error, 1.0 - error) - (given_type_one ? x0 : y0)) / (given_type_one ? x1 - x0 : y1 - y0);
  const double x = x0 + part * (x1 - x0), y = y0 + part * (y1 - y0);
  return {normal_cdf(x), normal_cdf(-x), normal_cdf(y), normal_cdf(-y)};
}

TradeoffVertex LawPair::at_type_one(double error) const {
  require_domain(error >= 0.0 && error <= 1.0, "type_one_error", error, "[0, 1]");
  const auto above = std::lower_bound(vertices_.begin(), vertices_.end(), error,
                                      [](const TradeoffVertex& v, double value) { return v.type_one_error < value; });
  if (above == vertices_.end() || above->type_one_error == error) {
    // The last of equal errors has the smaller type II error.
    const auto last = std::upper_bound(vertices_.begin(), vertices_.end(), error,
                                       [](double value, const TradeoffVertex& v) { return value < v.type_one_error; });
    return last[-1];
  }
  return on_segment(static_cast<std::size_t>(above - vertices_.begin()), true, error);
}

TradeoffVertex LawPair::at_type_two(double error) const {
  const auto below = std::lower_bound(vertices_.begin(), vertices_.end(), error,
                                      [](const TradeoffVertex& v, double value) { return v.type_two_error > value; });
  if (below == vertices_.begin() || below == vertices_.end() || below->type_two_error == error) {
    return below == vertices_.end() ? vertices_.back() : *below;
  }
  return on_segment(static_cast<std::size_t>(below - vertices_.begin()), false, error);
}

double LawPair::type_two_error(double type_one_error) const { return at_type_one(type_one_error).type_two_error; }

double LawPair::effective_mu(double type_one_error) const {
  require_domain(type_one_error > 0.0 && type_one_error < 1.0, "type_one_error", type_one_error, "(0, 1)");
  return at_type_one(type_one_error).effective_mu();
}

double LawPair::largest_effective_mu(double smallest_error) const {
  require_domain(smallest_error > 0.0 && smallest_error < 0.5, "smallest_error", smallest_error, "(0, 0.5)");
  double largest = 0.0;
  const auto see = [&](const TradeoffVertex& point) {
    if (point.type_one_error >= smallest_error * (1.0 - 1e-9) &&
        point.type_two_error >= smallest_error * (1.0 - 1e-9) && point.one_minus_type_one_error > 0.0 &&
        point.one_minus_type_two_error > 0.0) {
      largest = std::max(largest, point.effective_mu());
    }
  };
  see(at_type_one(smallest_error));
  see(at_type_two(smallest_error));
  std::for_each(vertices_.begin(), vertices_.end(), see);
  return largest;
}

double LawPair::hockey_stick(double epsilon, bool reverse) const {
  require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
  const GaussianMixture& up = reverse ? p_ : q_;
  const GaussianMixture& down = reverse ? q_ : p_;
  if (std::isinf(epsilon)) {
    return epsilon < 0.0 ? 1.0 : 0.0;
  }
  const double factor = std::exp(epsilon);
  const auto excess = [&](double x) { return up.density(x) - factor * down.density(x); };
  double sum = 0.0;
  for (const Cell& cell : cells_) {
    const double gain = reverse ? cell.p - factor * cell.q : cell.q - factor * cell.p;
    // A cell near the threshold may hold a change of sign: integrate its positive part only.
    const double size = std::max(cell.p, cell.q * factor) + std::max(cell.q, cell.p * factor);
    if (cell.left == cell.right || std::abs(gain) > 0.9 * size || size < 1e-60) {
      sum += std::max(0.0, gain);
      continue;
    }
    double left = cell.left, right = cell.right;
    const bool left_positive = excess(left) > 0.0, right_positive = excess(right) > 0.0;
    if (left_positive == right_positive) {
      sum += std::max(0.0, gain);
      continue;
    }
    for (int i = 0; i < 50 && right - left > 1e-15 * std::abs(right); ++i) {
      const double middle = 0.5 * (left + right);
      ((excess(middle) > 0.0) == left_positive ? left : right) = middle;
    }
    const double from = left_positive ? cell.left : right, to = left_positive ? left : cell.right;
    sum += std::max(0.0, mass(up, from, to) - factor * mass(down, from, to));
  }
  return std::clamp(sum, 0.0, 1.0);
}

double LawPair::delta(double epsilon) const { return hockey_stick(epsilon, false); }
double LawPair::delta_reverse(double epsilon) const { return hockey_stick(epsilon, true); }

}  // namespace dpcurves::simulate
