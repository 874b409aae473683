// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <dpcurves/attack/profile.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/minimise.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::attack {
namespace {

using rigorous::Real;

constexpr slong bits = 192;  // epsilons may be 1e-20 apart

/// A point that D is known at.
struct Known {
  double epsilon;
  Enclosure delta;
};

/// x_to - x_from.
Real distance(double from, double to) { return exp(Real(from)) * expm1(Real(to) - Real(from)); }

/// The best lower bounds of D right and left of each point that chords give, as slopes in x. Chosen in doubles; each
/// is the slope of a chord from above at one end and from below at the other, whichever was chosen.
class Chords {
 public:
  explicit Chords(const std::vector<Known>& points) : points_(points) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      right_.push_back(steepest(i, true));
      left_.push_back(steepest(i, false));
    }
  }
  /// D(x) >= D(x_i) + right(i) (x - x_i) for x >= x_i: D falls at a rate of at most 1.
  [[nodiscard]] const Real& right(std::size_t i) const { return right_[i]; }
  /// D(x) >= D(x_i) + left(i) (x - x_i) for x <= x_i: D does not rise.
  [[nodiscard]] const Real& left(std::size_t i) const { return left_[i]; }

 private:
  /// The other ends tried are 1, 2, 4, ... points away: the nearest are too near where the brackets are wide.
  Real steepest(std::size_t i, bool right) const {
    double best = right ? -1.0 : 0.0;
    std::size_t chosen = i;
    const std::size_t room = right ? i : points_.size() - 1 - i;
    for (std::size_t away = 1; away <= room; away *= 2) {
      const std::size_t j = right ? i - away : i + away;
      const double run = points_[j].epsilon - points_[i].epsilon;
      const double slope =
          (points_[j].delta.upper - points_[i].delta.lower) / (std::exp(points_[i].epsilon) * std::expm1(run));
      if (right ? slope > best : slope < best) {
        best = slope;
        chosen = j;
      }
    }
    if (chosen == i) {
      return {right ? -1 : 0};
    }
    return (Real(points_[chosen].delta.upper) - Real(points_[i].delta.lower)) /
           distance(points_[i].epsilon, points_[chosen].epsilon);
  }

  const std::vector<Known>& points_;
  std::vector<Real> right_, left_;
};

Corner rounded_up(double epsilon, double value) { return {epsilon, value, expm1(Real(epsilon)).upper()}; }
Corner rounded_down(double epsilon, double value) { return {epsilon, value, expm1(Real(epsilon)).lower()}; }

/// Both value and x rounded down.
Corner corner(const Real& less_one, const Real& value) {
  Corner result{0.0, std::max(0.0, value.lower()), std::max(-1.0, less_one.lower())};
  result.epsilon = log1p(Real(result.less_one)).lower();
  return result;
}

/// The least of the lines at a, rounded down (side -1) or up (side 1).
double least_excess(const std::vector<Corner>& lines, double a, double side) {
  constexpr double rounding = 3e-16;  // of a product and a sum, against the sum of sizes
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  double best = infinity;
  for (const Corner& line : lines) {
    const double product = a * line.less_one;
    best = std::min(best, line.value + product + side * (rounding * (line.value + std::abs(product)) + tiny));
  }
  return best;
}

}  // namespace

double Corner::excess(double false_positive_rate) const { return value + false_positive_rate * less_one; }

Enclosure Envelope::excess(double a) const {
  require_domain(a >= 0.0 && a <= 1.0, "false_positive_rate", a, "[0, 1]");
  const double most = next_up(1.0 - a);
  const double upper = std::clamp(least_excess(above, a, 1.0), 0.0, most);
  return {std::clamp(least_excess(below, a, -1.0), 0.0, upper), upper};
}

Enclosure Envelope::false_positive_rate(double recall) const {
  require_domain(recall >= 0.0 && recall <= 1.0, "recall", recall, "[0, 1]");
  const rigorous::Precision precision(bits);
  Enclosure result{0.0, 0.0};
  for (const Corner& line : above) {
    if (line.value < recall) {
      result.lower =
          std::max(result.lower, ((Real(recall) - Real(line.value)) / (Real(1) + Real(line.less_one))).lower());
    }
  }
  for (const Corner& line : below) {
    if (line.value < recall) {  // where x is 0, recall 1 is reached by no other rate than 1
      const Real x = Real(1) + Real(line.less_one);
      result.upper = std::max(result.upper, x.positive() ? ((Real(recall) - Real(line.value)) / x).upper() : 1.0);
    }
  }
  return clamp(result, 0.0, recall);
}

Enclosure Envelope::tail(double odds) const {
  require_domain(std::isfinite(odds), "odds", odds, "(-inf, inf)");
  const rigorous::Precision precision(bits);
  const Real most = exp(Real(odds));
  const auto at = [&](const Corner& line) {
    const Real room = most - Real(1) - Real(line.less_one);
    return room.positive() ? Real(line.value) * most / room : room.negative() ? Real(1) : Real(line.value);
  };
  Enclosure result{1.0, 1.0};
  for (const Corner& line : above) {
    if (line.epsilon < odds) {
      result.upper = std::min(result.upper, at(line).upper());
    }
  }
  for (const Corner& line : below) {
    result.lower = std::min(result.lower, at(line).lower());
  }
  return {std::clamp(result.lower, 0.0, result.upper), result.upper};
}

Profile::Profile(accounting::DeltaQuestions deltas) : deltas_(std::move(deltas)) {}

Profile::Profile(const accounting::CurvePtr& curve) {
  require_domain(curve != nullptr, "curve", 0.0, "curves that are not null");
  deltas_ = [curve, ask = curve->questions()](std::span<const double> epsilons) { return ask(epsilons); };
}

