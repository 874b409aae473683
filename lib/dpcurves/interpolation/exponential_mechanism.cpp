// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/exponential_mechanism.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/numerics/roots.hpp>
#include <dpcurves/rigorous/refine.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::interpolation {
namespace {

using rigorous::Real;
using rigorous::refined;

void require(double lipschitz, double diameter) {
  require_domain(lipschitz >= 0.0 && std::isfinite(lipschitz), "lipschitz", lipschitz, "[0, inf)");
  require_domain(diameter >= 0.0 && std::isfinite(diameter), "diameter", diameter, "[0, inf)");
}

}  // namespace

Enclosure exponential_mechanism_strongly_convex_mu(double lipschitz_of_difference, double strong_convexity) {
  require_domain(lipschitz_of_difference >= 0.0 && std::isfinite(lipschitz_of_difference), "lipschitz_of_difference",
                 lipschitz_of_difference, "[0, inf)");
  require_domain(strong_convexity > 0.0 && std::isfinite(strong_convexity), "strong_convexity", strong_convexity,
                 "(0, inf)");
  return refined([&] { return Real(lipschitz_of_difference) / sqrt(Real(strong_convexity)); }).enclosure();
}

Enclosure exponential_mechanism_convex_mu(double lipschitz, double diameter) {
  require(lipschitz, diameter);
  return refined([&] { return scaled(sqrt(Real(lipschitz) * Real(diameter)), 1); }).enclosure();
}

Enclosure exponential_mechanism_pure_epsilon(double lipschitz, double diameter) {
  require(lipschitz, diameter);
  return scaled(Real(lipschitz) * Real(diameter), 1).enclosure();
}

Enclosure exponential_mechanism_pure_mu(double lipschitz, double diameter) {
  require(lipschitz, diameter);
  // mu rises with epsilon.
  const Enclosure epsilon = exponential_mechanism_pure_epsilon(lipschitz, diameter);
  return {tradeoff::pure_dp_to_gdp_enclosure(std::max(0.0, epsilon.lower)).lower,
          tradeoff::pure_dp_to_gdp_enclosure(epsilon.upper).upper};
}

Enclosure exponential_mechanism_threshold() {
  const auto excess = [](double x) {
    const double root = std::sqrt(x);
    return 2.0 * x - std::log(numerics::normal_cdf(root)) + numerics::log_normal_upper_tail(root);
  };
  // From the root in doubles outward until the signs are proved; the excess rises, its slope there is 0.68.
  const auto proved = [](double x) {
    const Real root = sqrt(Real(x));
    return scaled(Real(x), 1) - log(normal_tail(-root) / normal_tail(root));
  };
  Enclosure ends = exactly(numerics::root(excess, 0.5, 1.0).middle());
  while (!proved(ends.lower).negative()) {
    ends.lower = next_down(ends.lower);
  }
  while (!proved(ends.upper).positive()) {
    ends.upper = next_up(ends.upper);
  }
  return ends;
}

}  // namespace dpcurves::interpolation
