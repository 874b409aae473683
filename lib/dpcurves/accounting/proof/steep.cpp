// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/accounting/proof/plain.hpp>
#include <dpcurves/accounting/proof/steep.hpp>
#include <dpcurves/accounting/proof/steep_paths.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

constexpr double pi = std::numbers::pi;

// The contour ends at 76 degrees; its strip reaches down to 65 degrees and the paths in x rise to 39 and more, together
// beyond a right angle; and up to 87 degrees, where e^{-z epsilon} still falls.
constexpr double bend = 0.24, angle_outside = 0.18, angle_inside = 0.2;
constexpr double widths = 3.0;  // the contour's scale, in widths of the integrand at its saddle point

/// One contour through plan.c.
class Steep {
 public:
  Steep(const Problem& problem, Plan& plan, const Cumulant& cumulant, double side, double digits, Bearings& bearings)
      : problem_(problem), plan_(plan), cumulant_(cumulant), digits_(digits), bearings_(bearings) {
    plan.bend = side * bend;
    plan.scale = round_down(widths * plan.width, 20);
    plan.digits = digits + std::log(problem.total_count() + 1.0) + 3.0;
    plan.up = side > 0.0 ? angle_outside : angle_inside;
    plan.down = side > 0.0 ? angle_inside : angle_outside;
  }

  /// Fills in the plan; false where it is of no use.
  [[nodiscard]] bool find() {
    double rate = plan_.epsilon;  // at which the integrand decays far out
    for (const Step& s : problem_.steps) {
      const double largest = -s.count * std::log1p(-s.q);
      rate += s.pair == Pair::poisson_remove ? largest : s.pair == Pair::poisson_add ? -largest : 0.0;
    }
    if (!(rate * plan_.bend > 0.0)) {
      return false;
    }
    last_ = std::acosh(1.0 + (digits_ + 3.0) / (rate * plan_.bend * plan_.scale));
    keep_off_poles();
    constexpr int rounds = 3;
    for (int i = 0; i < rounds; ++i) {
      const double served = last_;
      if (!lay() || !end()) {
        return false;
      }
      if (last_ <= served + 0.1) {
        return finish();
      }
      last_ += 0.25;
    }
    return lay() && end() && finish();
  }

 private:
  [[nodiscard]] Plain where(Plain t) const {
    return plan_.c + plan_.scale * (plan_.bend * (std::cosh(t) - 1.0) + Plain(0.0, 1.0) * std::sinh(t));
  }

  /// z(i y) = c + scale (bend (cos y - 1) - sin y) stays between the poles.
  void keep_off_poles() {
    const double c = plan_.c, left = 0.93 * (c > 0.0 ? c : 1.0 + c), right = c > 0.0 ? infinity : -0.93 * c;
    while (plan_.scale * (plan_.bend * (std::cos(plan_.up) - 1.0) - std::sin(plan_.up)) < -left) {
      plan_.up *= 0.95;
    }
    while (plan_.scale * (plan_.bend * (std::cos(plan_.down) - 1.0) + std::sin(plan_.down)) > right) {
      plan_.down *= 0.95;
    }
  }

