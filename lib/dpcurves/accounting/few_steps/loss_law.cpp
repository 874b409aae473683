// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <limits>
#include <numbers>

#include <dpcurves/accounting/few_steps/loss_law.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/numerics/quadrature.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

HalfLaw right_half(Pair pair, double p, double mu) {
  switch (pair) {
    case Pair::poisson_add:
      return {p, 0.0, mu};
    case Pair::poisson_replace_one:
      return {p, mu, -mu};
    case Pair::fixed_size_remove:
      return {p, 2.0 * mu, mu};
    case Pair::symmetrised:
    case Pair::poisson_remove:
    case Pair::fixed_size_add:
      break;
  }
  return {p, mu, 0.0};
}

}  // namespace

Pair reversed(Pair pair) {
  switch (pair) {
    case Pair::poisson_remove:
      return Pair::poisson_add;
    case Pair::poisson_add:
      return Pair::poisson_remove;
    case Pair::fixed_size_remove:
      return Pair::fixed_size_add;
    case Pair::fixed_size_add:
      return Pair::fixed_size_remove;
    case Pair::symmetrised:
    case Pair::poisson_replace_one:
      break;
  }
  return pair;
}

double separation_of(Pair pair, double mu) { return right_half(pair, 1.0, mu).separation(); }

HalfLaw::HalfLaw(double sampling_rate, double alternative_mean, double null_mean)
    : p_(sampling_rate),
      a_(alternative_mean),
      n_(null_mean),
      side_(alternative_mean < null_mean ? -1.0 : 1.0),
      separation_(std::abs(alternative_mean - null_mean)),
      steepness_(std::max(std::abs(alternative_mean), std::abs(null_mean))),
      odds_((1.0 - sampling_rate) / sampling_rate),
      largest_(a_ == 0.0 ? -std::log1p(-sampling_rate) : infinity),
      end_(infinity) {}

double HalfLaw::slope_bound(double begin, double end) const {
  // |share| <= sqrt 2 share(Re); shares are monotone on the real line.
  const double a = std::max(alternative_share(begin), alternative_share(end));
  const double n = n_ == 0.0 ? 0.0 : std::max(null_share(begin), null_share(end));
  return std::numbers::sqrt2 * (std::abs(a_) * a + std::abs(n_) * n);
}

double HalfLaw::inverse(double loss) const {
  if (loss <= 0.0) {
    return 0.0;
  }
  if (n_ == 0.0) {
    return loss > 40.0 - std::log(p_) ? (loss - std::log(p_)) / a_ : std::log1p(std::expm1(loss) / p_) / a_;
  }
  if (loss >= largest_) {
    return infinity;
  }
  if (a_ == 0.0) {  // e^{-l} = 1 - p + p e^{-n t}
    return -std::log1p(std::expm1(-loss) / p_) / n_;
  }
  // Newton, held within a bracket that grows on demand, until it no longer moves.
  double low = 0.0;
  double high = infinity;
  double t = loss / std::max(slope(0.0), 0.1 * steepness_);
  for (int i = 0; i < 400; ++i) {
    const double miss = this->loss(t) - loss;
    (miss > 0.0 ? high : low) = t;
    const double change = miss / slope(t);
    if (std::abs(change) <= 4e-16 * t || std::abs(miss) <= 2e-15 * loss) {  // the loss itself is no better known
      return t - change;
    }
    double next = t - change;
    if (!(next > low && next < high) || i % 4 == 3) {  // or in case it runs in a circle
      next = std::isfinite(high) ? 0.5 * (low + high) : 2.0 * t + 1.0;
    }
    if (next == low || next == high) {  // nothing lies between
      return next;
    }
    t = next;
  }
  throw ConvergenceError("the privacy loss could not be inverted");
}

double HalfLaw::null_density(double t) const {
  const double x = observation(t);
  return std::exp(-0.5 * x * x + log_null(t)) * 0.3989422804014327;
}

double HalfLaw::beyond(double t, double mean) const {
  const double x = observation(t);
  return (1.0 - p_) * numerics::normal_upper_tail(side_ * x) + p_ * numerics::normal_upper_tail(side_ * (x - mean));
}

