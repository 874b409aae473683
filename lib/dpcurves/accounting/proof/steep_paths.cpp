// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <dpcurves/accounting/proof/steep_paths.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double at_start = -1e3, after_start = -2e3;  // places of the bend that are not measured from the edge

class Search {
 public:
  Search(const Piece& piece, const std::vector<Order>& orders) : piece_(piece), orders_(orders) {
    const int m = piece.steepest();
    unit_ = 1.0 / (m * piece.mu);
    odds_ = std::log1p(-piece.q) - std::log(piece.q);
    edge_ = odds_ * unit_ + 0.5 * m * piece.mu;
    start_ = 0.5 * (piece.a + piece.n) * piece.mu;
    for (const Order& o : orders) {
      largest_ = std::max(largest_, std::abs(o.z));
      digits_ = std::max(digits_, -o.cut);
    }
  }

  /// Coordinate by coordinate: height of Im u, strip over height, place of the bend beyond the edge, slope.
  [[nodiscard]] Path best(std::optional<Bearing>& known) const {
    const bool sloped = !piece_.half || piece_.side() > 0;
    if (known) {
      Path again = path(known->at);
      if (measure(again) < 1.3 * known->cost * (digits_ + 8.0)) {
        return again;
      }
    }
    std::array<double, 4> at{2.0, sloped ? 0.35 : 0.56, 1.0, sloped ? 0.8 : 0.0};
    const std::array<std::vector<double>, 4> choices{{{0.3, 0.6, 1.1, 1.6, 2.3},
                                                      {0.25, 0.45, 0.56},
                                                      {0.0, 2.0, 3.5, 6.0, at_start, after_start},
                                                      {0.4, 0.6, 0.7, 0.88}}};
    const std::vector<std::size_t> turns =
        sloped ? std::vector<std::size_t>{2, 0, 1, 3} : std::vector<std::size_t>{0, 1};
    Path found = path(at);
    double cost = measure(found);
    for (int round = 0; round < 2; ++round) {
      const double before = cost;
      for (const std::size_t k : turns) {
        double chosen = at[k];
        for (const double v : choices[k]) {
          at[k] = v;
          Path p = path(at);
          const double c = measure(p);
          if (c < cost) {
            cost = c;
            found = p;
            chosen = v;
          }
        }
        at[k] = chosen;
      }
      constexpr double few = 12.0;  // nodes a digit: not worth another round
      if (!(cost < 0.9 * before) || cost < few * digits_) {
        break;
      }
    }
    if (!(cost < infinity)) {
      throw ConvergenceError("no path was found");
    }
    known = Bearing{at, cost / (digits_ + 8.0)};
    return found;
  }

 private:
  [[nodiscard]] Path path(const std::array<double, 4>& at) const {
    Path p;
    const double height = std::min(at[0] * unit_, 6.0);
    const double bend = at[2] == at_start ? start_ : at[2] == after_start ? start_ + 1.5 : edge_ + at[2] * unit_;
    if (piece_.half) {
      p.d = 1.0;
      p.up = p.down = round_down(at[1], 20);
      p.scale = round_down(std::min(height, 3.0), 20);
      if (at[3] != 0.0) {
        p.slope = round_down(at[3] * p.scale, 20);
        p.tau = 0.40625;
        p.bend = round_down(std::max(0.0625, (bend - start_) / p.scale), 20);
      } else if (constexpr double large = 1e3; piece_.a == 0 && largest_ > large) {
        p.scale = std::min(p.scale, round_down(1.55 * unit_, 20));  // |r| >= 1 - q up to a right angle, at d = 1
      } else if (piece_.steepest() == 2) {
        p.scale = round_down(std::min(p.scale, 0.98 * piece_.highest() / (piece_.mu * (p.d + p.up))), 20);
      }
      return p;
    }
    p.d = round_down(height, 20);
    p.up = p.down = round_down(at[1] * p.d, 20);
    p.slope = at[3];
    p.tau = round_down(std::max(0.5 * unit_, 0.6 * p.up), 20);
    p.bend = std::abs(bend) > 1e-3 ? std::copysign(round_down(std::abs(bend), 20), bend) : 1e-3;
    return p;
  }

