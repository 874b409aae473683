// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/bounds/two_layer.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::bounds {
namespace {

void check(double surrogate_excess, double lipschitz, double misfit) {
  require_domain(!std::isnan(surrogate_excess), "surrogate_excess", surrogate_excess, "(-inf, inf]");
  require_domain(lipschitz > 0.0 && std::isfinite(lipschitz), "lipschitz", lipschitz, "(0, inf)");
  require_domain(misfit >= 0.0 && std::isfinite(misfit), "misfit", misfit, "[0, inf)");
}

}  // namespace

double misfit_risk_bound(double surrogate_excess, double lipschitz, double misfit) {
  check(surrogate_excess, lipschitz, misfit);
  const double shift = lipschitz * misfit;
  return 4.0 * lipschitz * surrogate_excess + 2.0 * shift * shift + 4.0 * shift;
}

double sharp_misfit_risk_bound(double surrogate_excess, double lipschitz, double misfit) {
  check(surrogate_excess, lipschitz, misfit);
  const double shift = lipschitz * misfit;
  return 2.0 * lipschitz * surrogate_excess + shift * shift;
}

TwoLayerBound two_layer_bound(PhasedSetting setting, double misfit, bool projected) {
  setting.label_bound = 0.5;
  TwoLayerBound bound;
  bound.phased = projected ? projected_bound(setting) : phased_bound(setting);
  PhasedBound& phased = bound.phased;
  const double others = phased.start + phased.noise + phased.steps + phased.final_noise;
  const double sharp_projection = phased.projection;  // G W^2/m
  if (projected) {
    phased.projection = setting.parameter_norm * std::sqrt(2.0 / setting.projected_dimension);
  }
  phased.surrogate = others + phased.projection;
  phased.risk = 0.0;
  bound.risk = misfit_risk_bound(phased.surrogate, setting.lipschitz, misfit);
  bound.risk_sharp = sharp_misfit_risk_bound(phased.surrogate, setting.lipschitz, misfit);
  bound.risk_sharp_projection =
      sharp_misfit_risk_bound(others + std::fmin(phased.projection, sharp_projection), setting.lipschitz, misfit);
  return bound;
}

}  // namespace dpcurves::bounds
