// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/accounting/proof/chernoff.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Precision;
using rigorous::Real;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr slong chernoff_bits = 192;

double distance(const Step& s) { return s.pair == Pair::poisson_replace_one ? 2.0 * s.mu : s.mu; }

// At least log E[e^{c l}], c >= 0, of one step. A step's laws are mixtures: with chance 1 - q alike, with chance q normal laws
// at a distance D. p^{c+1} n^{-c} is jointly convex in (p, n), so E[e^{c l}] <= 1 - q + q e^{c (c + 1) D^2 / 2}. A pair made
// of halves has positive losses only on the half line of one such pair of mixtures; its negative losses count at most their
// mass, which with the atom and the share of the half adds up to 1 - q and q P(N > mu / 2) <= q / 2. Add has no loss above
// -log(1 - q).
Real log_moment(const Step& step, const Real& c) {
  const Real q(step.q), mu(distance(step));
  const Real grown = rigorous::scaled(c * (c + Real(1)) * mu * mu, -1);
  const bool halves = step.has_atom;
  // log(1 + q (e^g - 1) [+ q / 2])
  Real bound = rigorous::log1p(q * (rigorous::expm1(grown) + Real(halves ? 0.5 : 0.0)));
  if (step.pair == Pair::poisson_add) {
    bound = rigorous::min(bound, -(c * rigorous::log1p(-q)));
  }
  return bound;
}

/// The same in doubles.
double plain_log_moment(const Step& step, double c) {
  const double d = distance(step), grown = 0.5 * c * (c + 1.0) * d * d;
  double bound = grown > 600.0 ? grown + std::log(step.q) : std::log1p(step.q * (std::expm1(grown) + (step.has_atom ? 0.5 : 0.0)));
  if (step.pair == Pair::poisson_add) {
    bound = std::min(bound, -c * std::log1p(-step.q));
  }
  return bound;
}

// delta <= E[(1 - e^{epsilon - L})_+] <= kappa(c) e^{K(c) - c epsilon}, kappa(c) = c^c / (1 + c)^{1 + c} the largest value of
// (1 - e^{-y}) e^{-c y}. log of kappa e^K:
Real log_front(const Problem& problem, const Real& c) {
  const Real next = c + Real(1);
  Real total = c * rigorous::log(c) - next * rigorous::log(next) +
               rigorous::scaled(c * next * problem.gaussian_square, -1);
  for (const Step& s : problem.steps) {
    total += Real(s.count) * log_moment(s, c);
  }
  return total;
}

double plain_log_front(const Problem& problem, double c) {
  double total = c * std::log(c) - (c + 1.0) * std::log1p(c) + 0.5 * c * (c + 1.0) * problem.gaussian_mu * problem.gaussian_mu;
  for (const Step& s : problem.steps) {
    total += s.count * plain_log_moment(s, c);
  }
  return total;
}

/// A c at which `cost` is about least.
template <class F>
double best_order(const F& cost) {
  double best = 1.0, least = infinity, step = 0.5;
  for (double u = -28.0; u <= 60.0; u += step) {
    const double v = cost(std::exp(u));
    if (v < least) {
      least = v;
      best = u;
    }
  }
  for (; step > 1e-4; step *= 0.5) {
    for (const double u : {best - step, best + step}) {
      const double v = cost(std::exp(u));
      if (v < least) {
        least = v;
        best = u;
      }
    }
  }
  return std::exp(best);
}

}  // namespace

Real chernoff_delta(const Problem& problem, const Real& epsilon) {
  const Precision precision(chernoff_bits);
  const double e = epsilon.middle();
  const Real c(best_order([&](double x) { return plain_log_front(problem, x) - x * e; }));
  const Real bound = rigorous::upper_end(rigorous::exp(log_front(problem, c) - c * epsilon));
  return bound.finite() && bound < Real(1) ? bound : Real(1);
}

Real chernoff_epsilon(const Problem& problem, const Real& target) {
  const Precision precision(chernoff_bits);
  const Real wanted = rigorous::log(target);
  const double plain = wanted.middle();
  const Real c(best_order([&](double x) { return (plain_log_front(problem, x) - plain) / x; }));
  return rigorous::upper_end(rigorous::at_least((log_front(problem, c) - wanted) / c, Real()));
}

}  // namespace dpcurves::accounting::proof
