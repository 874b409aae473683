// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// epsilon at a delta: brackets whose ends are proved by one value each.
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/proof/chernoff.hpp>
#include <dpcurves/accounting/proof/near_top.hpp>
#include <dpcurves/accounting/proof/plain.hpp>
#include <dpcurves/accounting/proof/profile.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Precision;
using rigorous::Real;

constexpr double coarse = 1e-3;  // relative: so narrow, nothing else is asked where nothing more is needed

}  // namespace

// Where log delta (or log(1 - delta)) is log_value, in doubles: the saddle point's estimate, then short contours.
Profile::Start Profile::start(const Way& way, double log_value, bool rest) {
  const Problem& problem = *way.problem;
  Guess at = guess(problem_, log_value, rest);
  const double sampled = problem_.gaussian_mu > 0.0 ? infinity : this->sampled();
  constexpr double rarely = 2.0, hardly = 0.2, never = 0.01, small = 2.0;
  const bool alike = problem_.steps.size() == 1;
  if (way.kind == Way::Kind::steep && !rest && alike &&
      sampled < (at.epsilon <= 0.0               ? rarely
                 : problem_.steps[0].mu <= small ? hardly
                                                 : never)) {  // nearly a sum of single steps
    const Precision precision(256);
    const Real share = rigorous::exp(Real(log_value)) / Real(problem_.steps[0].count);
    const double alone = easiest().epsilon(share, false, 1e-3).upper.middle();
    if (alone > 0.0) {
      at.epsilon = alone;
      at.c = std::min(at.c, 1.0 / alone);
    }
  }
  if (at.epsilon > 0.0) {
    const double slope = -at.c;
    at.c = saddle(problem, at.epsilon, rest);
    if (log_modulus(problem, at.c, at.epsilon) - log_value > seen_by_doubles) {
      return {at.epsilon, slope};
    }
  }
  constexpr double few = 7.0;
  constexpr int most = 5;
  const int most_failures = way.kind == Way::Kind::bulk ? 0 : 2;
  int failures = 0;
  double low = 0.0, high = infinity;
  double e = std::max(at.epsilon, 0.0), c = at.epsilon > 0.0 ? at.c : saddle(problem, 0.0, rest);
  for (int i = 0; i < most; ++i) {
    std::optional<Sketch> sketch;
    try {
      sketch.emplace(problem, plan(way, c, e, few, log_value));
    } catch (const ConvergenceError&) {
      if (++failures > most_failures) {
        break;
      }
      high = std::min(high, e);
      e = 0.5 * (low + e);
      c = saddle(problem, e, rest);
      continue;
    }
    const double center = e;
    for (int k = 0; k < 30; ++k) {
      const Rough r = sketch->at(e);
      if (!std::isfinite(r.log_value) || !std::isfinite(r.slope) || r.slope == 0.0) {
        break;
      }
      const bool above = (r.log_value > log_value) != rest;  // delta falls with epsilon, 1 - delta rises
      if (e == 0.0 && !above) {
        return {0.0, r.slope};
      }
      (above ? low : high) = e;
      const double next = e - (r.log_value - log_value) / r.slope;
      if (std::abs((next - e) * r.slope) < 0.05 && next > 0.0 && std::abs(next - center) <= 0.5 * center) {
        return {next, r.slope};
      }
      e = next > low && next < high   ? next
          : next <= 0.0 && low == 0.0 ? 0.0
          : std::isfinite(high)       ? 0.5 * (low + high)
                                      : 2.0 * e + 1.0;
      if (high < 1e-3 / std::abs(r.slope) * 1e-9) {
        e = 0.0;
      }
      if (std::abs(e - center) > 0.5 * center) {  // too far for this contour
        break;
      }
    }
    c = saddle(problem, e, rest);
  }
  throw ConvergenceError("no threshold was found");
}

