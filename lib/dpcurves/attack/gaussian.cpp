// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/attack/gaussian.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/refine.hpp>
#include <dpcurves/tradeoff/detail/gaussian_ball.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::attack {
namespace {

using rigorous::normal_tail;
using rigorous::Real;
using rigorous::refined;

void check(const Enclosure& mu) {
  require_domain(mu.lower >= 0.0 && mu.lower <= mu.upper, "mu.lower", mu.lower, "[0, mu.upper]");
  require_domain(std::isfinite(mu.upper), "mu.upper", mu.upper, "[mu.lower, inf)");
}

/// Both ends of f(mu) for a monotone f. \param at_zero  f(0).
template <class Formula>
Enclosure between(const Enclosure& mu, double at_zero, const Formula& f) {
  const auto at = [&](double m) {
    return m == 0.0 ? exactly(at_zero) : refined([&] { return f(Real(m)); }).enclosure();
  };
  const Enclosure one = at(mu.lower), other = at(mu.upper);
  return {std::min(one.lower, other.lower), std::max(one.upper, other.upper)};
}

/// The x with P(Z > x) = a; the complement of a double above 1/2 is exact.
Real upper_quantile(double a) { return tradeoff::detail::upper_quantile_ball(a); }

}  // namespace

Power gaussian_power(const Enclosure& mu, double a) {
  check(mu);
  require_domain(a >= 0.0 && a <= 1.0, "false_positive_rate", a, "[0, 1]");
  if (a == 0.0 || a == 1.0) {
    return {exactly(a), exactly(0.0)};
  }
  const auto value = [a](const Real& m) { return normal_tail(upper_quantile(a) - m); };
  return {between(mu, a, value), between(mu, 0.0, [&](const Real& m) { return value(m) - Real(a); })};
}

Enclosure gaussian_false_positive_rate(const Enclosure& mu, double recall) {
  check(mu);
  require_domain(recall > 0.0 && recall <= 1.0, "recall", recall, "(0, 1]");
  if (recall == 1.0) {
    return exactly(1.0);
  }
  return between(mu, recall, [recall](const Real& m) { return normal_tail(upper_quantile(recall) + m); });
}

Advantage gaussian_advantage(const Enclosure& mu) {
  check(mu);
  Advantage result =
      advantage_of(clamp(between(mu, 0.0, [](const Real& m) { return erf(m / rigorous::sqrt(Real(8))); }), 0.0, 1.0));
  const Enclosure epsilon = between(mu, 0.0, [](const Real& m) {
    const Real half = rigorous::scaled(m, -1);
    return log(normal_tail(-half) / normal_tail(half));
  });
  return {result.advantage, epsilon, mu};
}

BayesError gaussian_bayes_error(const Enclosure& mu, double prior) {
  check(mu);
  require_domain(prior > 0.0 && prior < 1.0, "prior", prior, "(0, 1)");
  const double blind = std::min(prior, 1.0 - prior);
  // By symmetry the rarer case may be called presence: gain = p D((1 - p) / p).
  const auto rare = [prior] { return prior <= 0.5 ? Real(prior) : Real(1) - Real(prior); };
  const auto gain = [&](const Real& m) {
    const Real p = rare();
    return p * tradeoff::detail::delta_ball(log((Real(1) - p) / p), m);
  };
  const auto error = [&](const Real& m) { return rare() - gain(m); };
  const Enclosure least = clamp(between(mu, blind, error), 0.0, 0.5);
  return {least, clamp(between(mu, 1.0 - blind, [&](const Real& m) { return Real(1) - error(m); }), 0.5, 1.0),
          clamp(between(mu, 0.0, gain), 0.0, 0.5)};
}

Enclosure gaussian_area(const Enclosure& mu) {
  check(mu);
  return between(mu, 0.5, [](const Real& m) { return normal_tail(-m / rigorous::sqrt(Real(2))); });
}

Enclosure gaussian_posterior_tail(const Enclosure& mu, double odds) {
  check(mu);
  Profile profile(accounting::gaussian_curve(mu));
  return posterior_tail(profile, odds);
}

Enclosure gaussian_pair_tail(const Enclosure& mu, double odds) {
  check(mu);
  require_domain(mu.lower > 0.0, "mu.lower", mu.lower, "(0, inf)");
  require_domain(std::isfinite(odds), "odds", odds, "(-inf, inf)");
  const auto value = [odds](const Real& m) { return normal_tail(Real(odds) / m - rigorous::scaled(m, -1)); };
  const Enclosure ends = between(mu, 0.0, value);
  // Phi(mu/2 - odds/mu) rises in mu for odds >= 0; below, it is least at mu = sqrt(-2 odds).
  const double turn = std::sqrt(std::max(0.0, -2.0 * odds));
  return odds < 0.0 && mu.lower < turn && turn < mu.upper ? Enclosure{0.0, ends.upper} : ends;
}

}  // namespace dpcurves::attack
