// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Answers from straight lines: a value of delta, and the epsilon at which a line has the value of the target.
#include <algorithm>
#include <cmath>
#include <functional>

#include <dpcurves/accounting/proof/chernoff.hpp>
#include <dpcurves/accounting/proof/jumps.hpp>
#include <dpcurves/accounting/proof/one_step.hpp>
#include <dpcurves/accounting/proof/parting.hpp>
#include <dpcurves/accounting/proof/profile.hpp>
#include <dpcurves/accounting/proof/rare.hpp>
#include <dpcurves/accounting/proof/upright.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {

using rigorous::Precision;
using rigorous::Real;

namespace {

std::unique_ptr<Line> rare_line(const Problem& problem, double epsilon, double log_value, double digits,
                                double most_work) {
  constexpr double most_digits = 20.0;  // of which doubles keep most
  const auto leaving = [&](Leaves leaves) {
    return std::make_unique<Rare>(problem, epsilon, log_value, std::min(digits, most_digits), most_work, leaves);
  };
  try {
    return leaving(Leaves::nothing);
  } catch (const ConvergenceError&) {
    constexpr double least_mu = 0.2;  // of steps with losses far above the others
    if (std::all_of(problem.steps.begin(), problem.steps.end(), [](const Step& s) { return s.mu < least_mu; })) {
      throw;
    }
  }
  try {
    return leaving(Leaves::bulk);
  } catch (const ConvergenceError&) {
  }
  const auto parting = parted(problem, epsilon, log_value, digits, {0.12});
  if (!parting) {
    throw ConvergenceError("no line for rare losses, with or without the largest");
  }
  return std::make_unique<Rare>(*parting, epsilon, log_value, std::min(digits, most_digits), most_work);
}

}  // namespace

// The value itself says how much of the laws it sees; where two rounds do not agree the saddle point is that of losses
// that are too rare, or of none.
double Profile::log_estimate_at(double epsilon, bool rest) const {
  double value = -40.0;
  bool settled = true;
  for (int i = 0; i < 2; ++i) {
    constexpr double apart = 10.0;
    const double found = log_estimate(problem_.cut(value - 30.0), epsilon, rest);
    settled = i == 0 || std::abs(found - value) < apart;  // not where it is no number
    value = std::isfinite(found) ? std::clamp(found, -1e4, 0.0) : value;
  }
  if (!settled && !rest && laws_ == Laws::any) {
    value = log_chernoff_estimate(problem_, epsilon);
  }
  return value;
}

double Profile::log_value_at(double epsilon) {
  double value = log_estimate_at(epsilon, false);
  for (const Step& s : problem_.steps) {  // rarely two large losses
    const Precision precision(64);
    const Real one = one_step(s, Real(epsilon), 64).delta;
    if (one.positive()) {
      value = std::max(value, std::min(0.0, std::log(s.count) + rigorous::approximate_log(one)));
    }
  }
  return value;
}

const Line* Profile::line(const Way& way, double epsilon, double log_value, double digits) {
  for (const Laid& known : laid_) {
    if (known.kind == way.kind && known.epsilon == epsilon && known.log_value == log_value && known.digits == digits &&
        (known.line != nullptr || way.most_work <= known.most_work)) {
      return known.line;
    }
  }
  Line* made = nullptr;
  try {
    if (way.kind == Way::Kind::rare) {
      lines_.push_back(rare_line(problem_, epsilon, log_value, digits, way.most_work));
    } else if (way.kind == Way::Kind::parted) {
      if (const auto parting = parted(problem_, epsilon, log_value, digits)) {
        lines_.push_back(std::make_unique<Upright>(*parting, epsilon, log_value, digits, way.most_work));
        made = lines_.back().get();
      }
      laid_.push_back({way.kind, epsilon, log_value, digits, way.most_work, made});
      return made;
    } else {
      lines_.push_back(std::make_unique<Upright>(problem_, epsilon, log_value, digits, way.most_work));
    }
    made = lines_.back().get();
  } catch (const ConvergenceError&) {
  }
  laid_.push_back({way.kind, epsilon, log_value, digits, way.most_work, made});
  return made;
}

