// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>

#include <dpcurves/attack/approximate_dp.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/refine.hpp>

namespace dpcurves::attack {
namespace {

using rigorous::Real;
using rigorous::refined;

void check(const ApproximateDp& dp) {
  require_domain(dp.epsilon >= 0.0 && dp.epsilon <= 700.0, "epsilon", dp.epsilon, "[0, 700]");
  require_domain(dp.delta >= 0.0 && dp.delta <= 1.0, "delta", dp.delta, "[0, 1]");
}

/// A line value + x a that is least somewhere.
struct Line {
  Real value, x;
};
std::array<Line, 3> lines(const ApproximateDp& dp) {
  const Real x = exp(Real(dp.epsilon)), inverse = exp(-Real(dp.epsilon)), d(dp.delta);
  return {Line{d, x}, Line{d * inverse - expm1(-Real(dp.epsilon)), inverse}, Line{Real(1), Real()}};
}

Enclosure probability(const Real& ball) { return clamp(ball.enclosure(), 0.0, 1.0); }

}  // namespace

Power power(const ApproximateDp& dp, double a) {
  check(dp);
  require_domain(a >= 0.0 && a <= 1.0, "false_positive_rate", a, "[0, 1]");
  const auto least = [&] {
    Real best(1);
    for (const Line& line : lines(dp)) {
      best = min(best, line.value + line.x * Real(a));
    }
    return best;
  };
  return {clamp(refined(least).enclosure(), a, 1.0), probability(refined([&] { return least() - Real(a); }))};
}

Enclosure false_positive_rate(const ApproximateDp& dp, double recall) {
  check(dp);
  require_domain(recall > 0.0 && recall <= 1.0, "recall", recall, "(0, 1]");
  return probability(refined([&] {
    const Real by_first = (Real(recall) - Real(dp.delta)) * exp(-Real(dp.epsilon));
    const Real by_second = Real(1) - Real(dp.delta) - exp(Real(dp.epsilon)) * (Real(1) - Real(recall));
    return max(Real(), max(by_first, by_second));
  }));
}

Advantage advantage(const ApproximateDp& dp) {
  check(dp);
  return advantage_of(probability(refined([&] {
    const Real e = exp(-Real(dp.epsilon)), tanh = -expm1(-Real(dp.epsilon)) / (Real(1) + e);
    return Real(dp.delta) + (Real(1) - Real(dp.delta)) * tanh;
  })));
}

BayesError bayes_error(const ApproximateDp& dp, double prior) {
  check(dp);
  require_domain(prior > 0.0 && prior < 1.0, "prior", prior, "(0, 1)");
  const auto blind = [prior] { return prior <= 0.5 ? Real(prior) : Real(1) - Real(prior); };
  const auto error = [&] {
    const Real present(prior), absent = Real(1) - present, rest = Real(1) - Real(dp.delta);
    const Real corner = rest / (Real(1) + exp(Real(dp.epsilon)));
    return min(rest * min(present, absent), corner);
  };
  const double most = next_up(std::min(prior, 1.0 - prior));
  return {clamp(refined(error).enclosure(), 0.0, most), probability(refined([&] { return Real(1) - error(); })),
          clamp(refined([&] { return blind() - error(); }).enclosure(), 0.0, most)};
}

Enclosure area(const ApproximateDp& dp) {
  check(dp);
  return clamp(refined([&] {
                 const Real rest = Real(1) - Real(dp.delta);
                 return Real(1) - rest * rest / (Real(1) + exp(Real(dp.epsilon)));
               }).enclosure(),
               0.5, 1.0);
}

Enclosure posterior_tail(const ApproximateDp& dp, double odds) {
  check(dp);
  require_domain(std::isfinite(odds), "odds", odds, "(-inf, inf)");
  return probability(refined([&] {
    Real best(1);
    for (const Line& line : lines(dp)) {
      const Real room = exp(Real(odds)) - line.x;
      if (room.positive()) {
        best = min(best, line.value * exp(Real(odds)) / room);
      }
    }
    return best;
  }));
}

}  // namespace dpcurves::attack