  /// The paths for the contour up to last_ in its strip; false where there is none.
  [[nodiscard]] bool lay() {
    constexpr long most_nodes = 20000;
    long nodes = 0;
    plan_.paths.clear();
    try {
      for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
        const std::vector<Order> orders = orders_of(i);
        std::vector<Path> row;
        for (const Piece& p : problem_.steps[i].pieces) {
          row.push_back(steep_path(p, orders, bearings_[i][row.size()]));
          nodes += row.back().count;
        }
        plan_.paths.push_back(std::move(row));
      }
    } catch (const ConvergenceError&) {
      return false;
    }
    plan_.tails = plan_.paths;
    nodes_ = static_cast<double>(nodes);
    return nodes < most_nodes;
  }

  [[nodiscard]] std::vector<Order> orders_of(std::size_t i) const {
    const double count = problem_.steps[i].count, mean = cumulant_.mean[i], each = cumulant_.each[i];
    const double few = 8.0 + std::log(count + 1.0);  // digits of M on the displaced contours
    const double half_step = pi * angle_inside / (digits_ + 8.0);
    std::vector<Order> orders;
    const int samples = 2 * static_cast<int>(std::ceil(last_)) + 4;
    for (int j = 0; j <= samples; ++j) {
      const double t = (last_ + 0.12) * j / samples;  // cells reach half a step beyond
      const Plain z = where(t);
      const double off = z.real() - plan_.c;
      // |F| stays below F(c) where the contour turns right, and falls with e^{z m} where it turns left.
      const double slack =
          plan_.bend > 0.0 ? std::max(0.0, off) * plan_.epsilon : off * (plan_.epsilon - (count - 1.0) * mean);
      orders.push_back({z, each + slack - plan_.digits, 0.0});
      for (const double y : {plan_.up, -plan_.down}) {
        const Plain w = where({t, y});
        const double more = w.real() - plan_.c;
        const double share =
            plan_.bend > 0.0 ? std::max(0.0, more) * plan_.epsilon / problem_.total_count() : more * mean;
        orders.push_back({w, each + share - few, half_step * std::abs(w - plan_.c) + 0.01 * plan_.width});
      }
    }
    return orders;
  }

  /// The end of the contour: where the ray above it is negligible.
  [[nodiscard]] bool end() {
    Plan coarse = plan_;  // half of the nodes give half of the digits, enough to plan with
    for (auto& row : coarse.paths) {
      for (Path& p : row) {
        p.h *= 2.0;
        p.count = (p.count + 1) / 2;
      }
    }
    contour_.emplace(problem_, coarse);
    value_ = contour_->log_integrand(0.0, plan_.epsilon).real() + std::log(std::min(1.0, plan_.width / plan_.scale));
    const double goal = value_ - digits_;
    for (const double share : {0.2, 0.4, 0.6, 0.8}) {  // where F decays by itself
      if (contour_->log_ray(share * last_, plan_.epsilon) < goal) {
        last_ *= share;
        return true;
      }
    }
    constexpr int longer = 30;
    for (int i = 0; i < longer; ++i) {
      if (contour_->log_ray(last_, plan_.epsilon) < goal) {
        return true;
      }
      last_ += 0.25;
    }
    return false;
  }

  /// The step that a displaced contour allows.
  [[nodiscard]] double step(double angle) const {
    double log_n = -infinity;
    const double h = 2.0 * pi * std::abs(angle) / (digits_ + 8.0);
    const int parts = 2 * static_cast<int>(std::ceil(last_)) + 6;
    for (int i = 0; i <= parts; ++i) {
      const Plain t(last_ * i / parts, angle);
      double v = contour_->log_disc(t, h, plan_.epsilon);
      const double least = std::max(value_ - digits_, contour_->log_integrand(t, plan_.epsilon).real());
      for (const double share : {0.5, 0.25, 0.125}) {  // cells are halved where it helps
        if (v > least + 2.0) {
          v = contour_->log_disc(t, share * h, plan_.epsilon);
        }
      }
      log_n = std::isnan(v) ? infinity : log_add(log_n, v + std::log(last_ / parts));
    }
    return 2.0 * pi * std::abs(angle) / (digits_ + 1.5 + std::max(log_n - value_, -2.0));
  }

  /// The strip, the step and the number of nodes.
  [[nodiscard]] bool finish() {
    const auto widest = [&](double sign, double& angle) {
      const double most = angle;
      double best = 0.0;
      for (const double share : {1.0, 0.7, 0.45, 0.25}) {
        const double h = step(sign * share * most);
        if (!(h > best)) {
          break;
        }
        best = h;
        angle = share * most;
      }
      return best;
    };
    const double up = widest(1.0, plan_.up), down = widest(-1.0, plan_.down);
    plan_.up = round_down(plan_.up, 20);
    plan_.down = round_down(plan_.down, 20);
    plan_.h = round_down(std::min(up, down), 20);
    constexpr double most_steps = 3000.0;
    if (!(plan_.h > 0.0) || !(last_ / plan_.h < most_steps)) {
      return false;
    }
    plan_.n = static_cast<long>(std::ceil(last_ / plan_.h));
    plan_.work = 3.0 * static_cast<double>(plan_.n + 8) * nodes_;
    return true;
  }

  const Problem& problem_;
  Plan& plan_;
  const Cumulant& cumulant_;
  double digits_;
  Bearings& bearings_;
  double last_ = 0.0, nodes_ = 0.0, value_ = 0.0;
  std::optional<Contour> contour_;
};

/// Where to cross the real axis: the saddle point c, and before the order at which M(c) is made of losses beyond the
/// branch point, which the rising paths do not like.
std::vector<double> places(const Problem& problem, double c, double side) {
  double hump = infinity;
  for (const Step& s : problem.steps) {
    const double steep = s.pieces.front().steepest() * s.mu;
    hump = std::min(hump, (std::log1p(-s.q) - std::log(s.q)) / (steep * steep) - 0.5);
  }
  std::vector<double> list{c};
  for (const double share : {0.9, 0.5}) {
    if (c > 0.0 && side > 0.0 && hump > 0.0 && share * hump < 0.8 * c) {
      list.push_back(share * hump);
    }
  }
  return list;
}

}  // namespace

Plan steep_plan(const Problem& problem, double c, double epsilon, double digits, Bearings& bearings, double most_work) {
  constexpr double enough = 1e6;  // work: proving takes no longer than looking for another contour
  bearings.resize(problem.steps.size());
  double side = 1.0;
  for (std::size_t i = 0; i < problem.steps.size(); ++i) {
    bearings[i].resize(problem.steps[i].pieces.size());
    side = problem.steps[i].pair == Pair::poisson_add ? -1.0 : side;
  }
  Plan best;
  best.work = infinity;
  double base = 0.0;
  for (const double place : places(problem, c, side)) {
    Plan plan;
    plan.c = round_down(std::abs(place), 24) * (place < 0.0 ? -1.0 : 1.0);
    plan.epsilon = epsilon;
    plan.wanted = digits;
    const double p = plan.c;
    const Cumulant k = cumulant(problem, p);
    plan.reference = k.each;
    plan.mean = k.mean;
    plan.width = 1.0 / std::sqrt(k.second + 1.0 / (p * p) + 1.0 / ((1.0 + p) * (1.0 + p)));
    const double size = k.k - p * epsilon + std::log(plan.width / std::abs(p * (1.0 + p)));
    base = place == c ? size : base;
    const double all = digits + std::max(0.0, size - base);  // away from the saddle point digits are lost
    if (Steep(problem, plan, k, side, all, bearings).find() && plan.work < best.work) {
      best = std::move(plan);
    }
    if (best.work < enough) {
      break;
    }
  }
  if (!(best.work < most_work)) {
    throw ConvergenceError("no steep contour is short enough");
  }
  best.bits =
      static_cast<long>(std::ceil((best.digits + std::log(1.0 + std::abs(epsilon * best.c))) / std::numbers::ln2)) + 32;
  best.bits = (best.bits + 63) / 64 * 64;
  return best;
}

}  // namespace dpcurves::accounting::proof
