// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/divergence/renyi.hpp>
#include <dpcurves/numerics/special.hpp>

namespace dpcurves::divergence {
namespace {

void check_order(double renyi_order) {
  require_domain(renyi_order >= 1.0 && std::isfinite(renyi_order), "renyi_order", renyi_order, "[1, inf)");
}

void check(const Normal& law) {
  require_domain(std::isfinite(law.mean), "mean", law.mean, "(-inf, inf)");
  require_domain(law.standard_deviation > 0.0 && std::isfinite(law.standard_deviation), "standard_deviation",
                 law.standard_deviation, "(0, inf)");
}

}  // namespace

double gaussian_renyi(double renyi_order, double mu) {
  check_order(renyi_order);
  require_domain(mu >= 0.0 && std::isfinite(mu), "mu", mu, "[0, inf)");
  return 0.5 * renyi_order * mu * mu;
}

double relative_renyi(double renyi_order, double excess, double gap_squared) {
  check_order(renyi_order);
  require_domain(!std::isnan(excess), "excess", excess, "(-1, inf)");
  require_domain(gap_squared >= 0.0, "gap_squared", gap_squared, "[0, inf]");
  const double a = renyi_order;
  const double shrink = (1.0 - a) * excess;  // a + (1 - a) (1 + excess) = 1 + shrink
  if (!(1.0 + shrink > 0.0 && excess > -1.0)) {
    return std::numeric_limits<double>::infinity();
  }
  // -log(1 + x)/2 - log(1 + (1 - a) x) / (2 (a - 1)): the linear terms cancel and both remainders have one sign.
  const double spread = -0.5 * (numerics::log1p_less_argument(excess) +
                                (a == 1.0 ? 0.0 : numerics::log1p_less_argument(shrink) / (a - 1.0)));
  return spread + 0.5 * a * gap_squared / (1.0 + shrink);
}

double renyi(double renyi_order, const Normal& p, const Normal& q) {
  check(p);
  check(q);
  const double ratio = p.standard_deviation / q.standard_deviation;
  const double excess = (p.standard_deviation - q.standard_deviation) / q.standard_deviation * (ratio + 1.0);
  const double shift = (p.mean - q.mean) / q.standard_deviation;
  return relative_renyi(renyi_order, excess, shift * shift);
}

}  // namespace dpcurves::divergence
