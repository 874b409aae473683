// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The inverse of a profile: Newton's steps in doubles, then proved values on either side.
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/mixture/contour.hpp>
#include <dpcurves/accounting/mixture/lattice.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::mixture {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

// By the saddle point, then with sums.
Profile::Plan Profile::plan_for(double target) const {
  Plan at = begun(target);
  at.turn_to(target);
  double e = at.epsilon;
  at = plan(e, &at);
  for (int i = 0; i < 2 && e > 0.0; ++i) {  // closer, by sums in doubles
    const auto root = at.root(target);
    if (!root || !(*root > 0.0)) {
      break;
    }
    const double apart = std::abs(*root - e) * at.width;
    e = *root;
    at = plan(e, &at, target);
    if (apart < 1.0) {
      break;
    }
  }
  return at;
}

/// At least the epsilon at a delta, by the moment at the order of a plan: delta(e) <= F(c) e^{-c e} c^c / (1+c)^{1+c},
/// where the last factors are the largest (1 - e^{e - l}) e^{c (e - l)}.
double Profile::chernoff(const Plan& plan, double wanted) const {
  if (lattice_only(problem_)) {
    return infinity;
  }
  const Precision precision(128);
  const Real c(plan.c);
  Real log_most = rigorous::scaled(problem_.gaussian_square * (c * c + c), -1) + c * rigorous::log(c) -
                  (c + Real(1)) * rigorous::log1p(c);
  Real left = Real(wanted) - infinite_mass(problem_);
  try {
    for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
      const Step& s = problem_.steps[i];
      Real m;
      left = left - Real(s.count) * s.dropped_alternative;
      for (std::size_t k = 0; k < s.pieces.size(); ++k) {
        const Orders orders{plan.c, plan.c, 0.0, s.count >= many};
        m += Nodes(s.pieces[k], plan.ranges[i][k], orders, plan.reference[i], {}).at_other();
        left = left - Real(s.count) * lost(s.pieces[k], plan.ranges[i][k]);
      }
      for (const Atom& a : s.atoms) {
        m += a.mass * rigorous::exp(c * a.loss - Real(plan.reference[i]));
      }
      for (const Ramp& r : s.ramps) {
        m += r.moment(Complex(c)).re() * rigorous::exp(Real(-plan.reference[i]));
      }
      log_most += Real(s.count) * (rigorous::log(m) + Real(plan.reference[i]));
    }
  } catch (const ConvergenceError&) {
    return infinity;
  }
  return left.positive() ? rigorous::max(Real(), (log_most - rigorous::log(left)) / c).upper() : infinity;
}

/// With the bound by a moment, where what was found is not narrow.
Enclosure Profile::with_moment(const Enclosure& found, const Plan& plan, double wanted) const {
  constexpr double wide = 1e-3;
  return found.upper == 0.0 || found.relative_width() <= wide
             ? found
             : Enclosure{found.lower, std::min(found.upper, std::max(found.lower, chernoff(plan, wanted)))};
}

/// The mass that no epsilon makes up for.
Real Profile::dropped() const {
  Real total;
  for (const Step& s : problem_.steps) {
    total += Real(s.count) * s.dropped_alternative;
  }
  return total;
}

bool Profile::surely_below(double epsilon, double delta) {
  constexpr double near = 0.01;  // of log delta: no contour tells
  if (one_step_ || loud(problem_)) {
    return one_step_ && one_step_->at(epsilon).delta.upper <= delta;
  }
  const Plan& there = about(epsilon);
  if (!(there.log_delta < std::log(delta) - near)) {
    return false;
  }
  // What chernoff() bounds, in doubles: where it says nothing, no integral is asked. By an order that does not do
  // much more than is asked: those of far smaller deltas are too large for a proof.
  constexpr double spare = 8.0;
  const double least = std::log(delta) - spare;
  Plan plain = there;
  if (plain.log_delta < least) {
    plain = begun(least);
    plain.turn_to(least);
  }
  finish(plain);
  const double c = plain.c, most = plain.cumulant(c) - c * epsilon + c * std::log(c) - (c + 1.0) * std::log1p(c);
  if (most < std::log(delta) && chernoff(plain, delta) <= epsilon) {
    return true;
  }
  const auto last = there.log_delta < least ? std::nullopt : quick(plain);
  return last && !dear(plain, *last) && this->delta(epsilon).upper <= delta;
}

