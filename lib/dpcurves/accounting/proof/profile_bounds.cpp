// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What is proved where no contour serves: bounds that need no integral, or few.
#include <algorithm>
#include <cmath>
#include <limits>

#include <dpcurves/accounting/proof/chernoff.hpp>
#include <dpcurves/accounting/proof/near_top.hpp>
#include <dpcurves/accounting/proof/profile.hpp>

namespace dpcurves::accounting::proof {

using rigorous::Precision;
using rigorous::Real;

namespace {

constexpr double wider = 1.0 + 0x1p-20;  // of a range: roundings

constexpr long fewest_cells = 1024;

/// How many cells are next: as many as a relative width wants, of what `most` cells can have; 0 if no more help. An
/// error falls with the square of a cell.
long more_cells(long cells, double width, double most) {
  constexpr double margin = 1.2;  // of a guess
  for (const double wanted : {5e-10, 3e-9, 2e-7}) {
    const double needed = margin * static_cast<double>(cells) * std::sqrt(width / wanted);
    if (width > wanted && needed <= most) {
      const long next = std::max(2 * cells, static_cast<long>(needed));
      return static_cast<double>(next) <= most ? next : 0;
    }
  }
  return 0;
}

}  // namespace

// At least delta(0): the total variation distances of the steps, added up, or by Pinsker's inequality the root of half
// of the divergence, which adds up too.
Real Profile::variation() const {
  const Real root = rigorous::sqrt(Real(8));
  Real total = rigorous::erf(rigorous::sqrt(problem_.gaussian_square) / root);
  Real diverges = rigorous::scaled(problem_.gaussian_square, -1);
  for (const Step& s : problem_.steps) {
    const Real distance = Real(s.pair == Pair::poisson_replace_one ? 2 : 1) * Real(s.mu);
    total += Real(s.count) * Real(s.q) * rigorous::erf(distance / root);
    diverges += Real(s.count) * divergence(s);
  }
  return rigorous::min(total, rigorous::sqrt(rigorous::scaled(diverges, -1)));
}

// The largest loss where every step has one, else infinite.
Real Profile::largest_loss() const {
  Real total;
  if (problem_.gaussian_square.positive()) {
    arb_pos_inf(total.get());
    return total;
  }
  for (const Step& s : problem_.steps) {
    if (s.pair != Pair::poisson_add) {
      arb_pos_inf(total.get());
      return total;
    }
    total = total - Real(s.count) * rigorous::log1p(-Real(s.q));
  }
  return total;
}

// A composition is at least as easy to tell apart as any one of its parts: the part of the largest count times rate
// alone.
Profile& Profile::easiest() {
  if (!easiest_) {
    Composition one;
    if (problem_.gaussian_mu > 0.0) {
      one.gaussian_mu = composition_.gaussian_mu;
    }
    if (one.gaussian_mu == 0.0 && !problem_.steps.empty()) {
      const auto strongest =
          std::max_element(problem_.steps.begin(), problem_.steps.end(),
                           [](const Step& a, const Step& b) { return a.q * std::erf(a.mu) < b.q * std::erf(b.mu); });
      one.components.push_back({strongest->q, strongest->mu, 1.0, strongest->pair});
    }
    easiest_ = std::make_unique<Profile>(one);
  }
  return *easiest_;
}

// delta(epsilon) between that of one part, or of the largest step, and Chernoff's bound.
Real Profile::bounded(const Real& epsilon, bool rest) {
  method_ = "Chernoff bound";
  forget();
  const Real least = rigorous::max(easiest().delta(epsilon, false, 1e-6), any_step_delta(problem_, epsilon));
  Real most = chernoff_delta(problem_, epsilon);
  for (const double log_value : {log_value_at(epsilon.middle()), log_chernoff_estimate(problem_, epsilon.middle())}) {
    most = rigorous::min(most, cut_chernoff_delta(problem_, epsilon, log_value));
  }
  const Real low = rigorous::lower_end(least),
             high = rigorous::max(rigorous::upper_end(least), rigorous::min(most, variation()));
  const Real both = rigorous::hull(low, high);
  return rest ? Real(1) - both : both;
}

bool Profile::below_doubles(const Real& delta) { return delta < Real(std::numeric_limits<double>::denorm_min()); }

// Whether that is so, the saddle point guesses.
std::optional<Real> Profile::unseen(const Real& epsilon) {
  constexpr double seen = -40.0, beyond = -760.0, farther = -800.0;  // of logarithms; e^-745 is the smallest double
  if (!(log_estimate(problem_.cut(seen), epsilon.middle(), false) < beyond)) {
    return std::nullopt;
  }
  Real most = chernoff_delta(problem_, epsilon);
  if (!below_doubles(most)) {
    most = far_chernoff_delta(problem_, epsilon, farther);  // many steps lose little together
  }
  if (!below_doubles(most)) {
    return std::nullopt;
  }
  method_ = "Chernoff bound";
  forget();
  return rigorous::hull(Real(), most);
}

Real Profile::delta_near_top(const Real& epsilon, double most) const {
  const double range = wider * (largest_loss() - epsilon).upper();
  Real lower, upper(1);
  for (long cells = fewest_cells; cells > 0;) {
    const NearTop at(problem_, range, cells);
    lower = rigorous::max(lower, at.least(epsilon));
    upper = rigorous::min(upper, at.most(epsilon));
    cells = below_doubles(upper) ? 0 : more_cells(cells, ((upper - lower) / upper).upper(), most);
  }
  return rigorous::hull(lower, upper);
}

Profile::Bracket Profile::epsilon_near_top(const Real& target, const Real& lower, double most) const {
  const double range = wider * (largest_loss() - lower).upper();
  Bracket best{lower, largest_loss()};
  for (long cells = fewest_cells; cells > 0;) {
    const NearTop::Ends ends = NearTop(problem_, range, cells).epsilon(target);
    best = {rigorous::max(best.lower, ends.lower), rigorous::min(best.upper, ends.upper)};
    cells = more_cells(cells, ((best.upper - best.lower) / best.upper).upper(), most);
  }
  return best;
}

Profile::Bracket Profile::last_resort(const Real& target, bool rest, double relative) {
  method_ = "Chernoff bound";
  forget();
  const Real delta = rest ? Real(1) - target : target;
  Bracket out{Real(), rigorous::min(largest_loss(), chernoff_epsilon(problem_, rigorous::lower_end(delta)))};
  if (!easiest().problem().steps.empty() || easiest().gaussian()) {
    out.lower = easiest().epsilon(target, rest, relative).lower;
  }
  if (rest) {
    out.upper = rigorous::max(out.upper, out.lower);
    return out;
  }
  out.upper = rigorous::min(out.upper, cut_chernoff_epsilon(problem_, rigorous::lower_end(delta)));
  if (!problem_.gaussian_square.positive()) {
    out.lower = rigorous::max(out.lower, every_step_epsilon(problem_, delta));
  }
  double low = out.lower.middle(), high = out.upper.middle();
  for (int i = 0; i < 100 && high - low > 1e-12 * high; ++i) {
    const double m = 0.5 * (low + high);
    (any_step_delta(problem_, Real(m)) > delta ? low : high) = m;
  }
  out.lower = rigorous::max(out.lower, Real(low));
  out.upper = rigorous::max(out.upper, out.lower);
  return out;
}

}  // namespace dpcurves::accounting::proof
