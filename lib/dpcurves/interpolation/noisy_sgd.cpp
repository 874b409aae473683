// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/central_limit.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/noisy_sgd.hpp>

namespace dpcurves::interpolation {
namespace {

/// The value above its rounding error: 1e-14, and what a factor exp(-exponent) has lost. A factor that underflowed is
/// replaced by a number above it.
double rounded_up(double value, double exponent = 0.0) {
  if (value == 0.0) {
    return exponent > 0.0 && std::isfinite(exponent) ? 1e-300 : 0.0;
  }
  return next_up(value * (1.0 + 1e-14 + 4e-16 * exponent));
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

/// c^n sqrt((1 - c^2)/(1 - c^(2n))): what a distance counts for after n optimal shifts.
double faded(const Contraction& c, double n) {
  if (c.decay() == 0.0) {
    return 1.0 / std::sqrt(n);
  }
  return c.power(n) * std::sqrt(c.one_minus_power(2.0) / c.one_minus_power(2.0 * n));
}

}  // namespace

double other_split(double alpha) {
  require_split(alpha);
  return rounded_up(alpha / std::sqrt((alpha - 1.0) * (alpha + 1.0)));
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
  const double shifted = rounded_up(2.0 * other_split(split) * kappa);
  if (bound == SgdBound::two_process) {
    const Contraction& c = *setting.descent.contraction;
    const double repeats = c.geometric_sum(setting.steps - horizon - 1.0);
    const double before = kappa * c.power(horizon + 1.0) * repeats;
    const double exponent = kappa == 0.0 || repeats == 0.0 ? 0.0 : (horizon + 1.0) * c.decay();
    accounting::Composition result{rounded_up(2.0 * split * before, exponent), {{p, shifted, 1.0}}};
    if (horizon > 0.0) {
      result.components.push_back({p, 2.0 * kappa, horizon});
    }
    return result;
  }
  if (bound == SgdBound::constrained) {
    return {rounded_up(split * setting.descent.diameter / std::sqrt(horizon)), {{p, shifted, horizon}}};
  }
  const Contraction c = setting.descent.contraction.value_or(Contraction());
  const double grown = kappa == 0.0 ? 0.0 : kappa * c.geometric_sum(setting.steps - horizon);
  const double distance = std::min(setting.descent.diameter, grown);
  const double exponent = distance == 0.0 ? 0.0 : horizon * c.decay();
  return {rounded_up(split * distance * faded(c, horizon), exponent), {{p, shifted, horizon}}};
}

accounting::Composition sgd_composition_of_shifts(const NoisyDescent& descent, double sampling_rate,
                                                  std::span<const double> shifts, double split) {
  const double t = static_cast<double>(shifts.size()) + 1.0;
  require_theorem("Theorem C.13", violations(SgdBound::two_process, {descent, sampling_rate, t}));
  require_split(split);
  const double kappa = descent.effective_sensitivity;
  const double c = descent.contraction->c();
  sampling_rate = std::max(sampling_rate, least_rate);
  accounting::Composition result;
  double z = 0.0;
  double scale = kappa;
  for (const double a : shifts) {
    require_domain(a >= 0.0 && a <= kappa, "shifts", a, "[0, effective_sensitivity]");
    z = c * z + (kappa - a);
    scale = std::max(scale, z);
    auto& parts = result.components;
    if (parts.empty() || parts.back().mu != 2.0 * a) {
      parts.push_back({sampling_rate, 2.0 * a, 0.0});
    }
    parts.back().count += 1.0;
  }
  result.components.push_back({sampling_rate, rounded_up(2.0 * other_split(split) * kappa), 1.0});
  z += 2e-16 * t * scale;  // rounding of the recursion
  result.gaussian_mu = rounded_up(2.0 * split * c * z);
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
