// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include <dpcurves/accounting/detail/profile_tradeoff.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr double rounding = 4e-15;  // of g, a sum of numbers of at most 1 where it matters

/// e^to - e^from, in full relative accuracy.
double distance(double from, double to) { return std::exp(from) * std::expm1(to - from); }

/// A step beyond the last place that is known.
double farther(double epsilon) { return std::max(1e-3, 0.5 * std::abs(epsilon)); }

}  // namespace

/// At most g there.
double ProfileTradeoff::Node::least(double a) const { return 1.0 - delta.upper - a * x - rounding; }

// Chords to the places up to 8 away: where brackets are wide, those to neighbours say little.
bool ProfileTradeoff::ask(double epsilon) {
  if (known_.find(epsilon) != known_.end()) {
    return false;
  }
  const auto place = known_.emplace(epsilon, Node{std::exp(epsilon), profile_(epsilon)}).first;
  const auto chord = [](auto left, auto right) {
    const double width = distance(left->first, right->first);
    Node &l = left->second, &r = right->second;
    const double steepest = (l.delta.upper - r.delta.lower) / width, flattest = (l.delta.lower - r.delta.upper) / width;
    r.fall = std::min(r.fall, steepest + rounding * std::abs(steepest));
    l.rise = std::max(l.rise, flattest - rounding * std::abs(flattest));
  };
  constexpr int furthest = 8;
  auto left = place;
  auto right = std::next(place);
  for (int away = 1; away <= furthest; ++away) {
    if (left != known_.begin()) {
      chord(--left, place);
    }
    if (right != known_.end()) {
      chord(place, right++);
    }
  }
  return true;
}

/// About that of the Gaussian mechanism with this total variation.
double ProfileTradeoff::mu() {
  constexpr double least = 1e-12, largest = 1.0 - 1e-12;
  static_cast<void>(ask(0.0));
  return 2.0 * numerics::normal_central_quantile(std::clamp(known_.at(0.0).delta.middle(), least, largest));
}

ProfileTradeoff::Most ProfileTradeoff::most(double a) const {
  Most most;
  const auto allow = [&](double value, double epsilon) {
    if (value > most.value) {
      most = {value, epsilon};
    }
  };
  // Left of the first: delta is at least 1 - x, and above the line of the first with its rise.
  const auto& [first_at, first] = *known_.begin();
  const double meet =
      first.rise < 1.0 ? (1.0 - first.delta.lower - first.rise * first.x) / (1.0 - first.rise) : first.x;
  allow(std::clamp(meet, 0.0, first.x) * (1.0 - a), first_at - farther(first_at));
  for (auto place = known_.begin(); place != known_.end(); ++place) {
    const auto& [epsilon, left] = *place;
    const auto next = std::next(place);
    allow(1.0 - left.delta.lower - a * left.x, epsilon);
    // Right of a place delta falls at most as it did before; it is at least 0, and what the rise of the next says.
    if (next == known_.end()) {
      if (left.fall > 0.0) {
        allow(1.0 - a * (left.x + left.delta.lower / left.fall), epsilon + farther(epsilon));
      }
      continue;
    }
    const Node& right = next->second;
    const double width = distance(epsilon, next->first), bend = (left.fall - right.rise) * width,
                 excess = left.delta.lower - right.delta.lower - right.rise * width;
    const double share = bend > 0.0 ? std::clamp(excess / bend, 0.0, 1.0) : 0.0;  // where the two lines meet
    const double least = std::max(left.delta.lower - left.fall * (share * width),
                                  right.delta.lower + right.rise * ((1.0 - share) * width));
    allow(1.0 - least - a * (left.x + share * width), epsilon + std::log1p(share * std::expm1(next->first - epsilon)));
  }
  return most;
}

/// Of g at the places.
Enclosure ProfileTradeoff::best(double a) const {
  Enclosure best{0.0, 0.0};
  for (const auto& [epsilon, node] : known_) {
    best = {std::max(best.lower, node.least(a)), std::max(best.upper, 1.0 - node.delta.lower - a * node.x + rounding)};
  }
  return best;
}

/// Where the lower ends may be larger, and about how large: at the vertex of the parabola through the best place and
/// its neighbours, not next to them; beyond the best where it is the last.
ProfileTradeoff::Most ProfileTradeoff::larger(double a) const {
  const auto place = std::max_element(known_.begin(), known_.end(), [a](const auto& one, const auto& other) {
    return one.second.least(a) < other.second.least(a);
  });
  const auto beyond = [&](double side) {
    return Most{1.0, std::clamp(place->first + side * farther(place->first), -farthest_, farthest_)};
  };
  if (place == known_.begin() || std::next(place) == known_.end()) {
    return beyond(place == known_.begin() ? -1.0 : 1.0);
  }
  const auto left = std::prev(place), right = std::next(place);
  const double at = place->second.least(a), before = left->first - place->first, after = right->first - place->first,
               down = (left->second.least(a) - at) / before, up = (right->second.least(a) - at) / after,
               second = (up - down) / (after - before), first = down - second * before;
  constexpr double nearest = 0.1;  // of the way to a neighbour
  double step = -0.5 * first / second;
  step = step > 0.0 ? std::clamp(step, nearest * after, 0.5 * after) : std::clamp(step, 0.5 * before, nearest * before);
  return second < 0.0 ? Most{at - 0.25 * first * first / second, place->first + step} : Most{0.0, place->first};
}

Enclosure ProfileTradeoff::at(double a) {
  require_domain(a > 0.0 && a < 1.0, "type_one_error", a, "(0, 1)");
  const double mu = this->mu(), test = mu * numerics::normal_upper_quantile(a) - 0.5 * mu * mu;
  static_cast<void>(ask(std::clamp(test, -farthest_, farthest_)));
  Enclosure f{0.0, 1.0 - a};
  constexpr int most_rounds = 60;
  for (int round = 0; round < most_rounds; ++round) {
    const Enclosure seen = best(a);
    const Most here = most(a);
    f.lower = std::clamp(seen.lower, f.lower, f.upper);
    f.upper = std::clamp(here.value + rounding, f.lower, f.upper);
    constexpr double little = 0.25;  // of the width that the brackets of delta leave: more places save no more
    if (f.upper - f.lower <= std::max(relative_ * f.upper, rounding) || f.upper <= seen.upper + little * seen.width() ||
        std::abs(here.epsilon) > farthest_) {
      break;
    }
    double next = here.epsilon;
    const auto right = known_.lower_bound(next);
    if (right != known_.end() && right != known_.begin()) {  // not next to a place that is known
      const double low = std::prev(right)->first, high = right->first, part = 0.1 * (high - low);
      next = std::clamp(next, low + part, high - part);
    }
    if (!ask(std::clamp(next, -farthest_, farthest_))) {
      break;
    }
  }
  // Where brackets are wide, the lower end has a place of its own.
  constexpr int most_tries = 20;
  constexpr double worth = 1e-5;  // of the width
  for (int i = 0; i < most_tries; ++i) {
    const auto [value, epsilon] = larger(a);
    if (!(value - f.lower > std::max(worth * f.width(), relative_ * f.upper)) || !ask(epsilon)) {
      break;
    }
    f.lower = std::clamp(best(a).lower, f.lower, f.upper);
  }
  return f;
}

}  // namespace dpcurves::accounting::detail
