// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
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

/// mu of the point (a, power).
double mu_of(double a, double power) {
  return numerics::normal_upper_quantile(a) - numerics::normal_upper_quantile(power);
}

/// The largest mu of the points of T from `floor` to where a = 1 - T(a), by halving: on an interval the quantile of a
/// is the largest at its left end, T at its right end.
Enclosure largest_mu(const Envelope& envelope, double floor, double relative) {
  const auto at = [&](double a) {
    const Enclosure excess = envelope.excess(a);
    return Enclosure{next_down(a + excess.lower), std::min(1.0, next_up(a + excess.upper))};
  };
  double certain = 0.0, enough = 0.0;
  const auto see = [&](double a, const Enclosure& t) {
    if (t.lower > 0.0 && t.lower < 1.0) {
      certain = std::max(certain, mu_of(a, t.lower) - quantile_error);
    }
    return t;
  };
  struct Interval {
    double left, right;
    Enclosure at_left, at_right;
  };
  std::vector<Interval> open{{floor, 0.5, see(floor, at(floor)), see(0.5, at(0.5))}};
  constexpr double narrow = 3e-4;  // of an interval against mu: where mu is nearly constant, many are left
  while (!open.empty()) {
    const Interval one = open.back();
    open.pop_back();
    if (one.left >= 1.0 - one.at_left.lower) {
      continue;
    }
    const double bound = one.at_right.upper < 1.0 ? mu_of(one.left, one.at_right.upper) + quantile_error : HUGE_VAL;
    const double middle = std::sqrt(one.left) * std::sqrt(one.right);
    const bool divisible = middle > one.left && middle < one.right;
    const double width = numerics::normal_upper_quantile(one.left) - numerics::normal_upper_quantile(one.right);
    if (bound <= certain * (1.0 + relative) || !divisible || (one.at_right.upper < 1.0 && width < narrow * certain)) {
      enough = std::max(enough, bound);
      continue;
    }
    const Enclosure value = see(middle, at(middle));
    open.push_back({middle, one.right, value, one.at_right});
    open.push_back({one.left, middle, one.at_left, value});
  }
  return {std::min(certain, enough), enough};
}

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
  return largest_mu(profile.envelope(), floor, relative);
}

}  // namespace dpcurves::attack
