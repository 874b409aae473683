// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/accounting/detail/renyi_moment.hpp>
#include <dpcurves/accounting/subsampled_renyi.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/refine.hpp>

namespace dpcurves::accounting {
namespace {

using detail::SampledPair;
using rigorous::Real;

void check(double sampling_rate, double mu, double order) {
  require_domain(sampling_rate >= 0.0 && sampling_rate <= 1.0, "sampling_rate", sampling_rate, "[0, 1]");
  require_domain(mu >= 0.0 && mu <= 100.0, "mu", mu, "[0, 100]");
  require_domain(order > 1.0 && (order <= 1e12 || std::isinf(order)), "order", order, "(1, 1e12] or inf");
}

// What is known without integration, for 0 < q < 1. Remove: the norm of 1 + u in L_a(P) lies between those of its
// second part and, by Minkowski's inequality, the sum of those of both parts. Add: 1 + u >= 1 - q. Symmetrised: the
// moment exceeds that of remove by at most E (a - 1) u over u > 0. All: quasi-convexity.
Real elementary(SampledPair pair, double sampling_rate, double mu, double order) {
  const Real q(sampling_rate), a(order), excess = a - Real(1), half = scaled(Real(mu) * Real(mu), -1);
  const Real gaussian = a * half;
  if (pair == SampledPair::replaced) {
    return zero_to(scaled(gaussian, 2));
  }
  if (pair == SampledPair::add) {
    return zero_to(min(gaussian, -log1p(-q)));
  }
  const Real ratio = a / excess, part = excess * half;  // log of the norm of dN(mu, 1)/dP
  const Real log_second = part + log(q);
  const Real both = log_second > Real(1) ? log_second + log1p((Real(1) - q) / q * exp(-part)) : log1p(q * expm1(part));
  const Real more = pair == SampledPair::symmetrised ? log1p(excess * q * exp(-both * a)) / excess : Real(0);
  return hull(max(Real(0), log_second * ratio), min(gaussian, both * ratio + more));
}

double log_one_plus_exp(double x) { return x > 40.0 ? x : std::log1p(std::exp(x)); }

Enclosure proved(SampledPair pair, double sampling_rate, double mu, double order) {
  check(sampling_rate, mu, order);
  if (sampling_rate == 0.0 || mu == 0.0) {
    return exactly(0.0);
  }
  if (std::isinf(order)) {
    const bool bounded = pair == SampledPair::add && sampling_rate < 1.0;
    return bounded ? rigorous::refined([&] { return -log1p(-Real(sampling_rate)); }).enclosure() : exactly(infinity);
  }
  if (sampling_rate == 1.0) {
    return scaled(Real(order) * Real(mu) * Real(mu), pair == SampledPair::replaced ? 1 : -1).enclosure();
  }
  const Enclosure known = clamp(elementary(pair, sampling_rate, mu, order).enclosure(), 0.0, infinity);
  if (known.relative_width() < 1e-15) {
    return known;
  }
  const bool replaced = pair == SampledPair::replaced;
  const double whole = replaced ? detail::estimated_replaced_log_moment(sampling_rate, mu, order) : 0.0;
  const double log_j = !replaced      ? detail::estimated_log_moment(pair, sampling_rate, mu, order)
                       : whole > 40.0 ? whole
                                      : std::log(std::expm1(whole));
  const double log_moment = log_one_plus_exp(log_j);
  const auto divergence = [&] {
    return detail::log_moment_ball(pair, sampling_rate, mu, order, log_moment) / (Real(order) - Real(1));
  };
  // Bits for the answer, for a moment close to 1 and for the exponents of the integrand.
  const double bits = 76.0 + std::max(0.0, -log_j) / std::numbers::ln2 + std::log2(1.0 + log_moment + std::abs(log_j));
  if (!std::isfinite(bits)) {  // no double tells the moment from 1: it is jointly convex in the laws
    const Real less = Real(order) - Real(1), apart = scaled(Real(order) * Real(mu) * Real(mu), replaced ? 1 : -1);
    const Real all = log1p(Real(sampling_rate) * expm1(less * apart)) / less;
    return all.finite() ? intersection(known, {0.0, all.upper()}) : known;
  }
  const Real found = rigorous::refined(divergence, std::lround(bits));
  return found.finite() ? intersection(found.enclosure(), known) : known;
}

double estimated(SampledPair pair, double sampling_rate, double mu, double order) {
  check(sampling_rate, mu, order);
  if (sampling_rate == 0.0 || mu == 0.0) {
    return 0.0;
  }
  if (std::isinf(order) || sampling_rate == 1.0) {
    return proved(pair, sampling_rate, mu, order).upper;
  }
  const Enclosure known = clamp(elementary(pair, sampling_rate, mu, order).enclosure(), 0.0, infinity);
  if (known.relative_width() < 1e-13) {
    return known.middle();
  }
  const double moment = log_one_plus_exp(detail::estimated_log_moment(pair, sampling_rate, mu, order));
  return std::clamp(moment / (order - 1.0), known.lower, known.upper);
}

SampledPair pair_of(Direction direction) {
  return direction == Direction::remove ? SampledPair::remove : SampledPair::add;
}

}  // namespace

Enclosure poisson_renyi(double sampling_rate, double mu, double order, Direction direction) {
  return proved(pair_of(direction), sampling_rate, mu, order);
}

double estimated_poisson_renyi(double sampling_rate, double mu, double order, Direction direction) {
  return estimated(pair_of(direction), sampling_rate, mu, order);
}

Enclosure symmetrised_renyi(double sampling_rate, double mu, double order) {
  return proved(SampledPair::symmetrised, sampling_rate, mu, order);
}

Enclosure replaced_renyi(double sampling_rate, double mu, double order) {
  return proved(SampledPair::replaced, sampling_rate, mu, order);
}

double fixed_size_renyi_bound(double sampling_rate, double mu, double order) {
  check(sampling_rate, mu, order);
  require_domain(order >= 2.0 && order <= 1e5 && order == std::floor(order), "order", order,
                 "the integers from 2 to 100000");
  if (sampling_rate == 0.0 || mu == 0.0) {
    return 0.0;
  }
  const auto bound = [&] {
    const Real q(sampling_rate), a(order), square = Real(mu) * Real(mu), growth = exp(square);
    const Real pairs = q * q * a * (a - Real(1)) / Real(2);
    Real sum = pairs * min(Real(4) * expm1(square), scaled(growth, 1));
    // 2 q^j C(a, j) e^(j (j - 1) mu^2 / 2) from j = 2 by the ratio of neighbours, and e^((j - 1) mu^2) likewise.
    Real term = scaled(pairs * growth, 1), power = growth;
    for (double j = 3.0; j <= order; j += 1.0) {
      power = power * growth;
      term = term * q * Real(order - j + 1.0) / Real(j) * power;
      sum += term;
    }
    return min(log1p(sum) / (a - Real(1)), scaled(a * square, -1));
  };
  // Two roundings a term; log1p of a small sum keeps its digits.
  return rigorous::refined(bound, 80 + 2 * std::lround(std::log2(order))).upper();
}

}  // namespace dpcurves::accounting