Profile::Bracket Profile::by_contour(const Real& target, bool rest, double relative, Effort effort, double bar,
                                     const Bracket& known) {
  constexpr double usual = 1e-6;  // contours for fewer digits are no shorter, and more often none is found
  relative = std::min(relative, usual);
  Bracket best{Real(), largest_loss()};
  const bool close = known.upper.finite() && known.upper - known.lower < Real(promised) * known.upper;
  const double log_target = rigorous::approximate_log(target);
  const double guessed = std::max(0.0, guess(problem_, log_target, rest).epsilon);
  if (guessed == 0.0 && laws_ == Laws::any) {
    const Real none = bounded(Real(), rest);
    if (rest ? none >= target : none <= target) {
      return {Real(), Real()};
    }
    method_ = "contour";
  }
  bool compared = bar <= 0.0;
  for (const Way& way : ways(log_target, guessed, rest, relative, effort)) {
    const bool quick = (way.kind == Way::Kind::bulk && !has_atoms()) || way.most_work <= quick_straight;
    if (!compared && !quick) {  // dearer than to see that it is below the bar
      compared = true;
      constexpr double less = 0.9999;
      const Real at(less * bar);
      if (cut_chernoff_delta(problem_, at, rest ? -1.0 : log_target) <= (rest ? Real(1) - target : target)) {
        method_ = "Chernoff bound";
        forget();
        return {Real(), at};
      }
    }
    const bool below = best.upper < Real(bar);
    const auto within = [&](double width) {
      return best.upper.finite() && best.upper - best.lower < Real(width) * best.upper;
    };
    const bool near = within(promised);
    if ((close && way.kind == Way::Kind::steep) || ((below || near) && way.dear) ||
        !way.asked(within(line_promising))) {
      continue;
    }
    try {
      const bool straight = way.line();
      Way shorter = way;
      shorter.most_work = near && !straight ? std::min(way.most_work, shared_steep) : way.most_work;
      const Bracket found = straight ? line_bracket(way, target, std::max(relative, way.relative))
                                     : by_contour(shorter, target, rest, relative, best.upper.finite() ? best : known);
      best = {rigorous::max(best.lower, found.lower),
              found.upper.finite() ? rigorous::min(best.upper, found.upper) : best.upper};
      const double enough = best.upper < Real(bar) ? coarse : straight ? std::max(relative, line_relative) : relative;
      if (best.upper.finite() && (best.upper - best.lower) <= Real(enough) * best.upper) {
        return best;
      }
    } catch (const ConvergenceError&) {
    }
  }
  if (!best.upper.finite()) {
    throw ConvergenceError("no upper end of epsilon was proved");
  }
  return best;
}

Profile::Bracket Profile::by_contour(const Way& way, const Real& target, bool rest, double relative,
                                     const Bracket& near) {
  constexpr double narrow = 1e-2;
  const auto within = [&](double width) {
    return near.lower.positive() && near.upper.finite() && near.upper - near.lower < Real(width) * near.upper;
  };
  const bool known_well = within(narrow), close = within(promised);
  const double middle = 0.5 * (near.lower + near.upper).middle();
  const Start s = known_well ? Start{middle, -saddle(*way.problem, middle, rest)}
                             : start(way, rigorous::approximate_log(target), rest);
  double e = s.epsilon;
  if (e == 0.0) {
    for (const double width : {1e-3, 1e-12}) {
      const Real value = ahead(way, Real(), rest, width, 0.0, rigorous::approximate_log(target));
      if (rest ? value >= target : value <= target) {
        return {Real(), Real()};
      }
      if (rest ? value < target : value > target) {
        break;
      }
    }
    e = 1e-3 / std::abs(s.slope);
  }
  double digits = std::log(1.0 / relative) - std::log(std::min(1e3, std::abs(e * s.slope))) + 2.5;
  Bracket known{Real(), largest_loss()};
  constexpr int attempts = 4;
  double place = 1.0, narrowest = infinity;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const Inversion* built = nullptr;
    try {
      built = &build(way, place * saddle(*way.problem, e, rest), e, digits, rigorous::approximate_log(target));
    } catch (const ConvergenceError&) {
      if (way.kind != Way::Kind::steep) {  // an upright contour is no shorter elsewhere, with fewer digits it is
        constexpr double fewest = 8.0, fewer = 6.0;
        if (!rest || close || known.upper.finite() || !(digits > fewest)) {  // else straight lines are shorter still
          break;
        }
        digits -= fewer;
        continue;
      }
    }
    const Real first = built != nullptr ? built->at(Real(e)) : Real();
    if (!(first.radius() < 1.0)) {
      break;  // paths that fail so far are found nowhere
    }
    if (!first.positive()) {  // from scratch, elsewhere
      bearings_.clear();
      place *= 0.6;
      continue;
    }
    constexpr double gain = 0.5;  // more digits that are none: what limits the contour is elsewhere
    if (!(rigorous::relative_radius(first) < gain * narrowest)) {
      break;
    }
    narrowest = rigorous::relative_radius(first);
    const Inversion& contour = *built;
    line_ = nullptr;
    last_ = &contour;
    double at = e, slope = s.slope, before = 0.0, moved = 0.0;  // Newton's method on the logarithm, then secants
    Real value = first;
    for (int i = 0; i < 12 && value.positive(); ++i) {
      const double off = rigorous::approximate_log(value / target);
      slope = i > 0 && off != before ? (off - before) / moved : slope;
      moved = std::clamp(-off / slope, -0.5 * at, at);  // no contour serves much farther
      if (!std::isfinite(moved) || !(at + moved > 0.0) || std::abs(moved) <= 1e-14 * at) {
        break;
      }
      before = off;
      at += moved;
      value = contour.at(Real(at));
    }
    const double width = value.positive()
                             ? rigorous::relative_radius(value) + std::abs(rigorous::approximate_log(value / target))
                             : infinity;
    const double spread = (2.0 * width + 0.1 * relative * std::abs(at * slope)) / std::abs(slope);
    if (std::isfinite(spread) && at > 0.0) {
      const Real lower(std::max(0.0, at - spread)), upper(at + spread);
      const Real left = contour.at(lower), right = contour.at(upper);
      if ((rest ? left < target : left > target) && known.lower < lower) {
        known.lower = lower;
      }
      if ((rest ? right >= target : right <= target) && !(known.upper <= upper)) {
        known.upper = upper;
      }
      if (known.upper.finite() && (known.upper - known.lower).middle() <= relative * known.upper.middle()) {
        return known;
      }
    }
    if (std::isfinite(spread) && std::abs((at - e) * slope) > 1.0 && at > 0.0) {
      e = at;
    } else {
      digits += 6.0;
    }
  }
  if (!known.upper.finite()) {
    throw ConvergenceError("no upper end of epsilon was proved");
  }
  return known;
}