  /// By how much the law of order z is moved outwards, at a slope.
  [[nodiscard]] double pull(const Order& o, double slope) const {
    const double re = o.z.real();
    const double order = piece_.a > 0 ? piece_.a * (re + 1.0) - std::max(0, piece_.n) * re : -re;
    return piece_.mu * (order - slope * std::abs(o.z.imag()));
  }
  [[nodiscard]] double slope_of(const Path& p) const { return p.slope / (piece_.half ? p.scale : 1.0); }
  /// Re x where the path has turned up.
  [[nodiscard]] double turned(const Path& p, double more) const {
    return piece_.half ? start_ + p.scale * (p.bend + more * p.tau) : p.bend + more * p.tau;
  }

  /// What is seen of the integrands along the path and its displaced lines.
  struct View {
    struct Line {
      double height;
      PlainEvaluation at_point;
    };
    std::vector<Line> lines;                                       // the path and the displaced ones
    std::vector<std::array<double, 3>> top;                        // of each order, the largest exponent on each line
    std::vector<std::pair<double, std::array<double, 3>>> places;  // the largest excess over the cuts
    std::array<Plain, 3> before{};
  };

  /// The largest excess at s; not a number where a line passes a branch point on the wrong side.
  double visit(const Path& p, double s, double grain, View& view) const {
    const double half_cell = 0.6 * 2.0 * pi * std::min(p.up, p.down) / (digits_ + 5.0) / grain;
    const bool next = !view.places.empty() && std::abs(s - view.places.back().first) < 1.5 * grain;
    std::array<double, 3> excess{-infinity, -infinity, -infinity};
    for (std::size_t k = 0; k < 3; ++k) {
      const PlainPoint point = view.lines[k].at_point(Plain(s, view.lines[k].height));
      for (const int m : {piece_.a, piece_.n}) {
        const Plain u = m * piece_.mu * point.x - 0.5 * m * m * piece_.mu * piece_.mu;
        if (m != 0 && std::abs(u.real() - odds_) < 0.4 && std::abs(u.imag()) > 2.8) {
          return std::numeric_limits<double>::quiet_NaN();
        }
      }
      const Plain change = point.loss - view.before[k];
      const double spread = next ? half_cell * (std::abs(change.real()) + std::abs(change.imag())) : 0.0;
      const double size = std::abs(point.loss.real()) + std::abs(point.loss.imag());
      view.before[k] = point.loss;
      for (std::size_t i = 0; i < orders_.size(); ++i) {
        const Order& o = orders_[i];
        const double re = o.z.real(), im = o.z.imag();
        const double v = point.log_base.real() + re * point.loss.real() - im * point.loss.imag() + o.radius * size +
                         (std::abs(re) + std::abs(im)) * spread;  // boxes are bounded as a whole
        if (!(v <= view.top[i][k])) {
          view.top[i][k] = v;
        }
        excess[k] = std::max(excess[k], v - o.cut);
      }
    }
    view.places.emplace_back(s, excess);
    return std::max({excess[0], excess[1], excess[2]});
  }

