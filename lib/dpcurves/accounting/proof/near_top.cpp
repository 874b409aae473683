// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <arb_poly.h>

#include <dpcurves/accounting/proof/near_top.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Precision;
using rigorous::Real;

/// A polynomial of balls.
class Series {
 public:
  Series() { arb_poly_init(poly_); }
  Series(const Series&) = delete;
  Series& operator=(const Series&) = delete;
  ~Series() { arb_poly_clear(poly_); }
  void set(slong k, const Real& value) { arb_poly_set_coeff_arb(poly_, k, value.get()); }
  [[nodiscard]] Real at(slong k) const {
    Real value;
    arb_poly_get_coeff_arb(value.get(), poly_, k);
    return value;
  }
  /// To a power, up to x^{length - 1}.
  void raise(ulong power, slong length) {
    arb_poly_pow_ui_trunc_binexp(poly_, poly_, power, length, Precision::bits());
  }
  void times(const Series& other, slong length) {
    arb_poly_mullow(poly_, poly_, other.poly_, length, Precision::bits());
  }

 private:
  arb_poly_t poly_;
};

/// P(Y <= y) of one step, y > 0: Y is below y where x is below (log((e^y - 1) (1 - q) / q) + mu^2 / 2) / mu.
Real below(const Step& s, const Real& y) {
  const Real q(s.q), mu(s.mu);
  const Real u = rigorous::log(rigorous::expm1(y) * (Real(1) - q) / q);
  return rigorous::normal_tail(-(u + rigorous::scaled(mu * mu, -1)) / mu);
}

}  // namespace

bool NearTop::serves(const Problem& problem) {
  constexpr double most_steps = 1e6;
  return problem.gaussian_square.contains_zero() && !problem.steps.empty() && problem.total_count() <= most_steps &&
         std::all_of(problem.steps.begin(), problem.steps.end(),
                     [](const Step& s) { return s.pair == Pair::poisson_add; });
}

NearTop::NearTop(const Problem& problem, double range, long cells)
    : cell_(range / static_cast<double>(cells)), steps_(static_cast<long>(problem.total_count())) {
  if (!(cell_ > 1e-290)) {
    throw ConvergenceError("no cells so near the largest loss");
  }
  const Precision precision(value_bits);
  Series sum;
  sum.set(0, Real(1));
  for (const Step& s : problem.steps) {
    top_ = top_ - Real(s.count) * rigorous::log1p(-Real(s.q));
    Series law;
    Real before;
    for (long k = 0; k < cells; ++k) {
      const Real next = below(s, Real(k + 1) * Real(cell_));
      law.set(k, next - before);
      before = next;
    }
    law.raise(static_cast<ulong>(s.count), cells);
    sum.times(law, cells);
  }
  const Real step = rigorous::exp(Real(cell_));
  Real mass, grown, factor(1);
  for (long k = 0; k < cells; ++k) {
    const Real here = sum.at(k);
    mass += here;
    grown += here * factor;
    factor = factor * step;
    mass_.push_back(mass);
    grown_.push_back(grown);
  }
}

Real NearTop::rounded(long r) const {
  if (r <= 0) {
    return {};
  }
  const auto last = static_cast<std::size_t>(r - 1);
  return mass_[last] - rigorous::exp(-(Real(r) * Real(cell_))) * grown_[last];
}

std::optional<Real> NearTop::delta(const Real& epsilon) const {
  const Precision precision(value_bits);
  const Real r = (top_ - epsilon) / Real(cell_);
  const double most = std::ceil(r.upper()), least = std::floor(r.lower()) - static_cast<double>(steps_);
  if (!(most <= static_cast<double>(mass_.size()))) {
    return std::nullopt;
  }
  return rigorous::hull(rounded(static_cast<long>(std::max(0.0, least))), rounded(static_cast<long>(most)));
}

std::optional<NearTop::Ends> NearTop::epsilon(const Real& target) const {
  const Precision precision(value_bits);
  const auto cells = static_cast<long>(mass_.size());
  // The smallest r that may be enough, and the smallest that surely is.
  const auto first = [&](const auto& enough) {
    long low = 0, high = cells + 1;
    while (high - low > 1) {
      const long middle = low + (high - low) / 2;
      (enough(rounded(middle)) ? high : low) = middle;
    }
    return high;
  };
  const long may = first([&](const Real& value) { return !(value < target); });
  const long surely = first([&](const Real& value) { return value >= target; });
  if (surely > cells) {
    return std::nullopt;
  }
  const Real cell(cell_);
  return Ends{rigorous::max(Real(), rigorous::lower_end(top_ - Real(surely + steps_) * cell)),
              rigorous::max(Real(), rigorous::upper_end(top_ - Real(may - 1) * cell))};
}

}  // namespace dpcurves::accounting::proof
