// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <optional>

#include <dpcurves/accounting/mixture/contour.hpp>
#include <dpcurves/accounting/mixture/lattice.hpp>
#include <dpcurves/accounting/proof/chernoff.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::mixture {
namespace {

using rigorous::Precision;
using rigorous::Real;

/// What is seen of both laws of a step on either side of a point.
struct Look {
  proof::Seen alternative, null;
};

/// The looks at some points; none for a step that is not one whole piece.
std::vector<Look> looks(const Step& step) {
  const bool one_piece = step.pieces.size() == 1 && step.atoms.empty() && step.ramps.empty() &&
                         step.sampled_ramps.empty() && !step.infinite.positive() && !step.unsure.positive();
  if (!one_piece || step.pieces.front().from != -infinity) {
    return {};
  }
  const Piece& piece = step.pieces.front();
  const auto sides = [&](const Mixture& mixture, const Real& missing, const Real& at) {
    proof::Seen sum{missing, missing};
    for (const Component& c : mixture) {
      sum[0] += piece.weight * c.weight * rigorous::normal_tail(at - c.mean);
      sum[1] += piece.weight * c.weight * rigorous::normal_tail(c.mean - at);
    }
    return sum;
  };
  std::vector<Look> all;
  constexpr std::size_t most_points = 4;
  for (std::size_t k = 0; k < std::min(most_points, piece.alternative.size() * piece.null.size()); ++k) {
    const Real at(0.5 * (piece.alternative[k / piece.null.size()].mean.middle() +
                         piece.null[k % piece.null.size()].mean.middle()));
    all.push_back({sides(piece.alternative, step.dropped_alternative, at), sides(piece.null, step.dropped_null, at)});
  }
  return all;
}

struct Means {
  double least = infinity, largest = -infinity;
};

Means means(const Mixture& mixture) {
  Means m;
  for (const Component& c : mixture) {
    m.least = std::min(m.least, c.mean.lower());
    m.largest = std::max(m.largest, c.mean.upper());
  }
  return m;
}

}  // namespace

Profile::Profile(Problem problem, double relative)
    : problem_(std::move(problem)), relative_(relative), method_(by_contour) {
  for (const Step& s : problem_.steps) {
    plain_.emplace_back();
    for (const Piece& p : s.pieces) {
      plain_.back().emplace_back(p);
    }
  }
}

Profile::~Profile() = default;

// One step whose losses rise: they exceed epsilon right of a point t, which bisection encloses.
std::optional<Enclosure> Profile::single(double epsilon) const {
  if (problem_.steps.size() != 1 || problem_.steps.front().count != 1.0 || lattice_only(problem_) ||
      !problem_.gaussian_square.exact() || problem_.gaussian_square.positive()) {
    return std::nullopt;
  }
  const Precision precision(256);
  const Real e(epsilon), x = rigorous::exp(e);
  const Step& step = problem_.steps.front();
  Real total;
  for (std::size_t k = 0; k < step.pieces.size(); ++k) {
    Piece p = step.pieces[k];
    const Means a = means(p.alternative), n = means(p.null);
    if (p.from == -infinity && a.largest <= n.least) {  // falls with x, rises with -x
      p.alternative = turned(p.alternative);
      p.null = turned(p.null);
    } else if (p.from != -infinity || !(a.least >= n.largest)) {  // else d log A / dx >= d log N / dx
      return std::nullopt;
    }
    constexpr double far = 1e8;
    double low = -far, high = far;  // l(low) <= epsilon <= l(high), proved; or an end
    const LogRatio ratio{LogMixture(p.alternative), LogMixture(p.null)};
    const auto loss = [&](double at) { return ratio.at(Real(at)) - e; };
    for (int i = 0; i < 120 && high - low > 1e-15 * std::abs(low); ++i) {
      const double m = 0.5 * (low + high);
      const Real l = loss(m);
      if (l.contains_zero() || !l.finite()) {
        break;
      }
      (l.negative() ? low : high) = m;
    }
    const auto beyond = [](const Mixture& mix, double at) {
      Real sum;
      for (const Component& c : mix) {
        sum += c.weight * rigorous::normal_tail(Real(at) - c.mean);
      }
      return sum;
    };
    // delta is at most P(x > low) - x Q(x > high), and at least P(S) - x Q(S) of any half line S
    const Real upper = beyond(p.alternative, low) - x * beyond(p.null, high);
    const Real lower = rigorous::max(Real(), rigorous::max(beyond(p.alternative, low) - x * beyond(p.null, low),
                                                           beyond(p.alternative, high) - x * beyond(p.null, high)));
    total += p.weight * rigorous::hull(lower, upper);
  }
  for (const Atom& a : step.atoms) {
    total += a.mass * rigorous::at_least(Real(1) - rigorous::exp(e - a.loss), Real());
  }
  for (const Ramp& r : step.ramps) {
    if (e < r.high) {
      const Real from = rigorous::max(e, r.low), less = r.rate - Real(1);
      total += r.factor * ((rigorous::exp(r.rate * r.high) - rigorous::exp(r.rate * from)) / r.rate -
                           x * (rigorous::exp(less * r.high) - rigorous::exp(less * from)) / less);
    }
  }
  total += step.infinite;
  const Real lowest = total - step.dropped_null * x, highest = total + step.dropped_alternative;
  return Enclosure{std::clamp(lowest.lower(), 0.0, 1.0), std::clamp(highest.upper(), 0.0, 1.0)};
}

