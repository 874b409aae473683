// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/interpolation/detail/shift_balls.hpp>
#include <dpcurves/interpolation/noisy_gd.hpp>
#include <dpcurves/interpolation/shift_closed_forms.hpp>

namespace dpcurves::interpolation {
namespace {

using detail::parameter;
using detail::Powers;
using rigorous::Real;

void require(const NoisyGd& setting) {
  require_descent(setting.descent);
  require_steps(setting.steps, "steps");
}

/// kappa times the root of the optimum of Lemma C.6 at unit sensitivity.
Enclosure strongly_convex_parameter(const NoisyDescent& descent, double steps) {
  const double kappa = descent.effective_sensitivity;
  const Contraction& c = *descent.contraction;
  if (kappa == 0.0 || (std::isinf(steps) && c.decay() == 0.0)) {
    return exactly(kappa == 0.0 ? 0.0 : steps);
  }
  return parameter([&] { return Real(kappa) * sqrt(detail::strongly_convex_ball(Powers(c), 1.0, steps)); });
}

/// The better of the two integers around `horizon`, held within [1, steps]; infinite values are left out.
template <class Value>
std::pair<double, double> best_integer(double horizon, double steps, const Value& value) {
  double best = std::numeric_limits<double>::infinity();
  double at = 0.0;
  for (const double around : {std::floor(horizon), std::ceil(horizon)}) {
    const double n = std::min(std::max(around, 1.0), steps);
    if (std::isfinite(n) && value(n) < best) {
      best = value(n);
      at = n;
    }
  }
  return {best, at};
}

}  // namespace

std::vector<Violation> composition_violations(const NoisyGd& setting) {
  require(setting);
  std::vector<Violation> violations;
  need_finite(setting.steps, "steps", violations);
  return violations;
}

Enclosure composition_mu(const NoisyGd& setting) {
  require_theorem("Theorem 4.1", composition_violations(setting));
  return parameter([&] { return Real(setting.descent.effective_sensitivity) * sqrt(Real(setting.steps)); });
}

std::vector<Violation> strongly_convex_violations(const NoisyGd& setting) {
  require(setting);
  auto violations = contraction_violations(setting.descent, true);
  if (setting.descent.contraction && setting.descent.contraction->one_minus_c() == 0.0) {
    need_finite(setting.steps, "steps, or a contraction below 1", violations);
  }
  return violations;
}

Enclosure strongly_convex_mu(const NoisyGd& setting) {
  require_theorem("Theorem 4.2", strongly_convex_violations(setting));
  return strongly_convex_parameter(setting.descent, setting.steps);
}

std::vector<Violation> constrained_violations(const NoisyGd& setting) {
  auto violations = constrained_best_violations(setting);
  const double least = diameter_in_steps(setting.descent);
  if (violations.empty() && !(setting.steps >= least)) {
    violations.push_back({"at least D n/(eta L) steps", shortest(setting.steps) + " steps < " + shortest(least),
                          shortest(std::ceil(least)) + " steps or more, or a smaller diameter"});
  }
  return violations;
}

Enclosure constrained_mu(const NoisyGd& setting) {
  require_theorem("Theorem 4.3", constrained_violations(setting));
  return constrained_plateau(setting.descent).mu;
}

std::vector<Violation> constrained_best_violations(const NoisyGd& setting) {
  require(setting);
  auto violations = contraction_violations(setting.descent, false);
  need_diameter(setting.descent, violations);
  return violations;
}

BestHorizon constrained_best(const NoisyGd& setting) {
  require_theorem("Theorem C.7", constrained_best_violations(setting));
  const double kappa = setting.descent.effective_sensitivity;
  const double composition = kappa == 0.0 ? 0.0 : kappa * std::sqrt(setting.steps);
  const auto [best, horizon] = best_integer(
      diameter_in_steps(setting.descent), setting.steps,
      [&setting, kappa](double n) { return kappa * std::sqrt(n) + setting.descent.diameter / std::sqrt(n); });
  const Real step(kappa), diameter(setting.descent.diameter);
  const auto with_diameter = [&, n = horizon] { return step * sqrt(Real(n)) + diameter / sqrt(Real(n)); };
  const auto without = [&] { return step * sqrt(Real(setting.steps)); };
  return best < composition                              ? BestHorizon{parameter(with_diameter), horizon, true}
         : composition == 0.0 || std::isinf(composition) ? BestHorizon{exactly(composition), setting.steps, false}
                                                         : BestHorizon{parameter(without), setting.steps, false};
}

std::vector<Violation> constrained_strongly_convex_violations(const NoisyGd& setting) {
  require(setting);
  auto violations = contraction_violations(setting.descent, true);
  need_diameter(setting.descent, violations);
  return violations;
}

BestHorizon constrained_strongly_convex_best(const NoisyGd& setting) {
  require_theorem("constrained strongly convex noisy gradient descent",
                  constrained_strongly_convex_violations(setting));
  const NoisyDescent& descent = setting.descent;
  const Contraction& c = *descent.contraction;
  const double kappa = descent.effective_sensitivity;
  const double whole = strongly_convex_optimum(c, kappa, setting.steps);
  double horizon = constrained_horizon(c, kappa, descent.diameter);
  if (std::abs(horizon - std::round(horizon)) < 1e-9) {
    horizon = std::round(horizon);  // the value is flat there: no neighbour can be better
  }
  const auto [best, at] = best_integer(horizon, setting.steps,
                                       [&](double n) { return constrained_optimum(c, kappa, descent.diameter, n); });
  const auto with_diameter = [&, n = at] {
    return sqrt(detail::constrained_ball(Powers(c), kappa, descent.diameter, n));
  };
  return best < whole ? BestHorizon{parameter(with_diameter), at, true}
                      : BestHorizon{strongly_convex_parameter(descent, setting.steps), setting.steps, false};
}

Enclosure constrained_strongly_convex_infimum(const NoisyDescent& descent) {
  NoisyGd endless{descent, std::numeric_limits<double>::infinity()};
  require_theorem("constrained strongly convex noisy gradient descent",
                  constrained_strongly_convex_violations(endless));
  const Contraction& c = *descent.contraction;
  const double kappa = descent.effective_sensitivity;
  if (std::isinf(constrained_horizon(c, kappa, descent.diameter))) {
    return strongly_convex_parameter(descent, endless.steps);
  }
  return parameter([&] { return sqrt(detail::constrained_infimum_ball(Powers(c), kappa, descent.diameter)); });
}

Plateau constrained_plateau(const NoisyDescent& descent) {
  NoisyGd endless{descent, std::numeric_limits<double>::infinity()};
  require_theorem("Theorem 4.3", constrained_best_violations(endless));
  const double kappa = descent.effective_sensitivity;
  if (kappa == 0.0) {
    return {exactly(0.0), 1.0};
  }
  const double steps = diameter_in_steps(descent);
  const double ratio = 3.0 * steps + std::ceil(steps);  // (mu/kappa)^2
  const auto mu = [&] { return Real(kappa) * sqrt(Real(3) * Real(steps) + Real(std::ceil(steps))); };
  return {parameter(mu), std::max(1.0, std::ceil(ratio * (1.0 - 4.0 * 0x1p-53)))};
}

}  // namespace dpcurves::interpolation
