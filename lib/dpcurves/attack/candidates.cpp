// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/attack/candidates.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/numerics/quadrature.hpp>

namespace dpcurves::attack {

Estimate candidate_success(double mu, double candidates) {
  require_domain(mu >= 0.0 && mu <= 100.0, "mu", mu, "[0, 100]");
  require_domain(candidates >= 1.0 && candidates <= 1e15 && candidates == std::floor(candidates), "candidates",
                 candidates, "the whole numbers [1, 1e15]");
  if (candidates == 1.0) {
    return {1.0, 0.0};
  }
  // In units of the density at mu; the mass beyond 40 deviations is below every double's last digit.
  const auto integrand = [mu, candidates](double t) {
    return numerics::normal_density(t) *
           std::exp((candidates - 1.0) * std::log1p(-numerics::normal_upper_tail(t + mu)));
  };
  constexpr double far = 40.0;
  // The factor Phi^(N-1) rises where N - 1 others exceed: split there.
  const double rise = numerics::normal_upper_quantile(1.0 / candidates) - mu;
  const double split = rise > -far && rise < far ? rise : 0.0;
  const Estimate left = numerics::integrate(integrand, -far, split, 1e-13);
  const Estimate right = numerics::integrate(integrand, split, far, 1e-13);
  return {left.value + right.value, left.error + right.error};
}

}  // namespace dpcurves::attack
