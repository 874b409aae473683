// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/accounting/detail/large_orders.hpp>
#include <dpcurves/accounting/subsampled_renyi.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::accounting::detail {
namespace {

using rigorous::Real;

// log(1 - share); a ball that is not finite where nothing may be left.
Real log_rest(const Real& log_share) { return log1p(-exp(log_share)); }

// log(e^x + 1), log(e^x - 1).
Real log_plus_one(const Real& x) { return max(x, Real(0)) + log1p(exp(-abs(x))); }
Real log_minus_one(const Real& x) { return x + log1p(-exp(-x)); }

// The lower end of the ball, or 0 where it is lower or the ball is none.
Real positive_part(const Real& x) { return x.finite() ? max(x, Real(0)) : Real(0); }

}  // namespace

Enclosure large_order_renyi(Pair pair, double sampling_rate, double mu, double order) {
  const Real p(sampling_rate), a(order), excess = a - Real(1), square = Real(mu) * Real(mu);
  const Real log_p = log(p), log_rest_p = log1p(-p), log_full = scaled(a * excess * square, -1);
  Real lower, upper;  // of log M_a
  switch (pair) {
    case Pair::fixed_size_remove:
      upper = log_plus_one(log_full + log_p - log_rest_p) + log_rest_p;
      lower = log_p + log_full + log_rest(log(excess) + log_rest_p - log_p - a * square);
      break;
    case Pair::fixed_size_add: {
      const Enclosure symmetric = symmetrised_renyi(sampling_rate, mu, order);
      upper = log_plus_one(excess * Real(symmetric.upper));
      lower = log_minus_one(excess * Real(symmetric.lower));
      break;
    }
    default:
      upper = excess * (Real(poisson_renyi(sampling_rate, mu, order, Direction::remove).upper) - log_rest_p);
      lower = a * log_p - excess * log_rest_p + log_full + log_rest(log(excess) + log_p - log_rest_p - a * square);
  }
  return {(positive_part(lower) / excess).lower(), (upper / excess).upper()};
}

}  // namespace dpcurves::accounting::detail
