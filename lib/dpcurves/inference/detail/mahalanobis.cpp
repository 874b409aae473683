// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <cstddef>

#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/detail/mahalanobis.hpp>
#include <dpcurves/numerics/special.hpp>

namespace dpcurves::inference {

double squared_mahalanobis(std::span<const double> x, std::span<const double> mean, std::span<const double> variance) {
  require_domain(mean.size() == x.size() && variance.size() == x.size(), "dimension of the law",
                 static_cast<double>(mean.size()), "that of the sample");
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    require_domain(variance[i] > 0.0, "variance", variance[i], "(0, inf)");
    const double gap = x[i] - mean[i];
    sum += gap * gap / variance[i];
  }
  return sum;
}

double chi_squared_quantile(double degrees, double p) {
  require_domain(degrees > 0.0 && std::isfinite(degrees), "degrees", degrees, "(0, inf)");
  require_domain(p >= 0.0 && p < 1.0, "p", p, "[0, 1)");
  return 2.0 * numerics::gamma_below_inverse(0.5 * degrees, p);
}

}  // namespace dpcurves::inference
