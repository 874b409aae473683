// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The answers of a profile that lattices of losses give.
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/mixture/contour.hpp>
#include <dpcurves/accounting/mixture/lattice.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::mixture {
namespace {

using rigorous::Precision;
using rigorous::Real;

}  // namespace

bool proved_enough(const Problem& problem, const Enclosure& found, double trivial) {
  constexpr double narrow = 1e-3;
  return lattice_only(problem) || found.upper == 0.0 || found.relative_width() < narrow ||
         (found.upper < trivial && many_terms(problem));
}

/// \param jumps  whether rare large losses may hide the saddle point.
detail::LatticeProfile Profile::lattice(const Plan& p, std::size_t points, bool jumps) const {
  LatticePlan there{p.epsilon, p.c, p.log_delta, p.ranges, [&p](double order) { return p.cumulant(order); }, {}};
  for (std::size_t i = 0; jumps && i < p.sketch.size(); ++i) {
    const Sketch& s = p.sketch[i];
    there.losses.push_back({s.count, {}});
    for (std::size_t k = 0; k < s.loss.size(); ++k) {
      there.losses.back().nodes.push_back({s.loss[k], s.log_weight[k]});
    }
  }
  return lattice_of(problem_, std::move(there), points);
}

// Two lattices of the largest size with those before them. A walk over thresholds that needs more does not narrow.
void Profile::begin_question() {
  constexpr double ladders = 2.0;
  constexpr int most_failures = 2;
  constexpr double long_contours = 2.0;
  work_left_ = long_contours * most_work;
  points_left_ = 0.0;
  for (const LatticeSize& size : lattice_sizes) {
    points_left_ += ladders * static_cast<double>(size.points);
  }
  failures_left_ = most_failures;
}

bool Profile::spend(const Plan& p, std::size_t points) {
  const double cost = static_cast<double>(points) + work_of_cells(problem_, p.ranges);
  const bool within = cost <= points_left_;
  points_left_ -= within ? cost : 0.0;
  return within;
}

/// Null where there is none.
const detail::LatticeProfile* Profile::near() {
  if (!asked_) {
    asked_ = true;
    if (is_proper(problem_)) {
      Plan p = plan(0.0);
      p.ranges = near_ranges(problem_);
      p.sketch.clear();
      for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
        p.sketch.push_back(sketch_of(problem_.steps[i], plain_[i], p.ranges[i]));
      }
      p.c = 0.0;
      try {
        near_ = std::make_unique<const detail::LatticeProfile>(lattice(p, lattice_sizes[1].points, false));
      } catch (const ConvergenceError&) {
      }
    }
  }
  return near_.get();
}

/// At most what the composition lacks of a positive part, where components of the null were dropped.
Real Profile::lacks(double epsilon) const {
  Real total;
  for (const Step& s : problem_.steps) {
    total += Real(s.count) * s.dropped_null;
  }
  return total * rigorous::exp(Real(epsilon));
}

/// With the losses that no lattice has.
Enclosure Profile::with_rest(const Enclosure& finite, double epsilon) const {
  const Precision precision(64);
  const Real infinite = infinite_mass(problem_);
  return clamp({(Real(finite.lower) + infinite - lacks(epsilon)).lower(), (Real(finite.upper) + infinite).upper()}, 0.0,
               1.0);
}

void Profile::lattice_delta(const Plan& p, Enclosure& best) {
  bool jumps = false;
  constexpr double promising = 0.3;
  for (const auto& [points, enough] : lattice_sizes) {
    if (points == lattice_sizes.back().points && !(best.relative_width() < promising)) {
      break;
    }
    if (!spend(p, points)) {
      return;
    }
    try {
      lattices_.push_back(std::make_unique<const detail::LatticeProfile>(lattice(p, points, jumps)));
    } catch (const ConvergenceError&) {
      break;
    }
    const Enclosure found = with_rest(lattices_.back()->delta(p.epsilon), p.epsilon);
    best = {std::max(best.lower, found.lower), std::min(best.upper, found.upper)};
    if (best.relative_width() <= enough) {
      return;
    }
    jumps = !(best.relative_width() < promising);
  }
  ladders_.push_back({p.epsilon, p.width, best.relative_width()});
}

Enclosure Profile::epsilon_of(const detail::LatticeProfile& lattice, double wanted) const {
  const Precision precision(64);
  const Real finite = Real(wanted) - infinite_mass(problem_);
  const double high = finite.lower() > 0.0 ? lattice.epsilon(finite.lower()).upper : infinity;
  if (std::isinf(high)) {
    return {0.0, infinity};
  }
  const double most = (finite + lacks(high)).upper();  // below high less is lacking
  return {most < 1.0 ? std::min(high, lattice.epsilon(most).lower) : 0.0, high};
}

Enclosure Profile::lattice_epsilon(double wanted, double guess) {
  constexpr double near = 1e-3;       // relative, and
  constexpr double beside = 0.1;      // in deviations of the losses: from so far away a lattice still has its digits
  constexpr int most_lattices = 4;    // of one size
  constexpr double promising = 1e-2;  // the gap falls by sixteen from size to size: from there to below 1e-3
  Enclosure best{0.0, infinity};
  double at = guess;
  bool jumps = false;
  for (const auto& [points, enough] : lattice_sizes) {
    if (points == lattice_sizes.back().points && !(best.relative_width() < promising)) {
      return best;
    }
    for (int i = 0; i < most_lattices; ++i) {
      const Plan there = jumps ? plan_of_likely(at, std::log(wanted)) : plan(at);
      if (!spend(there, points)) {
        return best;
      }
      try {
        lattices_.push_back(std::make_unique<const detail::LatticeProfile>(lattice(there, points, jumps)));
      } catch (const ConvergenceError&) {
        return best;
      }
      const Enclosure found = epsilon_of(*lattices_.back(), wanted);
      best = {std::max(best.lower, found.lower), std::min(best.upper, found.upper)};
      if (best.upper == 0.0 || best.relative_width() <= enough) {
        return best;
      }
      const bool blind = best.lower < 0.5 * best.upper;  // rare large losses are seen from above alone
      const double next = blind ? best.upper : 0.5 * (best.lower + best.upper);
      if (blind && !jumps) {  // again with these
        jumps = true;
        at = std::isinf(next) ? at : next;
        continue;
      }
      if (std::isinf(next) || std::abs(next - at) <= std::max(near * at, blind ? 0.0 : beside * there.width)) {
        break;
      }
      at = next;
    }
  }
  return best;
}

std::optional<Enclosure> Profile::tradeoff(double a) {
  if (problem_.steps.empty() || !lattice_serves(problem_) || (!asked_ && quick(plan(0.0))) || near() == nullptr) {
    return std::nullopt;
  }
  method_ = by_lattice;
  return near_->tradeoff(a);
}

}  // namespace dpcurves::accounting::mixture