// The best that straight lines prove; the value itself says how many digits a line must have.
Real Profile::by_line(const Way& way, const Real& epsilon, double relative) {
  Real best;
  arb_zero_pm_inf(best.get());
  const auto narrow = [&] {
    return best.positive() && best.radius() <= std::max(relative, line_delta) * best.middle();
  };
  const auto offer = [&](const Line* line) {
    const Real value = line->at(epsilon);
    if (!best.finite() || value.radius() < best.radius()) {
      best = value;
      forget();
      line_ = line;
    }
  };
  for (const auto& line : lines_) {
    offer(line.get());
    if (narrow()) {
      return best;
    }
  }
  double log_value = best.positive() ? rigorous::approximate_log(best) : log_value_at(epsilon.middle());
  const double digits = std::min(std::log(1.0 / relative) + 2.0, most_line_digits);
  constexpr int rounds = 3;
  for (int i = 0; i < rounds; ++i) {
    const Line* found = line(way, epsilon.middle(), log_value, digits);
    if (found == nullptr) {
      break;
    }
    offer(found);
    const double seen = best.upper() > 0.0 ? std::log(best.upper()) : -infinity;
    if (narrow() || !(seen < log_value - 1.0)) {
      break;
    }
    log_value = std::max(seen, log_value - 2.0 * digits);
  }
  return best;
}

// The root on one line, then, if that was made for a threshold far away, on another; from where the saddle point says,
// and from where a single step would do it.
Profile::Bracket Profile::line_bracket(const Way& way, const Real& target, double relative) {
  const double wanted = rigorous::approximate_log(target);
  const Guess first = guess(problem_, wanted, false);
  std::vector<double> starts{std::max(0.0, first.epsilon)};
  constexpr double clear = 3.0, few = 30.0;  // jumps that make nearly all of the loss, and not many
  if (problem_.steps.size() == 1 && problem_.steps[0].pair != Pair::poisson_add && problem_.steps[0].mu > clear &&
      sampled() < few) {
    const double at = Jumps(problem_, wanted, false).threshold(wanted);
    if (at > clear) {
      starts.push_back(at);
    }
  }
  for (const Step& s : starts.size() == 1 ? problem_.steps : std::vector<Step>{}) {
    Composition one;
    one.components.push_back({s.q, s.mu, 1.0, s.pair});
    starts.push_back(Profile(one).epsilon(target / Real(s.count), false, 1e-3).upper.middle());
  }
  std::sort(starts.begin() + 1, starts.end(), std::greater<>());
  const Real most = largest_loss();
  Bracket known{Real(), most};
  constexpr double fewest = 12.0;  // where delta falls steeply, few of its digits are many of epsilon
  const double steep = std::log(std::max(1.0, first.c * first.epsilon));
  const double digits = std::clamp(std::log(1.0 / relative) + 4.5 - steep, fewest, most_line_digits);
  const auto enough = [&] {
    return known.upper.finite() && (known.upper - known.lower) <= Real(std::max(relative, line_relative)) * known.upper;
  };
  const bool rare = way.kind == Way::Kind::rare;
  constexpr double hardly = 0.2, visible = 0.5;
  if (rare && starts.size() > 1) {
    const double together = guess(problem_, wanted, false, 0.5).epsilon;  // of many losses without the largest
    constexpr double most = 8.0;  // times one loss: farther out that was a hump of large losses too
    const bool many = together > starts[1] && together < most * starts[1];
    starts[0] = many ? together : starts[0];
    if (sampled() < 1.0) {  // one large loss is most of it
      std::swap(starts[0], starts[1]);
      if (!many && sampled() < hardly && problem_.steps[0].mu > visible) {  // nearly all: elsewhere is nothing to find
        starts.resize(1);
      }
    }
  }
  constexpr double wide = 1e-6;  // what another start may mend
  const auto far = [&] { return !known.upper.finite() || known.upper - known.lower > Real(wide) * known.upper; };
  const int rounds = rare ? 5 : 3;
  const auto none = [&] { return !(known.upper < most); };
  for (std::size_t i = 0; i < std::min<std::size_t>(2, starts.size()) && (rare ? far() : none()); ++i) {
    double e = starts[i];
    for (int round = 0; round < rounds; ++round) {
      const Line* found = line(way, e, wanted, digits);
      const std::optional<double> at = found != nullptr ? line_root(*found, e, target, known) : std::nullopt;
      constexpr double near = 0.3, nearer = 1e-3;  // a line elsewhere has no more digits, one for a bulk elsewhere has
      if (!at || enough() || (rare ? std::abs(*at - e) < nearer * e : std::abs(*at - e) * found->order() < near)) {
        break;
      }
      e = *at;
    }
  }
  return known;
}

