// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/simulate/detail/gaussian_chain.hpp>

namespace dpcurves::simulate {

GaussianLaw gaussian_chain(double start, std::span<const AffineStep> steps, double noise) {
  require_domain(std::isfinite(start), "start", start, "(-inf, inf)");
  require_domain(noise >= 0.0 && std::isfinite(noise), "noise", noise, "[0, inf)");
  GaussianLaw law{start, 0.0};
  for (const AffineStep& step : steps) {
    require_domain(std::isfinite(step.factor), "factor", step.factor, "(-inf, inf)");
    require_domain(std::isfinite(step.shift), "shift", step.shift, "(-inf, inf)");
    law.mean = step.factor * law.mean + step.shift;
    law.variance = step.factor * step.factor * law.variance + noise * noise;
  }
  return law;
}

double separation(const GaussianLaw& first, const GaussianLaw& second) {
  require_domain(std::abs(first.variance - second.variance) <= 1e-12 * std::max(first.variance, second.variance),
                 "variance of the second law", second.variance, "[variance of the first]");
  const double difference = std::abs(first.mean - second.mean);
  return difference == 0.0 ? 0.0 : difference / std::sqrt(first.variance);
}

}  // namespace dpcurves::simulate
