// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>

#include <boost/math/tools/minima.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/minimise.hpp>

namespace dpcurves::numerics {

Minimum minimise(const std::function<double(double)>& f, double lo, double hi) {
  require_domain(std::isfinite(lo), "lo", lo, "(-inf, inf)");
  require_domain(std::isfinite(hi) && lo <= hi, "hi", hi, "[lo, inf)");
  const auto finite = [&f](double x) {
    const double y = f(x);
    if (std::isnan(y) || y > std::numeric_limits<double>::max()) {
      return std::numeric_limits<double>::max();  // the method interpolates between values
    }
    return y;
  };
  std::uintmax_t evaluations = 100;
  const auto [at, value] = boost::math::tools::brent_find_minima(finite, lo, hi, 27, evaluations);
  Minimum best{at, value};
  for (const double end : {lo, hi}) {
    if (const double candidate = finite(end); candidate < best.value) {
      best = {end, candidate};
    }
  }
  best.value = f(best.at);
  return best;
}

}  // namespace dpcurves::numerics
