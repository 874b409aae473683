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
                         step.sampled_ramps.empty() && !step.infinite.positive();
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

}  // namespace

Profile::Profile(Problem problem, double relative)
    : problem_(std::move(problem)), relative_(relative), one_step_(OneStep::of(problem_)), method_(by_contour) {
  for (const Step& s : problem_.steps) {
    plain_.emplace_back();
    for (const Piece& p : s.pieces) {
      plain_.back().emplace_back(p);
    }
  }
}

Profile::~Profile() = default;

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
  if (one_step_) {
    method_ = by_one_step;
    return one_step_->at(epsilon).delta;
  }
  const Real infinite = infinite_mass(problem_);
  if (infinite >= Real(1)) {
    return exactly(1.0);
  }
  if (loud(problem_)) {
    return {0.0, 1.0};
  }
  if (Real(epsilon) >= largest_loss(problem_)) {
    return {infinite.lower(), std::min(1.0, (infinite + dropped()).upper())};
  }
  Enclosure best{0.0, 1.0};
  constexpr double beside = 0.1, enough = 1e-3;  // from so near a new contour is not better
  bool near = false;
  for (const Contour* contour : nearest(epsilon)) {
    const bool is_beside = contour->slope(epsilon) < beside;
    near = near || is_beside;
    const Enclosure known = contour->at(epsilon);
    best = {std::max(best.lower, known.lower), std::min(best.upper, known.upper)};
    const double wanted = is_beside ? std::max(relative_, enough) : relative_;
    if (best.upper - best.lower <= wanted * best.upper) {
      method_ = by_contour;
      return best;
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
  const auto tried = [epsilon](const std::vector<Tried>& places, const Enclosure& found) {
    return std::any_of(places.begin(), places.end(), [&](const Tried& place) {
      constexpr double as_good = 2.0;
      return std::abs(epsilon - place.epsilon) * place.width < 1.0 && found.relative_width() <= as_good * place.ended;
    });
  };
  const bool serves = epsilon >= 0.0 && points_left_ > 0.0 && lattice_serves(problem_);
  const bool lattices_tried = tried(ladders_, best);
  const auto last = quick(p);
  const bool lattice_first = serves && (!last || dear(p, *last));
  if (lattice_first) {
    if (!lattices_tried) {
      lattice_delta(p, best);
    }
    if (last ? best.relative_width() <= lattice_sizes.front().enough : proved_enough(problem_, best, 1.0)) {
      return best;
    }
  }
  if (lattice_only(problem_) || failures_left_ == 0 || tried(failed_, {0.0, 1.0})) {
    return best;
  }
  method_ = by_contour;
  if (!near) {
    try {
      contours_.push_back(std::make_unique<Contour>(problem_, p, relative_, work_left_));
      const Enclosure found = contours_.back()->at(epsilon);
      best = {std::max(best.lower, found.lower), std::min(best.upper, found.upper)};
      constexpr double useless = 0.9;
      failures_left_ -= best.relative_width() > useless ? 1 : 0;
      contours_wide_ = contours_wide_ || (serves && !(found.relative_width() < enough));
    } catch (const ConvergenceError&) {
      contours_fail_ = true;
      failed_.push_back({p.epsilon, p.width, 1.0});
      --failures_left_;
    }
  }
  if (serves && !lattice_first && !lattices_tried && !proved_enough(problem_, best, 1.0)) {
    method_ = by_lattice;
    lattice_delta(p, best);
  }
  return best;
}

/// The two whose plans are nearest, of those that may say something there.
std::vector<const Profile::Contour*> Profile::nearest(double epsilon) const {
  constexpr double far = 8.0;
  constexpr std::size_t most = 2;
  std::vector<const Contour*> found;
  for (const auto& contour : contours_) {
    if (contour->slope(epsilon) < far) {
      found.push_back(contour.get());
    }
  }
  const auto end = found.begin() + static_cast<std::ptrdiff_t>(std::min(most, found.size()));
  std::partial_sort(found.begin(), end, found.end(), [epsilon](const Contour* a, const Contour* b) {
    return std::pair(a->slope(epsilon), a->c()) < std::pair(b->slope(epsilon), b->c());
  });
  found.erase(end, found.end());
  return found;
}

}  // namespace dpcurves::accounting::mixture
