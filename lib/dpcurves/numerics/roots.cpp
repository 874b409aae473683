// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>

#include <boost/math/tools/roots.hpp>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/roots.hpp>

namespace dpcurves::numerics {

Enclosure root(const std::function<double(double)>& f, double lo, double hi) {
  require_domain(std::isfinite(lo), "lo", lo, "(-inf, inf)");
  require_domain(std::isfinite(hi) && lo <= hi, "hi", hi, "[lo, inf)");
  const auto checked = [&f](double x) {
    const double y = f(x);
    if (std::isnan(y)) {
      throw ConvergenceError("root: the function is NaN at " + shortest(x));
    }
    // The interpolation inside the method needs finite values; the sign is what counts.
    return std::isinf(y) ? std::copysign(std::numeric_limits<double>::max() / 4.0, y) : y;
  };
  const double at_lo = checked(lo);
  const double at_hi = checked(hi);
  if (at_lo == 0.0) {
    return exactly(lo);
  }
  if (at_hi == 0.0) {
    return exactly(hi);
  }
  if (std::signbit(at_lo) == std::signbit(at_hi)) {
    throw ConvergenceError("root: not bracketed, the function is " + shortest(at_lo) + " at " + shortest(lo) + " and " +
                           shortest(at_hi) + " at " + shortest(hi));
  }
  std::uintmax_t evaluations = 200;
  const auto [a, b] = boost::math::tools::toms748_solve(checked, lo, hi, at_lo, at_hi,
                                                        boost::math::tools::eps_tolerance<double>(52), evaluations);
  if (evaluations >= 200) {
    throw ConvergenceError("root: 200 evaluations left the interval [" + shortest(a) + ", " + shortest(b) + "]");
  }
  return {a, b};
}

double rising_root(const std::function<double(double)>& f, double lo, double hi, double highest) {
  while (f(hi) < 0.0 && hi < highest) {
    lo = hi;
    hi *= 8.0;
  }
  constexpr int most = 20;
  for (int i = 0; i < most && hi > 1.02 * lo; ++i) {
    const double middle = std::sqrt(lo * hi);
    (f(middle) > 0.0 ? hi : lo) = middle;
  }
  return std::sqrt(lo * hi);
}

}  // namespace dpcurves::numerics