double HalfLaw::delta(double epsilon) const {
  const double begin = inverse(epsilon);
  if (!std::isfinite(begin)) {
    return 0.0;
  }
  const double whole = alternative_beyond(begin);
  const double less = std::exp(epsilon + std::log(null_beyond(begin)));
  if (steepness_ > 50.0 || whole - less > 0.5 * whole) {  // no digits are lost
    return std::max(0.0, whole - less);
  }
  // The integrand, e^{-x^2/2} times mixtures, is a normal density from its hump on: panels of one unit, or of the scale
  // on which the mixtures vary.
  const auto rule = numerics::gauss_legendre(16);
  const double hump = separation_ / 2.0;  // where the alternative's shifted component peaks, as t
  const double width = std::min(0.7, 1.5 / steepness_);
  const double far = std::max(hump, begin) + 9.0;
  double total = 0.0;
  for (double low = begin; low < far; low += width) {
    double part = 0.0;
    for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
      const double t = low + 0.5 * width * (1.0 + rule.nodes[i]);
      const double x = observation(t);
      const double excess = loss(t) - epsilon;
      part += rule.weights[i] * std::exp(-0.5 * x * x + log_null(t) + epsilon) * std::expm1(std::max(excess, 0.0));
    }
    part *= 0.5 * width * 0.3989422804014327;
    total += part;
    if (low > hump && part < 1e-17 * total) {
      break;
    }
  }
  return total;
}

double HalfLaw::delta_from_below(double epsilon) const {
  const double begin = inverse(epsilon);
  if (!std::isfinite(begin)) {
    return 0.0;
  }
  // The threshold is known to some units in the last place; at it the two terms' changes cancel.
  const double whole = alternative_beyond(begin);
  const double less = std::exp(epsilon + std::log(null_beyond(begin)));
  const double slack = 1e-13 * (1.0 + epsilon);
  return std::max(0.0, whole * (1.0 - slack) - less * (1.0 + slack));
}

double HalfLaw::epsilon_from_below(double delta) const {
  if (this->delta(0.0) <= delta) {
    return 0.0;
  }
  // Bisection in t: the losses' own scale.
  double low = 0.0;
  double high = 0.5 * separation_ + 1.0;
  for (int i = 0; i < 12 && this->delta(loss(high)) > delta; ++i) {
    low = high;
    high *= 2.0;
  }
  while (high - low > 1e-7 * high) {
    const double middle = 0.5 * (low + high);
    (this->delta(loss(middle)) > delta * (1.0 + 1e-11) ? low : high) = middle;
  }
  return loss(low);
}

LossLaw::LossLaw(Pair pair, double sampling_rate, double mu)
    : pair_(pair),
      p_(sampling_rate),
      mu_(mu),
      right_(right_half(pair, sampling_rate, mu)),
      left_(right_half(reversed(pair), sampling_rate, mu)),
      symmetric_(reversed(pair) == pair),
      atom_(0.0),
      log_atom_(-infinity) {
  const double ratio = mu / (2.0 * std::numbers::sqrt2);
  switch (pair) {
    case Pair::symmetrised:  // (1 - p) P(|N(0, 1)| < mu/2)
      atom_ = (1.0 - p_) * std::erf(ratio);
      log_atom_ = mu < 1.0 ? std::log(atom_) : std::log1p(-p_) + std::log1p(-std::erfc(ratio));
      break;
    case Pair::fixed_size_remove:
    case Pair::fixed_size_add:  // (1 - p) P(-mu/2 < N(0, 1) < 3 mu/2): what the two halves leave
      atom_ = 0.5 * (1.0 - p_) * (std::erf(ratio) + std::erf(3.0 * ratio));
      log_atom_ =
          mu < 1.0 ? std::log(atom_) : std::log1p(-p_) + std::log1p(-0.5 * (std::erfc(ratio) + std::erfc(3.0 * ratio)));
      break;
    case Pair::poisson_remove:
    case Pair::poisson_add:
    case Pair::poisson_replace_one:
      break;
  }
}

void LossLaw::truncate(double t) {
  right_.end_ = t;
  lost_null_ = right_.null_beyond(t);
  lost_alternative_ = right_.alternative_beyond(t);
  if (symmetric_) {
    left_.end_ = t;
    lost_null_ = lost_alternative_ = lost_null_ + lost_alternative_;
  }
}

}  // namespace dpcurves::accounting::detail
