// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <dpcurves/attack/measures.hpp>
#include <dpcurves/attack/regret.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/rigorous/refine.hpp>
#include <dpcurves/tradeoff/detail/gaussian_ball.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::attack {
namespace {

using rigorous::Real;

/// (D_mu - D) / (1 + x) at a point of D or a corner below it: rounded to `up`.
double difference(const Corner& corner, double mu, bool up) {
  const Enclosure gaussian = tradeoff::delta_enclosure(corner.epsilon, exactly(mu));
  const Real value =
      (Real(up ? gaussian.upper : gaussian.lower) - Real(corner.value)) / (Real(2) + Real(corner.less_one));
  return up ? value.upper() : value.lower();
}

}  // namespace

Regret regret(Profile& profile, double mu, double absolute) {
  require_domain(mu > 0.0 && std::isfinite(mu), "mu", mu, "(0, inf)");
  require_domain(absolute > 0.0 && absolute < 1.0, "absolute", absolute, "(0, 1)");
  const double scale = std::min(mu, 16.0);
  std::vector<double> nodes;
  for (int k = 0; k <= 8; ++k) {
    nodes.push_back(0.5 * scale * static_cast<double>(k));
  }
  Regret result{{0.0, 1.0}, 0.0};
  // A few corners are left after each round, whose width falls; where the brackets of the profile are what is left,
  // ever more corners are, and it stays.
  constexpr int most_rounds = 60, most_stalled = 2;
  constexpr std::size_t few = 8;
  constexpr double progress = 0.9;
  double before = 1.0;
  for (int round = 0, stalled = 0; round < most_rounds && stalled < most_stalled && !nodes.empty(); ++round) {
    profile.ask(nodes);
    nodes.clear();
    const Envelope envelope = profile.envelope();
    for (const Corner& known : envelope.above) {
      if (known.epsilon >= 0.0) {
        const double here = difference(known, mu, false);
        if (here > result.regret.lower) {
          result = {{here, 1.0}, known.epsilon};
        }
      }
    }
    // Between corners D_mu lies below its chord and D above its line: the largest ratio is at a corner.
    double upper = result.regret.lower;
    for (const Corner& corner : envelope.below) {
      if (corner.less_one < 0.0) {
        continue;
      }
      const double here = difference(corner, mu, true);
      upper = std::max(upper, here);
      if (here <= result.regret.lower + absolute) {
        continue;
      }
      const auto next = std::upper_bound(envelope.above.begin(), envelope.above.end(), corner.less_one,
                                         [](double value, const Corner& line) { return value < line.less_one; });
      nodes.push_back(next == envelope.above.end() ? envelope.above.back().epsilon + scale
                                                   : 0.5 * (std::prev(next)->epsilon + next->epsilon));
    }
    // Beyond the last point D_mu falls.
    const Corner end{envelope.above.back().epsilon, 0.0, envelope.above.back().less_one};
    const double beyond = difference(end, mu, true);
    upper = std::max(upper, beyond);
    if (beyond > result.regret.lower + absolute) {
      nodes.push_back(end.epsilon + scale);
    }
    result.regret.upper = std::min(1.0, upper);
    stalled = nodes.size() > few && result.regret.width() > progress * before ? stalled + 1 : 0;
    before = result.regret.width();
  }
  return result;
}

Regret pure_dp_regret(double epsilon) {
  require_domain(epsilon >= 0.0 && epsilon <= 700.0, "epsilon", epsilon, "[0, 700]");
  if (epsilon == 0.0) {
    return {exactly(0.0), 0.0};
  }
  const Real value = rigorous::refined([epsilon] {
    const Real e(epsilon), mu = tradeoff::detail::pure_dp_ball(e);
    return tradeoff::detail::delta_ball(e, mu) / (Real(1) + exp(e));
  });
  return {clamp(value.enclosure(), 0.0, 1.0), epsilon};
}

namespace {

constexpr double quantile_error = 3e-12;  // of two quantiles and their difference for rates down to 1e-300

/// The largest mu of the points (a, min(T(a), 1 - floor)) from `floor` to where a = 1 - T(a).
///
/// T(a) - a is concave and, f being symmetric, rises up to there. With z the upper quantile, mu = z(a) - z(a + e) at an
/// excess e is the integral of 1 / phi(z) over [a, a + e]: it falls in a as long as a + e <= 1 - a, and between the
/// excess over the largest and over the least density where these differ by less than an error of quantiles.
class LargestMu {
 public:
  LargestMu(const Envelope& envelope, double floor, double advantage)
      : envelope_(envelope), floor_(floor), floor_quantile_(quantile(floor)), advantage_(advantage) {}

