// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/mixture/components.hpp>
#include <dpcurves/core/detail/constants.hpp>

namespace dpcurves::accounting::mixture {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

namespace {

const Real& real_part(const Real& x) { return x; }
Real real_part(const Complex& x) { return x.re(); }
Real product(const Real& a, const Real& b) { return a * b; }
Complex product(const Complex& a, const Real& b) {
  Complex r;
  acb_mul_arb(r.get(), a.get(), b.get(), Precision::bits());
  return r;
}
void widen(Real& a, double by) { arb_add_error(a.get(), Real(by).get()); }
void widen(Complex& a, double by) { acb_add_error_arb(a.get(), Real(by).get()); }
void make_unknown(Real& a) { arb_indeterminate(a.get()); }
void make_unknown(Complex& a) { acb_indeterminate(a.get()); }

}  // namespace

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

std::size_t LogMixture::largest(const Real& x) const {
  const double at = x.middle();
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
template <class Number>
LogMixture::Rest<Number> LogMixture::rest(const Number& x, std::size_t top, bool moved) const {
  const double smallest = -0.7 * static_cast<double>(Precision::bits() + 8), left = real_part(x).lower(),
               right = real_part(x).upper();
  const Term& largest = terms_[top];
  Rest<Number> out;
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
    const Number term = rigorous::exp(product(x, step) + Number(t.log_weight - largest.log_weight));
    out.sum = out.sum + term;
    if (moved) {
      out.moved = out.moved + product(term, step);
    }
  }
  widen(out.sum, small * 1.000001);
  widen(out.moved, small_moved * 1.000001);
  return out;
}

template <class Number>
Number LogMixture::value(const Number& x) const {
  const std::size_t place = largest(real_part(x));
  const Term& top = terms_[place];
  const Rest<Number> others = rest(x, place, false);
  Number out;
  if (!(Real(1) + real_part(others.sum)).positive()) {
    make_unknown(out);
    return out;
  }
  return rigorous::log1p(others.sum) + product(x, top.mean) + Number(top.log_weight);
}

template <class Number>
Number LogMixture::slope(const Number& x) const {
  const std::size_t top = largest(real_part(x));
  const Rest<Number> others = rest(x, top, true);
  const Number whole = Number(Real(1)) + others.sum;
  Number out;
  if (!real_part(whole).positive()) {
    make_unknown(out);
    return out;
  }
  return Number(terms_[top].mean) + others.moved / whole;
}

template Real LogMixture::value(const Real&) const;
template Real LogMixture::slope(const Real&) const;
template Complex LogMixture::value(const Complex&) const;
template Complex LogMixture::slope(const Complex&) const;

Real LogRatio::at(const Real& x) const { return a.value(x) - n.value(x); }

Real LogRatio::slope(const Real& x) const { return a.slope(x) - n.slope(x); }

}  // namespace dpcurves::accounting::mixture