double Profile::sampled() const {
  double total = 0.0;
  for (const Step& s : problem_.steps) {
    total += s.count * s.q;
  }
  return total;
}

// Where one line has the value of the target; `known` is narrowed. Empty if it has it nowhere.
std::optional<double> Profile::line_root(const Line& line, double start, const Real& target, Bracket& known) {
  const auto value_at = [&](double at) { return line.at(Real(at)); };
  const auto over = [&](double at) { return value_at(at) > target; };
  double low = 0.0, high = std::max(start, 1e-3);
  constexpr double farthest = 0.5;  // of the start: a line sees little else far away
  for (double step = std::min(1e-3, 0.1 / (line.order() * start)); start > 0.0 && low == 0.0 && step < farthest;
       step *= 2.0) {  // outwards from the start
    const double below = start * (1.0 - step), above = start * (1.0 + step);
    if (over(start) ? !over(above) : over(below)) {
      low = over(start) ? start : below;
      high = over(start) ? above : start;
    }
  }
  while (low == 0.0 && over(high) && high < 1e6) {
    low = high;
    high *= 2.0;
  }
  for (int i = 0; i < 60 && high - low > 1e-3 / line.order(); ++i) {
    const double m = 0.5 * (low + high);
    (over(m) ? low : high) = m;
  }
  double at = 0.5 * (low + high), slope = 0.0;
  Real value = value_at(at);
  for (int i = 0; i < 8 && value.positive(); ++i) {  // Newton's method on the logarithm; doubles may not see the slope
    const double step = 1e-4 / line.order();
    const Real beside = value_at(at + step);
    if (!beside.positive()) {
      break;
    }
    slope = rigorous::approximate_log(beside / value) / step;
    const double next = std::max(0.0, at - rigorous::approximate_log(value / target) / slope);
    if (!std::isfinite(next) || std::abs(next - at) <= 1e-14 * at) {
      break;
    }
    at = next;
    value = value_at(at);
  }
  if (!(slope < 0.0)) {
    return std::nullopt;
  }
  if (at == 0.0 && line.at(Real()) <= target) {
    known = {Real(), Real()};
    forget();
    line_ = &line;
    return at;
  }
  for (double spread = (1.1 * rigorous::relative_radius(value) + 1e-13) / -slope; spread < 1.0; spread *= 4.0) {
    const Real lower(std::max(0.0, at - spread)), upper(at + spread);
    const bool left = lower.contains_zero() || line.at(lower) > target, right = line.at(upper) <= target;
    if (left && known.lower < lower) {
      known.lower = lower;
    }
    if (right && !(known.upper <= upper)) {
      known.upper = upper;
    }
    if (left && right) {
      forget();
      line_ = &line;
      break;
    }
  }
  return at;
}

}  // namespace dpcurves::accounting::proof
