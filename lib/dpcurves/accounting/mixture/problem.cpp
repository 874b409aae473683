// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <dpcurves/accounting/mixture/problem.hpp>

namespace dpcurves::accounting::mixture {

using rigorous::Precision;
using rigorous::Real;

Real infinite_mass(const Problem& problem) {
  const Precision precision(160);
  Real log_finite;
  for (const Step& s : problem.steps) {
    if (s.infinite >= Real(1)) {
      return {1};
    }
    log_finite += Real(s.count) * rigorous::log1p(-s.infinite);
  }
  return -rigorous::expm1(log_finite);
}

Real largest_loss(const Problem& problem) {
  Real total;
  bool bounded = problem.gaussian_square.exact() && !problem.gaussian_square.positive();
  for (const Step& s : problem.steps) {
    bounded = bounded && s.pieces.empty() && !(s.atoms.empty() && s.ramps.empty());
    if (!bounded) {
      break;
    }
    std::vector<Real> ends;
    for (const Atom& a : s.atoms) {
      ends.push_back(a.loss);
    }
    for (const Ramp& r : s.ramps) {
      ends.push_back(r.high);
    }
    Real most = ends.front();
    for (const Real& end : ends) {
      most = rigorous::max(most, end);
    }
    total += Real(s.count) * most;
  }
  if (!bounded) {
    arb_pos_inf(total.get());
  }
  return total;
}

bool returns(const Problem& problem) {
  return !(problem.gaussian_square.middle() > 0.0) &&
         std::all_of(problem.steps.begin(), problem.steps.end(),
                     [](const Step& step) { return step.pieces.empty() && step.ramps.empty(); });
}

bool many_terms(const Problem& problem) {
  constexpr std::size_t few = 12;
  std::size_t terms = 0;
  for (const Step& step : problem.steps) {
    for (const Piece& piece : step.pieces) {
      terms += piece.alternative.size() + piece.null.size();
    }
  }
  return terms > few;
}

bool lattice_only(const Problem& problem) {
  return std::any_of(problem.steps.begin(), problem.steps.end(),
                     [](const Step& s) { return !s.sampled_ramps.empty(); });
}

}  // namespace dpcurves::accounting::mixture