// Bisection in doubles, then Newton's steps with the proved values, then both ends proved: the narrowest bracket that
// was seen.
Profile::Bracket Profile::by_jumps(const Real& target, bool rest, double relative) {
  Bracket known{Real(), largest_loss()};
  const double wanted = rigorous::approximate_log(target);
  const Jumps jumps(problem_, wanted, rest);
  if (!jumps.affordable()) {
    return known;
  }
  if (problem_.steps[0].pair == Pair::poisson_add && problem_.gaussian_square.contains_zero()) {
    const Jumps::Ends ends = jumps.add_ends(target);
    return {ends.lower, ends.upper};
  }
  double at = jumps.threshold(wanted);
  constexpr int attempts = 4;
  for (int i = 0; i < attempts; ++i) {
    const Jumps::Value here = jumps.at(Real(at));
    const Real middle = rigorous::scaled(here.lower + here.upper, -1);
    if (!middle.positive() || !std::isfinite(here.slope) || here.slope == 0.0) {
      break;
    }
    const double off = rigorous::approximate_log(middle / target), width = ((here.upper - here.lower) / middle).upper();
    at -= off / here.slope;
    const double spread = (2.0 * width + 0.3 * off * off) / std::abs(here.slope) + 0.2 * relative * std::abs(at);
    if (!std::isfinite(spread) || !(at > -spread)) {
      break;
    }
    const Real lower(std::max(0.0, at - spread)), upper(at + spread);
    const Jumps::Value left = jumps.at(lower), right = jumps.at(upper);
    if ((rest ? left.upper < target : left.lower > target) && known.lower < lower) {
      known.lower = lower;
    }
    if ((rest ? right.lower >= target : right.upper <= target) && !(known.upper <= upper)) {
      known.upper = upper;
    }
    if (known.upper.finite() && (known.upper - known.lower) <= Real(relative) * known.upper) {
      return known;
    }
  }
  const Jumps::Value none = jumps.at(Real());
  return (rest ? none.lower >= target : none.upper <= target) ? Bracket{Real(), Real()} : known;
}