  Enclosure found(double relative) {
    std::vector<std::pair<Point, Point>> open{{see(floor_), see(0.5)}};
    if (open.back().first.past) {  // T(floor) is above 1 - floor
      return {certain_, most(floor_quantile_)};
    }
    constexpr double narrow = 3e-4, level = 9e-4;  // what is left where mu is nearly constant
    double enough = 0.0;
    while (!open.empty()) {
      const auto [left, right] = open.back();
      open.pop_back();
      if (left.past) {
        continue;
      }
      const double bound = over(left, right);
      const double middle = std::sqrt(left.a) * std::sqrt(right.a);
      const bool divisible = middle > left.a && middle < right.a;
      const bool close = bound <= reach_ * (1.0 + relative) || bound <= left.mu.upper * (1.0 + level) ||
                         left.quantile - right.quantile < narrow * certain_;
      if (close || !divisible) {
        enough = std::max(enough, bound);
        continue;
      }
      const Point between = see(middle);
      open.emplace_back(between, right);
      open.emplace_back(left, between);
    }
    return {std::min(certain_, enough), enough};
  }

 private:
  /// A rate, its upper quantile, T there less the rate, and mu.
  struct Point {
    double a, quantile;
    Enclosure excess, mu;
    bool before;  ///< certainly a <= 1 - T(a)
    bool past;    ///< certainly a >= 1 - T(a)
  };

  static double quantile(double rate) { return numerics::normal_upper_quantile(rate); }
  static double density(double quantile) {
    return std::numbers::inv_sqrtpi / std::numbers::sqrt2 * std::exp(-0.5 * quantile * quantile);
  }
  [[nodiscard]] double most(double quantile) const { return quantile + floor_quantile_ + quantile_error; }

  /// mu of the rate with that quantile at an excess, rounded up.
  [[nodiscard]] double above(double a, double quantile_of_a, double excess) const {
    const double power = next_up(a + excess);
    double mu = most(quantile_of_a);
    if (power < 1.0) {
      mu = std::min(mu, quantile_of_a - quantile(power) + quantile_error);
    }
    if (power <= 1.0 - a) {
      mu = std::min(mu, excess / density(quantile_of_a) * (1.0 + density_error));
    }
    return mu;
  }
  /// Rounded down.
  [[nodiscard]] double below(double a, double quantile_of_a, double excess) const {
    const double power = next_down(a + excess), least = most(quantile_of_a) - 2.0 * quantile_error;
    if (power <= 0.0 || power >= 1.0) {
      return power <= 0.0 ? 0.0 : least;
    }
    const double z = quantile(power);
    return std::min(least, std::max(quantile_of_a - z - quantile_error,
                                    excess / density(std::max(z, 0.0)) * (1.0 - density_error)));
  }

  Point see(double a) {
    const Enclosure excess = envelope_.excess(a);
    const double z = quantile(a);
    const Point point{a,
                      z,
                      excess,
                      {below(a, z, excess.lower), above(a, z, excess.upper)},
                      next_up(a + excess.upper) <= 1.0 - a,
                      a >= 1.0 - next_down(a + excess.lower)};
    certain_ = std::max(certain_, point.mu.lower);
    if (point.before) {  // beyond, upper ends of T may be rough
      reach_ = std::max(reach_, point.mu.upper);
    }
    return point;
  }
  /// mu of every point between two: at the left rate with the largest excess, and with the quantiles of the ends.
  [[nodiscard]] double over(const Point& left, const Point& right) const {
    const double power = next_up(right.a + right.excess.upper);
    const double bound = above(left.a, left.quantile, right.before ? right.excess.upper : advantage_);
    return power < 1.0 ? std::min(bound, left.quantile - quantile(power) + quantile_error) : bound;
  }

  static constexpr double density_error = 1e-9;  // 38 times that of a quantile, and of an exponential

  const Envelope& envelope_;
  double floor_, floor_quantile_, advantage_;
  double certain_ = 0.0, reach_ = 0.0;
};

}  // namespace

Enclosure gdp_parameter_above_rate(Profile& profile, double floor, double relative) {
  require_domain(floor >= 1e-300 && floor < 0.5, "floor", floor, "[1e-300, 1/2)");
  require_domain(relative > 0.0 && relative < 1.0, "relative", relative, "(0, 1)");
  // The slope of T at the floor is at most T / a.
  const double steepest = std::log(power(profile, floor, relative).power.upper / floor);
  constexpr int nodes = 1000;
  std::vector<double> epsilons;
  for (int k = -10; k <= nodes; ++k) {
    epsilons.push_back(steepest * static_cast<double>(k) / nodes);
  }
  profile.ask(epsilons);
  const Envelope envelope = profile.envelope();
  return LargestMu(envelope, floor, profile.delta(0.0).upper).found(relative);
}

}  // namespace dpcurves::attack
