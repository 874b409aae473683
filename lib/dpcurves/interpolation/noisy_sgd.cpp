// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/central_limit.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/detail/shift_balls.hpp>
#include <dpcurves/interpolation/noisy_sgd.hpp>

namespace dpcurves::interpolation {
namespace {

using detail::Powers;
using rigorous::Real;

/// The upper end of a parameter: what is composed must not lie below the exact one.
template <typename Formula>
double rounded_up(const Formula& formula) {
  return detail::parameter(formula).upper;
}

/// alpha' with 1/alpha^2 + 1/alpha'^2 = 1.
Real other_ball(double alpha) {
  const Real a(alpha);
  return a / sqrt((a - Real(1)) * (a + Real(1)));
}

/// Profiles of C_p(G(mu)) grow with p, so that a rate below this one may be replaced by it: 1e15 steps at it change a
/// delta by less than 1e-280, and nothing that is computed from it is a denormal number.
constexpr double least_rate = 1e-300;

void require(const NoisySgd& setting) {
  require_descent(setting.descent);
  require_domain(setting.sampling_rate > 0.0 && setting.sampling_rate <= 1.0, "sampling_rate", setting.sampling_rate,
                 "(0, 1]");
  require_steps(setting.steps, "steps");
}

void require_split(double split) { require_domain(split > 1.0 && std::isfinite(split), "split", split, "(1, inf)"); }

const char* name_of(SgdBound bound) {
  switch (bound) {
    case SgdBound::composition:
      return "Theorem 4.8";
    case SgdBound::two_process:
      return "Theorem 4.9";
    case SgdBound::constrained:
      return "Theorem 4.10";
    case SgdBound::one_process:
      break;
  }
  return "the one-process bound";
}

}  // namespace

double other_split(double alpha) {
  require_split(alpha);
  return rounded_up([&] { return other_ball(alpha); });
}

std::vector<Violation> violations(SgdBound bound, const NoisySgd& setting) {
  require(setting);
  if (bound == SgdBound::composition) {
    std::vector<Violation> found;
    need_finite(setting.steps, "steps", found);
    return found;
  }
  auto found = contraction_violations(setting.descent, bound == SgdBound::two_process);
  if (bound == SgdBound::constrained) {
    need_diameter(setting.descent, found);
  }
  const bool contracts = setting.descent.contraction && setting.descent.contraction->one_minus_c() > 0.0;
  if (bound == SgdBound::two_process && found.empty() && !contracts) {
    found.push_back({"a contraction below 1 (strongly convex losses)", "contraction 1",
                     "an L2 penalty, which makes convex losses strongly convex"});
  }
  if (bound == SgdBound::one_process && !contracts && std::isinf(setting.descent.diameter)) {
    need_finite(setting.steps, "steps, a contraction below 1 or a finite diameter", found);
  }
  return found;
}

accounting::Composition sgd_composition(SgdBound bound, const NoisySgd& setting, double horizon, double split) {
  require_theorem(name_of(bound), violations(bound, setting));
  const double kappa = setting.descent.effective_sensitivity;
  const double p = std::max(setting.sampling_rate, least_rate);
  if (bound == SgdBound::composition) {
    return {0.0, {{p, kappa, setting.steps}}};
  }
  require_split(split);
  const double least = bound == SgdBound::two_process ? 0.0 : 1.0;
  const double largest = bound == SgdBound::two_process ? setting.steps - 1.0 : setting.steps;
  require_domain(horizon >= least && horizon <= largest && std::isfinite(horizon) && std::floor(horizon) == horizon,
                 "horizon", horizon, bound == SgdBound::two_process ? "{0, ..., steps - 1}" : "{1, ..., steps}");
  const double shifted = rounded_up([&] { return scaled(other_ball(split) * Real(kappa), 1); });
  if (bound == SgdBound::two_process) {
    const Contraction& c = *setting.descent.contraction;
    const auto before = [&] {
      const Powers powers(c);
      const Real steps_before = Real(setting.steps) - Real(horizon) - Real(1);
      return scaled(Real(split) * Real(kappa), 1) * powers.power(Real(horizon) + Real(1)) *
             powers.geometric_sum(steps_before);
    };
    accounting::Composition result{rounded_up(before), {{p, shifted, 1.0}}};
    if (horizon > 0.0) {
      result.components.push_back({p, 2.0 * kappa, horizon});
    }
    return result;
  }
  if (bound == SgdBound::constrained) {
    const auto distance = [&] { return Real(split) * Real(setting.descent.diameter) / sqrt(Real(horizon)); };
    return {rounded_up(distance), {{p, shifted, horizon}}};
  }
  const Contraction c = setting.descent.contraction.value_or(Contraction());
  const double diameter = setting.descent.diameter;
  const auto left = [&]() -> Real {
    // c^n / sqrt(1 + c^2 + ... + c^(2n-2)): what a distance counts for after n optimal shifts.
    const Powers powers(c);
    const Real n(horizon), steps_before = Real(setting.steps) - n;
    const bool endless = std::isinf(setting.steps) && powers.none();
    Real distance = kappa == 0.0 ? Real() : endless ? Real(diameter) : Real(kappa) * powers.geometric_sum(steps_before);
    distance = std::isinf(diameter) ? distance : min(distance, Real(diameter));
    return Real(split) * distance * powers.power(n) / sqrt(powers.squared_weights(n));
  };
  return {rounded_up(left), {{p, shifted, horizon}}};
}

accounting::Composition sgd_composition_of_shifts(const NoisyDescent& descent, double sampling_rate,
                                                  std::span<const double> shifts, double split) {
  const double t = static_cast<double>(shifts.size()) + 1.0;
  require_theorem("Theorem C.13", violations(SgdBound::two_process, {descent, sampling_rate, t}));
  require_split(split);
  const double kappa = descent.effective_sensitivity;
  const Real c = Powers(*descent.contraction).c();
  sampling_rate = std::max(sampling_rate, least_rate);
  accounting::Composition result;
  Real z;
  for (const double a : shifts) {
    require_domain(a >= 0.0 && a <= kappa, "shifts", a, "[0, effective_sensitivity]");
    z = c * z + (Real(kappa) - Real(a));
    auto& parts = result.components;
    if (parts.empty() || parts.back().mu != 2.0 * a) {
      parts.push_back({sampling_rate, 2.0 * a, 0.0});
    }
    parts.back().count += 1.0;
  }
  result.components.push_back(
      {sampling_rate, rounded_up([&] { return scaled(other_ball(split) * Real(kappa), 1); }), 1.0});
  result.gaussian_mu = rounded_up([&] { return scaled(Real(split) * c * z, 1); });
  return result;
}

ApproximateHorizon approximate_horizon_strongly_convex(const NoisySgd& setting) {
  require_theorem("Proposition C.14", violations(SgdBound::two_process, setting));
  const Contraction& c = *setting.descent.contraction;
  require_domain(c.c() > 0.0, "contraction", c.c(), "(0, 1)");
  const double kappa = setting.descent.effective_sensitivity;
  const double variance = accounting::central_limit(setting.sampling_rate, 2.0 * kappa, 1.0).B;
  const double p = setting.sampling_rate;
  const double h = c.decay();
  const double ratio = p * c.one_minus_c() / (2.0 * std::numbers::sqrt2 * kappa * std::sqrt(h)) * std::sqrt(variance);
  const double horizon = kappa == 0.0 ? 0.0 : std::max(0.0, -std::log(ratio) / h - 1.0);
  const double gaussian = kappa * c.power(horizon + 1.0) / c.one_minus_c();
  return {horizon, std::sqrt(8.0 * gaussian * gaussian + 2.0 * p * p * horizon * variance)};
}

ApproximateHorizon approximate_horizon_constrained(const NoisySgd& setting) {
  require_theorem("Proposition C.15", violations(SgdBound::constrained, setting));
  const double diameter = setting.descent.diameter;
  const double kappa = setting.descent.effective_sensitivity;
  const double p = setting.sampling_rate;
  const double spread = p * std::sqrt(accounting::central_limit(p, 2.0 * std::numbers::sqrt2 * kappa, 1.0).B);
  return {diameter / spread, 2.0 * std::sqrt(diameter * spread)};
}

}  // namespace dpcurves::interpolation
