// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/detail/shift_balls.hpp>
#include <dpcurves/interpolation/langevin.hpp>

namespace dpcurves::interpolation {
namespace {

void require(const ProjectedLangevin& setting) {
  require_domain(setting.lipschitz >= 0.0 && std::isfinite(setting.lipschitz), "lipschitz", setting.lipschitz,
                 "[0, inf)");
  require_domain(setting.diameter >= 0.0 && std::isfinite(setting.diameter), "diameter", setting.diameter, "[0, inf)");
  require_domain(setting.step_size > 0.0 && std::isfinite(setting.step_size), "step_size", setting.step_size,
                 "(0, inf)");
  require_steps(setting.steps, "steps");
}

}  // namespace

NoisyGd as_noisy_gd(const Langevin& setting) {
  require_domain(setting.lipschitz_of_difference >= 0.0 && std::isfinite(setting.lipschitz_of_difference),
                 "lipschitz_of_difference", setting.lipschitz_of_difference, "[0, inf)");
  require_domain(setting.step_size > 0.0 && std::isfinite(setting.step_size), "step_size", setting.step_size,
                 "(0, inf)");
  require_steps(setting.steps, "steps");
  DescentParameters parameters{
      .effective_sensitivity = setting.lipschitz_of_difference * std::sqrt(0.5 * setting.step_size),
      .step_size = setting.step_size,
      .strong_convexity = setting.strong_convexity,
      .smoothness = setting.smoothness};
  NoisyGd descent{make_descent(parameters), setting.steps};
  if (setting.smoothness && descent.descent.violated.empty()) {
    const double largest = 2.0 / (setting.strong_convexity + *setting.smoothness);
    if (setting.step_size > largest * (1.0 + 4e-16)) {
      descent.descent.violated.push_back(
          {"step size at most 2/(m + M)",
           "step size " + shortest(setting.step_size) + " > 2/(m + M) = " + shortest(largest),
           "a step size of at most " + shortest(largest)});
    }
  }
  return descent;
}

std::vector<Violation> langevin_violations(const Langevin& setting) {
  return strongly_convex_violations(as_noisy_gd(setting));
}

Enclosure langevin_mu(const Langevin& setting) { return strongly_convex_mu(as_noisy_gd(setting)); }

NoisyGd as_noisy_gd(const ProjectedLangevin& setting) {
  require(setting);
  NoisyGd descent;
  descent.descent.effective_sensitivity = 2.0 * setting.lipschitz * std::sqrt(0.5 * setting.step_size);
  descent.descent.contraction = Contraction();
  descent.descent.diameter = setting.diameter / std::sqrt(2.0 * setting.step_size);
  descent.descent.assumed = {"F and F' are convex and M-smooth with step size at most 2/M",
                             "every iterate is projected on a convex set of diameter " + shortest(setting.diameter)};
  descent.steps = setting.steps;
  return descent;
}

Enclosure projected_langevin_mu(const ProjectedLangevin& setting) {
  require(setting);
  const double L = setting.lipschitz;
  return detail::parameter([&] {
    using rigorous::Real;
    return sqrt(Real(L) * (Real(4) * Real(setting.diameter) + Real(2) * Real(setting.step_size) * Real(L)));
  });
}

Enclosure projected_langevin_ceiling_mu(const ProjectedLangevin& setting) {
  require(setting);
  if (setting.lipschitz == 0.0) {
    return exactly(0.0);
  }
  return constrained_plateau(as_noisy_gd(setting).descent).mu;
}

}  // namespace dpcurves::interpolation