// For closed forms: bisection with as many digits as each comparison needs.
Profile::Bracket Profile::by_bisection(const Real& target, bool rest, double relative) {
  const auto above = [&](double e) {  // delta(e) > target; false only if delta(e) <= target was seen
    for (slong bits = 128; bits <= 65536; bits *= 4) {
      const Precision precision(bits);
      const Real value = ahead(Real(e), rest, std::exp2(-0.5 * static_cast<double>(bits)), 0.0, Effort::modest);
      if (rest ? value >= target : value <= target) {
        return false;
      }
      if (rest ? value < target : value > target) {
        return true;
      }
    }
    return true;
  };
  if (!above(0.0)) {
    return {Real(), Real()};
  }
  double low = 0.0, high = 1.0;
  while (above(high)) {
    low = high;
    high *= 2.0;
    if (!(high < 1e300)) {
      throw ConvergenceError("epsilon is beyond 1e300");
    }
  }
  const auto middle = [&] {
    return low == 0.0         ? high * (high > 1e-290 ? 1e-3 : 0.5)
           : high > 2.0 * low ? std::sqrt(low) * std::sqrt(high)
                              : low + 0.5 * (high - low);
  };
  for (int i = 0; i < 400 && high - low > std::min(relative, 1e-15) * high; ++i) {
    const double m = middle();
    if (!(m > low && m < high)) {
      break;
    }
    (above(m) ? low : high) = m;
  }
  return {Real(low), Real(high)};
}

Profile::Bracket Profile::epsilon(const Real& target, bool rest, double relative, Effort effort, double bar) {
  const Precision precision(256);
  if (problem_.steps.empty() && problem_.gaussian_mu == 0.0) {
    return {Real(), Real()};
  }
  const Real most = rest ? Real(1) - variation() : variation();
  if (rest ? most >= target : most <= target) {
    return {Real(), Real()};
  }
  if (gaussian() || single()) {
    return by_bisection(target, rest, relative);
  }
  Bracket known{Real(), largest_loss()};
  const char* knows = nullptr;
  const auto offer = [&](const Bracket& found) {
    if (!(known.upper.finite() && known.upper - known.lower <= found.upper - found.lower)) {
      knows = method_;
    }
    known.lower = rigorous::max(known.lower, found.lower);
    known.upper = found.upper.finite() && known.upper.finite() ? rigorous::min(known.upper, found.upper)
                  : found.upper.finite()                       ? found.upper
                                                               : known.upper;
  };
  const auto within = [&](double width) {
    return known.upper.finite() && known.upper - known.lower <= Real(width) * known.upper;
  };
  if (laws_ == Laws::any && Jumps::serves(problem_)) {
    method_ = by_jumps_alone;
    forget();
    offer(by_jumps(target, rest, relative));
    if (within(std::max(relative, jumps_relative))) {
      return known;
    }
  }
  if (laws_ == Laws::any && !rest && largest_loss().finite()) {  // delta(e) is at most 1 - e^{e - the largest loss}
    const Real end = rigorous::max(Real(), rigorous::upper_end(largest_loss() + rigorous::log1p(-target)));
    const Real begin = rigorous::min(end, every_step_epsilon(problem_, target));
    if (end - begin <= Real(std::max(relative, jumps_relative)) * end) {
      method_ = "Chernoff bound";
      forget();
      return {begin, end};
    }
    offer({begin, end});
    constexpr double near = 0.5;
    if (NearTop::serves(problem_) && problem_.total_count() <= few_steps && begin >= Real(near) * end &&
        !(end < Real(bar))) {
      method_ = by_cells;
      forget();
      offer(epsilon_near_top(target, begin, few_cells));
      if (within(std::max(relative, near_relative))) {
        return known;
      }
    }
  }
  method_ = "contour";
  try {
    offer(by_contour(target, rest, relative, effort, bar, known));
  } catch (const ConvergenceError&) {
  }
  if (!rest && laws_ == Laws::any && NearTop::serves(problem_) && !within(std::max(relative, near_relative)) &&
      !(known.upper < Real(bar))) {
    method_ = by_cells;
    offer(epsilon_near_top(target, known.lower, most_cells));
  }
  if (!within(coarse) && laws_ != Laws::shared) {
    offer(last_resort(target, rest, relative));
  }
  method_ = knows;
  if (method_ == by_jumps_alone || method_ == by_cells) {
    forget();
  }
  return known;
}

}  // namespace dpcurves::accounting::proof