  /// Fills in h, first, count and the reaches; returns the number of nodes.
  [[nodiscard]] double measure(Path& p) const {
    const double steep = piece_.mu * piece_.steepest();
    const double most = piece_.half && p.slope == 0.0 ? 0.99 * piece_.highest() * piece_.steepest() : 2.93;
    if (!(steep * (piece_.half ? p.scale : 1.0) * (p.d + p.up) < most)) {
      return infinity;
    }
    const double grain = piece_.half ? 0.2 : std::min(0.25, 0.2 * unit_), slope = slope_of(p);
    View view;
    for (const double height : {0.0, piece_.side() * p.up, -piece_.side() * p.down}) {
      view.lines.push_back({height, PlainEvaluation(piece_, p)});
    }
    view.top.assign(orders_.size(), {-infinity, -infinity, -infinity});
    double far = p.slope != 0.0 ? std::max(0.0, turned(p, 3.0)) : 0.0;
    for (const Order& o : orders_) {
      far = std::max(far, pull(o, slope) / (1.0 - slope * slope));
    }
    far += 2.0 * unit_;
    constexpr int patience = 3000;
    if (!(far < (piece_.half ? start_ + p.scale * patience * grain : patience * grain))) {
      return infinity;  // no walk comes so far
    }
    const auto walk = [&](double from, double direction) {
      const int enough = static_cast<int>(1.5 / grain);
      int quiet = 0;
      double s = from;
      for (int i = 0; i < patience; ++i, s += direction * grain) {
        const double excess = visit(p, s, grain, view);
        if (std::isnan(excess)) {
          return false;
        }
        quiet = excess < -2.0 ? quiet + 1 : 0;
        if (quiet >= enough && (direction < 0.0 || (piece_.half ? start_ + p.scale * s : s) > far)) {
          return true;
        }
      }
      return false;
    };
    double first = infinity, last = -infinity;
    if (piece_.half) {
      const double begin = -3.0 - std::log1p(largest_ * piece_.mu * p.scale);  // the loss counts from here on
      const double density = evaluate(piece_, p, Plain(-30.0, 0.0)).log_base.real() + 33.0;
      first = begin;
      for (const Order& o : orders_) {
        first = std::min(first, o.cut - density);
      }
      if (!walk(std::max(first, begin - 1.0), 1.0)) {
        return infinity;
      }
    } else if (!walk(0.0, 1.0) || !walk(-grain, -1.0)) {
      return infinity;
    }
    p.h = infinity;
    for (std::size_t i = 0; i < orders_.size(); ++i) {
      p.h = std::min({p.h, 2.0 * pi * p.up / std::max(1.0, view.top[i][1] - orders_[i].cut + 2.0),
                      2.0 * pi * p.down / std::max(1.0, view.top[i][2] - orders_[i].cut + 2.0)});
    }
    const double thin_up = 2.0 * pi * p.up / p.h - 2.0, thin_down = 2.0 * pi * p.down / p.h - 2.0;
    for (const auto& [s, excess] : view.places) {  // the caps count too
      if (excess[0] > 0.0 || excess[1] > thin_up || excess[2] > thin_down) {
        first = std::min(first, s);
        last = std::max(last, s);
      }
    }
    if (!(p.h > 0.0) || !(last > first)) {
      return infinity;
    }
    p.h = round_down(p.h, 20);
    p.first = std::floor((piece_.half ? first : first - grain) / p.h) * p.h;
    p.count = static_cast<long>(std::ceil((last + grain - p.first) / p.h));
    set_reach(p, last);
    return static_cast<double>(p.count);
  }

  void set_reach(Path& p, double last) const {
    double reach = (piece_.half ? start_ + p.scale * last : last) + 0.5, push = 0.0;
    const double slope = slope_of(p);
    if (p.slope != 0.0) {  // all branch points passed, the slope reached, all orders falling
      reach = std::max({reach, edge_ + 4.0 * unit_, turned(p, piece_.half ? 4.0 / p.tau : 4.0)});
      if (piece_.steepest() == 2) {
        reach = std::max(reach, 2.0 * edge_ - 0.5 * piece_.mu + 4.0 / piece_.mu);
      }
      for (const Order& o : orders_) {
        reach = std::max(reach, (pull(o, 0.95 * slope) + 2.0 + slope * 4.0) / (1.0 - slope * slope));
      }
    }
    for (const Order& o : orders_) {
      const double low = o.z.real() - 2.0 * o.radius, high = o.z.real() + 2.0 * o.radius;
      if (p.slope == 0.0) {
        reach =
            std::max(reach, 1.0 + piece_.mu * (piece_.a * std::max(0.0, high + 1.0) + piece_.n * std::max(0.0, -low) -
                                               0.9 * piece_.n * std::max(0.0, low)));
      }
      push = piece_.n < 0 ? std::max(push, -piece_.mu * 1.1 * o.z.real()) : push;
    }
    p.reach_right = reach;
    p.reach_left = std::min(p.first, -push) - 1.5;
  }

  Piece piece_;
  const std::vector<Order>& orders_;
  double unit_ = 1.0, odds_ = 0.0, edge_ = 0.0, start_ = 0.0, largest_ = 0.0, digits_ = 0.0;
};

}  // namespace

Path steep_path(const Piece& piece, const std::vector<Order>& orders, std::optional<Bearing>& known) {
  return Search(piece, orders).best(known);
}

}  // namespace dpcurves::accounting::proof
