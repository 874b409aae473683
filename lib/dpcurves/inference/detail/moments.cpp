// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>

#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/detail/moments.hpp>
#include <dpcurves/numerics/special.hpp>

namespace dpcurves::inference {

Moments moments(const std::vector<double>& sample) {
  const auto n = static_cast<double>(sample.size());
  Moments result{.mean = std::accumulate(sample.begin(), sample.end(), 0.0) / n, .count = sample.size()};
  double fourth = 0.0;
  for (const double value : sample) {
    const double square = (value - result.mean) * (value - result.mean);
    result.variance += square;
    fourth += square * square;
  }
  result.variance /= n - 1.0;
  fourth /= n;
  result.mean_error = std::sqrt(result.variance / n);
  result.variance_error = std::sqrt(std::max(0.0, fourth - result.variance * result.variance) / n);
  return result;
}

Moments paired(const std::vector<double>& a, const std::vector<double>& b) {
  require_domain(a.size() == b.size(), "b.size()", static_cast<double>(b.size()), "the size of a");
  std::vector<double> difference(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference[i] = a[i] - b[i];
  }
  return moments(difference);
}

double student_quantile(std::size_t count, double miss) {
  require_domain(count >= 2, "count", static_cast<double>(count), "[2, inf)");
  require_domain(miss > 0.0 && miss < 1.0, "miss", miss, "(0, 1)");
  return numerics::student_above_inverse(static_cast<double>(count - 1), 0.5 * miss);
}

}  // namespace dpcurves::inference
