// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/detail/answers.hpp>
#include <dpcurves/accounting/detail/large_orders.hpp>
#include <dpcurves/accounting/proof/moment.hpp>
#include <dpcurves/accounting/subsampled_renyi.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/minimise.hpp>

namespace dpcurves::accounting {
namespace {

using rigorous::Precision;
using rigorous::Real;

/// log of the integrand of a piece at order z on the real line; where to look, no proof.
double log_integrand(const proof::Piece& p, double x, double z) {
  proof::Path line;
  const proof::PlainPoint at = proof::evaluate({p.q, p.mu, p.a, p.n, false}, line, std::complex<double>(x, 0.0));
  return (at.log_base + z * at.loss).real();
}

/// Rounded up; far too many where that is no long.
long count_of(double nodes) { return static_cast<long>(std::ceil(std::min(nodes, 1e18))); }

/// A path on which the integral at a real order is known to e^{-digits}.
proof::Path path_for(const proof::Piece& p, double z, double peak, double digits) {
  const double steep = p.steepest() * p.mu;
  proof::Path path;
  double begin = 0.5 * (p.a + p.n) * p.mu, end = begin;
  const double cut = peak - digits - 8.0;
  for (int k = 0; k < 100000 && (log_integrand(p, end, z) > cut || end < (z + 1.0) * std::max(p.a, 0) * p.mu); ++k) {
    end += 0.25;
  }
  if (p.half) {
    path.d = path.up = path.down = 0.5;
    path.scale = std::min(2.0, 0.95 * p.highest() / p.mu);
    path.h = std::exp2(std::floor(std::log2(2.0 * std::numbers::pi * 0.5 / (digits + 6.0 + path.scale * path.scale))));
    path.first = -std::ceil((digits + 8.0 + std::max(0.0, peak)) / path.h) * path.h;
    path.count = count_of(((end - begin) / path.scale + 1.0 - path.first) / path.h);
  } else {
    for (int k = 0; k < 100000 && (log_integrand(p, begin, z) > cut || begin > -z * p.n * p.mu * (p.n > 0 ? 0 : -1));
         ++k) {
      begin -= 0.25;
    }
    path.d = std::exp2(std::floor(std::log2(std::min(0.45 * std::numbers::pi / steep, 1.0))));
    path.up = path.down = 0.875 * path.d;
    path.h = std::exp2(std::floor(std::log2(2.0 * std::numbers::pi * path.up / (digits + 6.0))));
    path.first = std::floor(begin / path.h) * path.h;
    path.count = count_of((end - path.first) / path.h);
  }
  path.reach_left = begin - 2.0;
  path.reach_right = std::max(end, (z + 1.0) * std::max(p.a, 0) * p.mu) + 2.0;
  return path;
}

/// About the largest value of log_integrand. Its maxima lie between 0 and the means of the shifted parts' powers.
double highest(const proof::Piece& p, double z) {
  const double far = ((z + 1.0) * std::max(p.a, 0) + z * std::max(-p.n, 0)) * p.mu;
  const double low = -((z + 1.0) * std::max(-p.a, 0) + z * std::max(p.n, 0)) * p.mu;
  constexpr int cells = 256;
  const double step = (far - low) / cells;
  numerics::Minimum best{0.0, infinity};
  for (int i = 0; i <= cells; ++i) {
    const double x = low + step * i, value = -log_integrand(p, x, z);
    if (value < best.value) {
      best = {x, value};
    }
  }
  const auto f = [&](double x) { return -log_integrand(p, x, z); };
  return -std::min(best.value, numerics::minimise(f, best.at - step, best.at + step).value);
}

/// log M(z) of one step, z = order - 1 > 0, by the integrals of proof/moment.hpp; not finite where that takes too long.
Real log_moment(const SubsampledGaussian& one, double z) {
  const proof::Step step = proof::step_of(one);
  double peak = 0.0;
  for (const proof::Piece& p : step.pieces) {
    peak = std::max(peak, highest(p, z));
  }
  Real result;
  arb_zero_pm_inf(result.get());
  constexpr long most_nodes = 200000;
  for (double digits = 36.0; digits <= 160.0; digits += 40.0) {
    const Precision precision(static_cast<slong>(digits / std::numbers::ln2) + 64);
    Real moment = step.atom();
    try {
      for (const proof::Piece& p : step.pieces) {
        const proof::Path path = path_for(p, z, peak, digits);
        if (path.count > most_nodes) {
          return result;
        }
        moment += proof::Integral(p, path, peak, digits + 8.0).at(rigorous::Complex(Real(z))).re();
      }
    } catch (const ConvergenceError&) {
      return result;
    }
    if (!moment.positive()) {
      continue;
    }
    result = log(moment);
    if (result.positive() && result.radius() <= 1e-15 * result.middle()) {
      break;
    }
  }
  return result;
}

/// D of one step with sampling rate in (0, 1) and mu > 0.
Enclosure one_step(const SubsampledGaussian& step, double order) {
  constexpr double largest_mu = 100.0;  // of the functions for single pairs
  constexpr double largest_order = 1e12;
  const bool elementary = step.mu <= largest_mu && order <= largest_order;
  if (elementary && step.pair == Pair::symmetrised) {
    return symmetrised_renyi(step.sampling_rate, step.mu, order);
  }
  if (elementary && (step.pair == Pair::poisson_remove || step.pair == Pair::poisson_add)) {
    return poisson_renyi(step.sampling_rate, step.mu, order,
                         step.pair == Pair::poisson_add ? Direction::add : Direction::remove);
  }
  Enclosure bound{0.0, infinity};
  if (elementary) {
    constexpr double enough = 1e-12, apart = 30.0;  // where there may be one bump, order mu^2
    const auto offer = [&](const Enclosure& other) {
      bound = intersection(bound, other);
      return bound.relative_width() <= enough;
    };
    const auto large = [&] { return detail::large_order_renyi(step.pair, step.sampling_rate, step.mu, order); };
    const bool one_bump = order * step.mu * step.mu > apart;
    if (one_bump && offer(large())) {
      return bound;
    }
    if (step.pair == Pair::poisson_replace_one && offer(replaced_renyi(step.sampling_rate, step.mu, order))) {
      return bound;
    }
    if (!one_bump && offer(large())) {
      return bound;
    }
  }
  if (std::isfinite(order * step.mu * step.mu)) {
    const Real log_m = log_moment(step, order - 1.0);
    if (log_m.finite()) {
      bound = intersection(bound, clamp((log_m / (Real(order) - Real(1))).enclosure(), 0.0, infinity));
    }
  }
  // Mixtures with the same shares diverge at most as their parts do.
  const Real apart = Real(step.pair == Pair::poisson_replace_one ? 2 : 1) * Real(step.mu);
  const Enclosure parts = clamp(scaled(Real(order) * apart * apart, -1).enclosure(), 0.0, infinity);
  return intersection(bound, {0.0, parts.upper});
}

}  // namespace

Enclosure renyi(const Composition& composition, double order) {
  require_domain(order > 1.0, "order", order, "(1, inf]");
  const Precision precision(256);
  detail::check(composition);
  Real square = Real(composition.gaussian_mu) * Real(composition.gaussian_mu);
  std::map<std::tuple<int, double, double>, double> joined;
  for (const SubsampledGaussian& c : composition.components) {
    if (c.sampling_rate == 0.0 || c.mu == 0.0 || c.count == 0.0) {
      continue;
    }
    if (c.sampling_rate == 1.0) {
      const Real mu = Real(c.pair == Pair::poisson_replace_one ? 2 : 1) * Real(c.mu);
      square += Real(c.count) * mu * mu;
      continue;
    }
    joined[{static_cast<int>(c.pair), c.sampling_rate, c.mu}] += c.count;
  }
  const bool gaussian = square.positive();
  if (std::isinf(order)) {
    // Only the loss of poisson_add has an upper end: -log(1 - q) in each step.
    Real largest;
    for (const auto& [key, count] : joined) {
      if (static_cast<Pair>(std::get<0>(key)) != Pair::poisson_add) {
        return {infinity, infinity};
      }
      largest += Real(count) * -log1p(-Real(std::get<1>(key)));
    }
    return gaussian ? Enclosure{infinity, infinity} : clamp(largest.enclosure(), 0.0, infinity);
  }
  Real total = scaled(Real(order) * square, -1);
  for (const auto& [key, count] : joined) {
    const Enclosure one =
        one_step({std::get<1>(key), std::get<2>(key), 1.0, static_cast<Pair>(std::get<0>(key))}, order);
    if (std::isinf(one.upper)) {
      return {clamp(total.enclosure(), 0.0, infinity).lower, infinity};
    }
    total += Real(count) * Real(one);
  }
  return clamp(total.enclosure(), 0.0, infinity);
}

}  // namespace dpcurves::accounting