bool Profile::far_below(double epsilon) const {
  const Precision precision(128);
  std::vector<std::vector<Look>> seen;
  for (const Step& step : problem_.steps) {
    seen.push_back(looks(step));
  }
  const Real lacks = proof::rest_of_affinities(Real(epsilon), problem_.gaussian_square, [&](const Real& s) {
    Real total;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      Real least(1);  // affinity
      for (const Look& look : seen[i]) {
        least = rigorous::min(least, proof::affinity(look.alternative, look.null, s));
      }
      total += Real(problem_.steps[i].count) * rigorous::log(least);
    }
    return total;
  });
  return lacks < Real(0x1p-54);
}

Enclosure Profile::delta(double epsilon) {
  begin_question();
  return look(epsilon);
}

Enclosure Profile::look(double epsilon) {
  if (problem_.steps.empty() && problem_.gaussian_square.exact() && !problem_.gaussian_square.positive()) {
    return exactly(std::max(0.0, -std::expm1(epsilon)));
  }
  if (const auto closed = single(epsilon)) {
    return *closed;
  }
  const Real infinite = infinite_mass(problem_);
  if (infinite >= Real(1)) {
    return exactly(1.0);
  }
  if (loud(problem_)) {
    return {0.0, 1.0};
  }
  if (Real(epsilon) >= largest_loss(problem_)) {
    Real dropped;
    for (const Step& s : problem_.steps) {
      dropped += Real(s.count) * s.dropped_alternative;
    }
    return {infinite.lower(), std::min(1.0, (infinite + dropped).upper())};
  }
  Enclosure best{0.0, 1.0};
  constexpr double beside = 0.1, enough = 1e-3;  // from so near a new contour is not better
  for (const auto& contour : contours_) {
    if (contour->slope(epsilon) < 3.0) {
      const Enclosure known = contour->at(epsilon);
      best = {std::max(best.lower, known.lower), std::min(best.upper, known.upper)};
      const double wanted = contour->slope(epsilon) < beside ? std::max(relative_, enough) : relative_;
      if (best.upper - best.lower <= wanted * best.upper) {
        method_ = by_contour;
        return best;
      }
    }
  }
  if (far_below(epsilon)) {
    method_ = "Chernoff bound";
    return {next_down(1.0), 1.0};
  }
  method_ = by_lattice;
  for (const auto& lattice : lattices_) {
    const Enclosure known = with_rest(lattice->delta(epsilon), epsilon);
    best = {std::max(best.lower, known.lower), std::min(best.upper, known.upper)};
    if (best.relative_width() <= lattice_sizes.back().enough) {
      return best;
    }
  }
  const Plan p = plan(epsilon);
  const bool serves = epsilon >= 0.0 && points_left_ > 0.0 && lattice_serves(problem_);
  const auto last = quick(p);
  const bool lattice_first = serves && (!last || dear(p, *last));
  if (lattice_first) {
    lattice_delta(p, best);
    if (last ? best.relative_width() <= lattice_sizes.front().enough : proved_enough(problem_, best, 1.0)) {
      return best;
    }
  }
  if (lattice_only(problem_)) {
    return best;
  }
  if (failures_left_ == 0) {
    return best;
  }
  method_ = by_contour;
  try {
    contours_.push_back(std::make_unique<Contour>(problem_, p, relative_));
    const Enclosure found = contours_.back()->at(epsilon);
    best = {std::max(best.lower, found.lower), std::min(best.upper, found.upper)};
    constexpr double useless = 0.9;
    failures_left_ -= best.relative_width() > useless ? 1 : 0;
    contours_wide_ = contours_wide_ || (serves && !(found.relative_width() < enough));
  } catch (const ConvergenceError&) {
    contours_fail_ = true;
    --failures_left_;
  }
  if (serves && !lattice_first && !proved_enough(problem_, best, 1.0)) {
    method_ = by_lattice;
    lattice_delta(p, best);
  }
  return best;
}

}  // namespace dpcurves::accounting::mixture