double Profile::epsilon_about(double wanted) {
  if (one_step_) {
    return epsilon(wanted).lower;
  }
  if (loud(problem_)) {
    return infinity;
  }
  planned_for_ = std::log(wanted);
  planned_ = std::make_unique<Plan>(plan_for(planned_for_));
  return planned_->epsilon;
}

Enclosure Profile::epsilon(double wanted) {
  if (one_step_) {
    if (planned_for_ != wanted) {
      planned_for_ = wanted;
      one_step_epsilon_ = one_step_->epsilon(wanted);
    }
    method_ = by_one_step;
    return one_step_epsilon_;
  }
  begin_question();
  if (loud(problem_) || dropped() >= Real(wanted)) {
    return {0.0, infinity};
  }
  const auto log_of = [](double v) { return std::log(std::max(v, 1e-320)); };
  const double target = std::log(wanted);
  double low = 0.0, high = infinity;  // delta(low) > wanted (or low = 0) and delta(high) <= wanted, both proved
  const auto ask = [&](double e) {
    const Enclosure d = look(e);
    if (d.upper <= wanted) {
      high = std::min(high, e);
    }
    if (d.lower > wanted) {
      low = std::max(low, e);
    }
    return d;
  };
  const Plan at = planned_ && planned_for_ == target ? *planned_ : plan_for(target);
  double e = at.epsilon;
  const double guess = e;
  constexpr double least_seen = 1e-290;  // the ends of a lattice are at least 6e-299 apart
  const bool serves = wanted > least_seen && lattice_serves(problem_);
  points_left_ = serves ? points_left_ : 0.0;
  const auto last = quick(at);
  const bool is_dear = last && dear(at, *last);
  bool lattice_first = serves && (!last || is_dear);
  if (!lattice_first) {
    try {
      constexpr double wide = 1e-3;
      contours_.push_back(std::make_unique<Contour>(problem_, at, relative_, work_left_));
      contours_wide_ = serves && !(contours_.back()->at(e).relative_width() < wide);
      lattice_first = contours_wide_;
    } catch (const ConvergenceError&) {
      contours_fail_ = true;
      lattice_first = serves;
    }
  }
  if (lattice_first) {
    constexpr double narrow = 2e-5;  // that of a contour may be narrower
    const Enclosure found = lattice_epsilon(wanted, guess);
    if (is_dear ? found.upper == 0.0 || found.relative_width() <= narrow
                : contours_fail_ || proved_enough(problem_, found, infinity)) {
      method_ = by_lattice;
      return with_moment(found, at, wanted);
    }
    low = found.lower;
    high = found.upper;
    points_left_ = 0.0;  // other thresholds see no more
  }
  if (lattice_only(problem_)) {
    return {low, high};
  }
  if (e == 0.0 && ask(0.0).upper <= wanted) {
    return {0.0, 0.0};
  }
  double slope = -at.c, before = 0.0, before_off = 0.0;
  constexpr double useless = 0.9;
  for (int i = 0, wide = 0; i < 30; ++i) {
    const Enclosure d = ask(e);
    if (d.relative_width() > useless && ++wide > 1) {  // no contour here says more
      break;
    }
    const double off = 0.5 * (log_of(d.lower) + log_of(d.upper)) - target;
    const double width = std::max(log_of(d.upper) - log_of(d.lower), 1e-15);
    if (i > 0 && e != before && off != before_off) {
      slope = std::min(-1e-300, (off - before_off) / (e - before));
    }
    before = e;
    before_off = off;
    if (std::abs(off) < 4.0 * width + 0.1 * relative_) {
      const double spread = (2.0 * width + std::abs(off) + 0.02 * relative_ * std::abs(e * slope)) / std::abs(slope);
      for (double more = 1.0; more < 1e6 && !(e - more * spread <= low); more *= 4.0) {
        (void)ask(std::max(0.0, e - more * spread));
      }
      for (double more = 1.0; more < 1e6 && !(high <= e + more * spread); more *= 4.0) {
        (void)ask(e + more * spread);
      }
      break;
    }
    const double next = e - off / slope;
    e = next > low && next < high ? next : std::isfinite(high) ? 0.5 * (low + high) : std::max(2.0 * e, 1.0);
  }
  if (serves && !lattice_first && !proved_enough(problem_, {low, high}, infinity)) {
    const Enclosure found = lattice_epsilon(wanted, guess);
    method_ = by_lattice;
    low = std::max(low, found.lower);
    high = std::min(high, found.upper);
  }
  return with_moment({low, high}, at, wanted);
}

}  // namespace dpcurves::accounting::mixture
