// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/detail/shift_balls.hpp>
#include <dpcurves/interpolation/noisy_cgd.hpp>
#include <dpcurves/interpolation/shift_closed_forms.hpp>

namespace dpcurves::interpolation {
namespace {

using detail::parameter;
using detail::Powers;
using rigorous::Real;

/// kappa times the root of the optimum at unit sensitivity, the differing batch at `position`.
Enclosure cyclic_parameter(const Contraction& c, double kappa, double l, double epochs, double position) {
  if (kappa == 0.0 || (std::isinf(epochs) && c.decay() == 0.0)) {
    return exactly(kappa == 0.0 ? 0.0 : infinity);
  }
  return parameter([&] {
    const Powers powers(c);
    return Real(kappa) * sqrt(l == 1.0 ? detail::strongly_convex_ball(powers, 1.0, epochs)
                                       : detail::cyclic_ball(powers, 1.0, l, epochs, position));
  });
}

/// kappa sqrt(1 + (E - 1)/l)
Enclosure convex_parameter(const NoisyCgd& setting) {
  if (std::isinf(setting.epochs)) {
    return exactly(infinity);
  }
  return parameter([&] {
    const Real epochs = Real(setting.epochs) - Real(1);
    return Real(setting.descent.effective_sensitivity) * sqrt(Real(1) + epochs / Real(setting.batches_per_epoch));
  });
}

/// The shift of the last step and the chord over the n epochs before it, for convex losses under a diameter.
Enclosure chord_parameter(const NoisyCgd& setting, double n) {
  const double kappa = setting.descent.effective_sensitivity;
  return parameter([&] {
    const auto chord = detail::cyclic_constrained_balls(Powers(Contraction()), kappa, setting.descent.diameter,
                                                        setting.batches_per_epoch, n);
    return sqrt(Real(kappa) * Real(kappa) + chord.before_last);
  });
}

void require_batches(double l) {
  require_domain(l >= 1.0 && std::isfinite(l) && std::floor(l) == l, "batches_per_epoch", l, "{1, 2, ...}");
}

void require(const NoisyCgd& setting) {
  require_descent(setting.descent);
  require_batches(setting.batches_per_epoch);
  require_steps(setting.epochs, "epochs");
}

/// Noisy gradient descent with the same steps, where there is one batch.
NoisyGd full_batch(const NoisyCgd& setting) { return {setting.descent, setting.epochs}; }

Plateau plateau(const NoisyDescent& descent, double l, double per_epoch) {
  const NoisyCgd endless{descent, l, infinity};
  require_theorem("Theorem 4.6", constrained_best_violations(endless));
  const double kappa = descent.effective_sensitivity;
  if (kappa == 0.0) {
    return {exactly(0.0), 1.0};
  }
  const double steps = diameter_in_steps(descent);
  const double excess = 3.0 * steps + std::ceil(steps);
  const auto mu = [&] {
    return Real(kappa) * sqrt(Real(1) + (Real(3) * Real(steps) + Real(std::ceil(steps))) / Real(l));
  };
  return {parameter(mu), std::max(1.0, std::ceil((1.0 + excess / per_epoch) * (1.0 - 4.0 * 0x1p-53)))};
}

void require_horizon(const NoisyCgd& setting, double horizon) {
  require_domain(horizon >= 1.0 && horizon <= setting.epochs - 1.0 && std::floor(horizon) == horizon, "horizon",
                 horizon, "{1, ..., epochs - 1}");
}

}  // namespace

std::vector<Violation> composition_violations(const NoisyCgd& setting) {
  require(setting);
  std::vector<Violation> violations;
  need_finite(setting.epochs, "epochs", violations);
  return violations;
}

Enclosure composition_mu(const NoisyCgd& setting) {
  require_theorem("Theorem 4.4", composition_violations(setting));
  return parameter([&] { return Real(setting.descent.effective_sensitivity) * sqrt(Real(setting.epochs)); });
}

std::vector<Violation> strongly_convex_violations(const NoisyCgd& setting) {
  require(setting);
  auto violations = contraction_violations(setting.descent, true);
  if (setting.descent.contraction && setting.descent.contraction->one_minus_c() == 0.0) {
    need_finite(setting.epochs, "epochs, or a contraction below 1", violations);
  }
  return violations;
}

Enclosure strongly_convex_mu(const NoisyCgd& setting) { return batch_position_mu(setting, setting.batches_per_epoch); }

Enclosure strongly_convex_mu_printed_form(const NoisyCgd& setting) {
  require_theorem("Theorem 4.5", strongly_convex_violations(setting));
  const double l = setting.batches_per_epoch, kappa = setting.descent.effective_sensitivity;
  const Contraction& c = *setting.descent.contraction;
  return parameter([&] {
    const Real before = setting.epochs == 1.0 ? Real() : detail::before_last_ball(Powers(c), 1.0, l, setting.epochs);
    return Real(kappa) * sqrt(Real(1) + before);
  });
}

Enclosure batch_position_mu(const NoisyCgd& setting, double position) {
  require_theorem("Theorem 4.5", strongly_convex_violations(setting));
  const double l = setting.batches_per_epoch;
  require_domain(position >= 1.0 && position <= l && std::floor(position) == position, "position", position,
                 "{1, ..., batches_per_epoch}");
  const Contraction& c = *setting.descent.contraction;
  return cyclic_parameter(c, setting.descent.effective_sensitivity, l, setting.epochs, position);
}

std::vector<Violation> convex_violations(const NoisyCgd& setting) {
  require(setting);
  auto violations = contraction_violations(setting.descent, false);
  need_finite(setting.epochs, "epochs", violations);
  return violations;
}

Enclosure convex_mu(const NoisyCgd& setting) {
  require_theorem("the bound for convex losses", convex_violations(setting));
  return convex_parameter(setting);
}

std::vector<Violation> constrained_violations(const NoisyCgd& setting) {
  auto violations = constrained_best_violations(setting);
  const double least = diameter_in_steps(setting.descent);
  if (violations.empty() && !(setting.epochs >= least)) {
    violations.push_back({"at least D b/(eta L) epochs", shortest(setting.epochs) + " epochs < " + shortest(least),
                          shortest(std::ceil(least)) + " epochs or more, or a smaller diameter"});
  }
  return violations;
}

Enclosure constrained_mu(const NoisyCgd& setting) {
  require_theorem("Theorem 4.6", constrained_violations(setting));
  return constrained_plateau(setting.descent, setting.batches_per_epoch).mu;
}

Enclosure constrained_mu_at(const NoisyCgd& setting, double horizon) {
  require_theorem("Theorem 4.6", constrained_best_violations(setting));
  require_horizon(setting, horizon);
  const double kappa = setting.descent.effective_sensitivity;
  return parameter([&] {
    const Real reach = Real(setting.descent.diameter) + Real(kappa) * Real(horizon);
    return sqrt(Real(kappa) * Real(kappa) + reach * reach / (Real(setting.batches_per_epoch) * Real(horizon)));
  });
}

Enclosure constrained_improved_mu_at(const NoisyCgd& setting, double horizon) {
  require_theorem("Theorem 4.6", constrained_best_violations(setting));
  require_horizon(setting, horizon);
  const double kappa = setting.descent.effective_sensitivity;
  const auto chord =
      cyclic_constrained(Contraction(), kappa, setting.descent.diameter, setting.batches_per_epoch, horizon);
  require_domain(chord.feasible, "diameter", setting.descent.diameter, "[s (l - 1)/l, inf) for a horizon above 1");
  return chord_parameter(setting, horizon);
}

std::vector<Violation> constrained_best_violations(const NoisyCgd& setting) {
  require(setting);
  auto violations = contraction_violations(setting.descent, false);
  need_diameter(setting.descent, violations);
  return violations;
}

BestHorizon constrained_best(const NoisyCgd& setting) {
  require_theorem("Theorem 4.6", constrained_best_violations(setting));
  const double l = setting.batches_per_epoch;
  if (l == 1.0) {
    return constrained_best(full_batch(setting));
  }
  const double kappa = setting.descent.effective_sensitivity;
  const double diameter = setting.descent.diameter;
  // kappa sqrt(1 + (E - 1)/l) is never above kappa sqrt(E)
  const double whole = kappa == 0.0 ? 0.0 : kappa * std::sqrt(1.0 + (setting.epochs - 1.0) / l);
  BestHorizon best{kappa == 0.0 ? exactly(0.0) : convex_parameter(setting), setting.epochs, false};
  double least = whole;
  const double real = diameter_in_steps(setting.descent) + (2.0 - l) / l;
  for (const double around : {1.0, std::floor(real), std::ceil(real)}) {
    const double n = std::min(std::max(around, 1.0), setting.epochs - 1.0);
    if (n < 1.0 || std::isinf(n)) {
      continue;
    }
    const auto chord = cyclic_constrained(Contraction(), kappa, diameter, l, n);
    const double mu = std::sqrt(kappa * kappa + chord.before_last);
    if (chord.feasible && mu < least) {
      least = mu;
      best = {chord_parameter(setting, n), n, true};
    }
  }
  return best;
}

std::vector<Violation> constrained_strongly_convex_violations(const NoisyCgd& setting) {
  return constrained_best_violations(setting);
}

BestHorizon constrained_strongly_convex_best(const NoisyCgd& setting) {
  require_theorem("constrained noisy cyclic gradient descent", constrained_strongly_convex_violations(setting));
  const auto best = cyclic_constrained_best(setting.descent.contraction.value_or(Contraction()),
                                            setting.descent.effective_sensitivity, setting.descent.diameter,
                                            setting.batches_per_epoch, setting.epochs);
  const Contraction c = setting.descent.contraction.value_or(Contraction());
  const double kappa = setting.descent.effective_sensitivity, l = setting.batches_per_epoch;
  const double diameter = setting.descent.diameter, n = best.remaining_epochs;
  if (!best.uses_diameter) {
    return {cyclic_parameter(c, kappa, l, setting.epochs, l), n, false};
  }
  return {parameter([&] {
            const Powers powers(c);
            return sqrt(l == 1.0 && n == 1.0 ? detail::constrained_ball(powers, kappa, diameter, 1.0)
                                             : detail::cyclic_constrained_balls(powers, kappa, diameter, l, n).whole);
          }),
          n, true};
}

Enclosure strongly_convex_lower_bound(const NoisyCgd& setting) {
  require_theorem("Theorem C.17", strongly_convex_violations(setting));
  const Contraction& c = *setting.descent.contraction;
  const double kappa = setting.descent.effective_sensitivity;
  const double l = setting.batches_per_epoch;
  if (std::isinf(setting.epochs) && c.decay() == 0.0) {
    return exactly(kappa == 0.0 ? 0.0 : infinity);
  }
  if (c.decay() == 0.0) {
    return parameter([&] { return Real(kappa) * sqrt(Real(setting.epochs) / Real(l)); });
  }
  return parameter([&] {
    const Powers powers(c);
    const Real epoch = powers.one_minus_power(Real(l)), steps = Real(l) * Real(setting.epochs);
    const Real end = powers.one_minus_power(steps) / (Real(1) + powers.power(steps));  // tanh(l E h/2)
    return Real(kappa) * sqrt(powers.one_minus_power(Real(2)) * end) / epoch;
  });
}

Plateau constrained_plateau(const NoisyDescent& descent, double batches_per_epoch) {
  return plateau(descent, batches_per_epoch, batches_per_epoch);
}

Plateau constrained_plateau_from_convex(const NoisyDescent& descent, double batches_per_epoch) {
  return plateau(descent, batches_per_epoch, 1.0);
}

double plateau_epochs_printed_form(double sensitivity, double step_size, double diameter, double batches_per_epoch) {
  require_domain(sensitivity > 0.0 && std::isfinite(sensitivity), "sensitivity", sensitivity, "(0, inf)");
  require_domain(step_size > 0.0 && std::isfinite(step_size), "step_size", step_size, "(0, inf)");
  require_domain(diameter > 0.0 && std::isfinite(diameter), "diameter", diameter, "(0, inf)");
  require_batches(batches_per_epoch);
  constexpr double slack = 1.0 - 16.0 * 0x1p-53;
  const double square = sensitivity * sensitivity;
  const double steps = std::ceil(diameter / (sensitivity * step_size) * slack);
  const double sum =
      3.0 * sensitivity * diameter / (step_size * batches_per_epoch) + square * square * steps / batches_per_epoch;
  return std::ceil(sum / square * slack);
}

}  // namespace dpcurves::interpolation