void Profile::ask(std::span<const double> epsilons) {
  std::vector<double> unknown;
  for (const double epsilon : epsilons) {
    if (!known_.contains(epsilon)) {
      unknown.push_back(epsilon);
    }
  }
  const std::vector<Enclosure> answers = deltas_(unknown);
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    known_[unknown[i]] = clamp(answers.at(i), 0.0, 1.0);
  }
}

Enclosure Profile::delta(double epsilon) {
  const double one[] = {epsilon};
  ask(one);
  return known_.at(epsilon);
}

double Profile::scale() {
  constexpr double largest = 1.0 - 1e-15;  // mu 16, where the rest of delta(0) is lost
  return 2.0 * numerics::normal_central_quantile(std::min(delta(0.0).middle(), largest));
}

Envelope Profile::envelope() const {
  const rigorous::Precision precision(bits);
  std::vector<Known> points;
  for (const auto& [epsilon, delta] : known_) {
    constexpr double farthest = 700.0;  // x is a double
    if (std::abs(epsilon) < farthest) {
      points.push_back({epsilon, delta});
    }
  }
  require_domain(!points.empty(), "known", 0.0, "profiles that were asked");
  Envelope result;
  for (const Known& p : points) {
    result.above.push_back(rounded_up(p.epsilon, p.delta.upper));
    result.below.push_back(rounded_down(p.epsilon, p.delta.lower));
  }
  const Chords chords(points);
  // Between two points D lies above the larger of two lines; its least corner is where they meet.
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const Real width = distance(points[i].epsilon, points[i + 1].epsilon), bend = chords.left(i + 1) - chords.right(i);
    const Real meet =
        (Real(points[i].delta.lower) - Real(points[i + 1].delta.lower) + width * chords.left(i + 1)) / bend;
    if (bend.contains_zero()) {  // nothing is certain about where they meet: the lowest of the cell at its left end
      result.below.push_back({points[i].epsilon, points[i + 1].delta.lower, result.below[i].less_one});
    } else if (!meet.negative() && !(meet > width)) {
      result.below.push_back(
          corner(expm1(Real(points[i].epsilon)) + meet, Real(points[i].delta.lower) + meet * chords.right(i)));
    }
  }
  // Left of the first point D >= 1 - x, right of the last D >= 0.
  const Known& first = points.front();
  const Real x = exp(Real(first.epsilon)), bend = Real(1) + chords.left(0);
  result.below.push_back({-infinity, 1.0, -1.0});
  const Real meet = (Real(1) - Real(first.delta.lower) + x * chords.left(0)) / bend;
  if (bend.contains_zero()) {
    result.below.push_back({-infinity, first.delta.lower, -1.0});
  } else if (!meet.negative()) {
    result.below.push_back(corner(meet - Real(1), Real(1) - meet));
  }
  const Known& last = points.back();
  const Real& fall = chords.right(points.size() - 1);
  if (fall.negative()) {
    result.below.push_back(corner(expm1(Real(last.epsilon)) - Real(last.delta.lower) / fall, Real()));
  } else if (!(fall >= Real())) {
    result.below.push_back(rounded_down(last.epsilon, 0.0));
  }
  const auto rising = [](const Corner& a, const Corner& b) { return a.less_one < b.less_one; };
  std::sort(result.below.begin(), result.below.end(), rising);
  return result;
}

namespace {

/// An interval around the least value of a quasi-convex f, from `start` outward.
std::pair<double, double> around_minimum(const std::function<double(double)>& f, double start, double step,
                                         double largest) {
  double middle = std::min(start, largest - step), left = middle - step, right = middle + step;
  double at_middle = f(middle), at_left = f(left), at_right = f(right);
  constexpr int most = 60;
  for (int i = 0; i < most && (at_left < at_middle || at_right < at_middle); ++i) {
    step *= 2.0;
    if (at_right < at_middle) {
      if (right >= largest) {
        break;
      }
      left = middle;
      at_left = at_middle;
      middle = right;
      at_middle = at_right;
      right = std::min(right + step, largest);
      at_right = f(right);
    } else {
      right = middle;
      at_right = at_middle;
      middle = left;
      at_middle = at_left;
      left -= step;
      at_left = f(left);
    }
  }
  return {left, right};
}

}  // namespace

Enclosure solve(Profile& profile, const Optimum& optimum, double relative) {
  require_domain(relative > 0.0 && relative < 1.0, "relative", relative, "(0, 1)");
  constexpr double smallest = 1e-150;
  const double scale = std::max(profile.scale(), smallest);
  // In units of the scale: the minimiser's least step is absolute.
  const auto f = [&](double t) { return optimum.objective(t * scale, profile.delta(t * scale).middle()); };
  const auto [left, right] = around_minimum(f, optimum.start / scale, 0.5, optimum.largest / scale);
  const double best = numerics::minimise(f, left, right).at * scale;
  // A cell of width h costs h^2 of curvature, and chords of that width lose the width of the brackets over h.
  Enclosure result = optimum.ends(profile.envelope());
  constexpr double first = 3e-6, grow = 8.0;
  constexpr int attempts = 6;
  double step = first * scale;
  for (int i = 0; i < attempts && result.relative_width() > relative; ++i, step *= grow) {
    const double nodes[] = {best - 2.0 * step, best - step, best + step, best + 2.0 * step};
    profile.ask(nodes);
    const Enclosure next = optimum.ends(profile.envelope());
    result = {std::max(result.lower, next.lower), std::min(result.upper, next.upper)};
  }
  return result;
}

}  // namespace dpcurves::attack
