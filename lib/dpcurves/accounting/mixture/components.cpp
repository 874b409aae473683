// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/mixture/components.hpp>
#include <dpcurves/core/detail/constants.hpp>

namespace dpcurves::accounting::mixture {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

Mixture turned(const Mixture& mixture) {
  Mixture out;
  for (const Component& c : mixture) {
    out.push_back({c.weight, -c.mean});
  }
  return out;
}

LogMixture::LogMixture(const Mixture& mixture) {
  const Precision precision(std::max(slong{128}, Precision::bits()));
  for (const Component& c : mixture) {
    Real log_weight = rigorous::log(c.weight) - rigorous::scaled(c.mean * c.mean, -1);
    if (!c.weight.positive()) {  // what it may be counts, unless it is 0
      const Real largest = rigorous::upper_end(rigorous::abs(c.weight));
      if (largest.upper() == 0.0) {
        continue;
      }
      const Real most = rigorous::log(largest) - rigorous::scaled(c.mean * c.mean, -1);
      terms_.push_back({c.mean, {}, c.mean.middle(), -infinity, most.upper()});
      continue;
    }
    const double low = log_weight.lower(), high = log_weight.upper();
    terms_.push_back({c.mean, std::move(log_weight), c.mean.middle(), low, high});
  }
}

std::size_t LogMixture::largest(const Complex& x) const {
  const double at = x.re().middle();
  std::size_t best = 0;
  double most = -infinity;
  for (std::size_t j = 0; j < terms_.size(); ++j) {
    const double size = terms_[j].log_low + terms_[j].about * at;
    if (size > most) {
      most = size;
      best = j;
    }
  }
  return best;
}

// Terms below 2^-bits of the largest are bounded in doubles: `spare` is more than their logarithms can be off by, and
// none is taken for less than a double can be.
LogMixture::Rest LogMixture::rest(const Complex& x, std::size_t top, bool moved) const {
  const slong bits = Precision::bits();
  const double smallest = -0.7 * static_cast<double>(bits + 8), left = x.re().lower(), right = x.re().upper();
  const Term& largest = terms_[top];
  Rest out;
  double small = 0.0, small_moved = 0.0;
  for (std::size_t j = 0; j < terms_.size(); ++j) {
    const Term& t = terms_[j];
    if (j == top) {
      continue;
    }
    const double apart = t.about - largest.about, far = apart * (apart > 0.0 ? right : left);
    const double means = std::abs(t.about) + std::abs(largest.about);
    const double spare = 1e-6 + 1e-14 * (means * std::max(std::abs(left), std::abs(right)) + std::abs(t.log_high) +
                                         std::abs(largest.log_low));
    const double size = t.log_high - largest.log_low + far + spare;
    if (size < smallest || t.log_low == -infinity) {
      constexpr double least = -690.0;
      const double bound = std::exp(std::max(size, least));
      small += bound;
      small_moved += bound * (std::abs(apart) + 1e-15 * means);
      continue;
    }
    const Real step = t.mean - largest.mean;
    Complex u, e;
    acb_mul_arb(u.get(), x.get(), step.get(), bits);
    acb_add_arb(u.get(), u.get(), (t.log_weight - largest.log_weight).get(), bits);
    e = rigorous::exp(u);
    out.sum = out.sum + e;
    if (moved) {
      acb_addmul_arb(out.moved.get(), e.get(), step.get(), bits);
    }
  }
  acb_add_error_arb(out.sum.get(), Real(small * 1.000001).get());
  acb_add_error_arb(out.moved.get(), Real(small_moved * 1.000001).get());
  return out;
}

Complex LogMixture::value(const Complex& x) const {
  const slong bits = Precision::bits();
  const std::size_t top = largest(x);
  const Rest others = rest(x, top, false);
  Complex out;
  if (!(Real(1) + others.sum.re()).positive()) {
    acb_indeterminate(out.get());
    return out;
  }
  acb_log1p(out.get(), others.sum.get(), bits);
  acb_addmul_arb(out.get(), x.get(), terms_[top].mean.get(), bits);
  acb_add_arb(out.get(), out.get(), terms_[top].log_weight.get(), bits);
  return out;
}

Complex LogMixture::slope(const Complex& x) const {
  const std::size_t top = largest(x);
  const Rest others = rest(x, top, true);
  const Complex whole = Complex(Real(1)) + others.sum;
  Complex out;
  if (!whole.re().positive()) {
    acb_indeterminate(out.get());
    return out;
  }
  return Complex(terms_[top].mean) + others.moved / whole;
}

Real LogRatio::at(const Real& x) const { return (a.value(Complex(x)) - n.value(Complex(x))).re(); }

Real LogRatio::slope(const Real& x) const { return (a.slope(Complex(x)) - n.slope(Complex(x))).re(); }

}  // namespace dpcurves::accounting::mixture
