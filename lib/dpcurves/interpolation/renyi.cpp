// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/detail/shift_balls.hpp>
#include <dpcurves/interpolation/renyi.hpp>

namespace dpcurves::interpolation {
namespace {

using detail::Powers;
using rigorous::Real;

const Contraction& known_contraction(const NoisyDescent& descent) {
  require_theorem("the earlier Renyi bound", contraction_violations(descent, true));
  const Contraction& c = *descent.contraction;
  require_domain(c.one_minus_c() > 0.0, "one_minus_contraction", c.one_minus_c(), "(0, 1]");
  return c;
}

}  // namespace

Enclosure renyi_bound(Enclosure mu, double order) {
  require_domain(order > 1.0 && std::isfinite(order), "order", order, "(1, inf)");
  return scale(zero_concentrated_rho(mu), order);
}

Enclosure zero_concentrated_rho(Enclosure mu) {
  require_domain(mu.lower >= 0.0 && mu.upper >= mu.lower, "mu", mu.lower, "[0, inf]");
  if (mu.upper == 0.0) {
    return exactly(0.0);
  }
  const auto half_square = [](double m) { return scaled(Real(m) * Real(m), -1); };
  return {std::isinf(mu.lower) ? mu.lower : half_square(mu.lower).lower(),
          std::isinf(mu.upper) ? mu.upper : half_square(mu.upper).upper()};
}

Enclosure prior_renyi_rho(const NoisyGd& setting) {
  require_descent(setting.descent);
  require_steps(setting.steps, "steps");
  const Contraction& c = known_contraction(setting.descent);
  const double kappa = setting.descent.effective_sensitivity;
  const auto slower = Contraction::complement(0.5 * c.one_minus_c());
  return detail::parameter([&] {
    const Powers fast(c), slow(slower);
    return (Real(1) + fast.c()) / fast.one_minus_c() * slow.one_minus_power(Real(setting.steps)) * Real(kappa) *
           Real(kappa);
  });
}

Enclosure prior_renyi_rho(const NoisyCgd& setting) {
  (void)strongly_convex_violations(setting);  // checks the numbers
  const Contraction& c = known_contraction(setting.descent);
  require_domain(c.c() > 0.0, "contraction", c.c(), "(0, 1)");
  const double kappa = setting.descent.effective_sensitivity;
  const double l = setting.batches_per_epoch;
  return detail::parameter([&] {
    const Powers powers(c);
    const Real epoch = powers.one_minus_power(Real(l));
    const Real repeated = powers.one_minus_power(Real(l) * (Real(setting.epochs) - Real(1)));
    const Real rest = powers.power(Real(l) - Real(2)) * powers.one_minus_power(Real(2)) * repeated / (epoch * epoch);
    return scaled(Real(kappa) * Real(kappa) * (Real(1) + rest), -1);
  });
}

}  // namespace dpcurves::interpolation
