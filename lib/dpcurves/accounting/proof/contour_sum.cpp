// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numeric>
#include <utility>

#include <dpcurves/accounting/proof/contour_sum.hpp>
#include <dpcurves/accounting/proof/moment.hpp>
#include <dpcurves/rigorous/exponentials.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

}  // namespace

PlainSum::PlainSum(const std::vector<Complex>& z, const std::vector<Complex>& value) : c_(z.front().re().middle()) {
  const Precision precision(strip_bits);
  scale_ = rigorous::log(rigorous::abs(value.front())).middle();
  const Complex unit(rigorous::exp(-Real(scale_)));
  const auto off = [](const Real& v) { return v.radius() + 1.2e-16 * std::abs(v.middle()); };
  for (std::size_t k = 0; k < z.size(); ++k) {
    const Complex v = value[k] * unit, moved = z[k] - Complex(Real(c_));
    z_re_.push_back(moved.re().middle());
    z_im_.push_back(moved.im().middle());
    re_.push_back(v.re().middle());
    im_.push_back(v.im().middle());
    error_.push_back(off(v.re()) + off(v.im()));
  }
}

// The exponent -(z - c) epsilon is off by less than four units of 2^-53 of its modulus (z - c to one, a product, and
// epsilon not at all), its exponential by exponential_error, the product with v by three units, and by what v is off.
Real PlainSum::at(double epsilon) const {
  constexpr std::size_t block = 64;
  constexpr double unit = 1.2e-16;
  std::array<double, block> re{}, im{}, size{}, off{};
  double sum = 0.0, error = 0.0, moduli = 0.0;
  for (std::size_t from = 0; from < re_.size(); from += block) {
    const std::size_t n = std::min(block, re_.size() - from);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t k = from + i;
      re[i] = -z_re_[k] * epsilon;
      im[i] = -z_im_[k] * epsilon;
      const bool served = std::abs(im[i]) <= rigorous::largest_angle && re[i] <= 650.0;
      off[i] = served ? 4.0 * unit * (std::abs(re[i]) + std::abs(im[i])) + 2.0 * rigorous::exponential_error : HUGE_VAL;
      re[i] = served ? re[i] : 0.0;
      im[i] = served ? im[i] : 0.0;
    }
    rigorous::exponentials(n, re.data(), size.data());
    rigorous::polar_exponentials(n, re.data(), im.data(), re.data(), im.data());
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t k = from + i;
      const double v = (std::abs(re_[k]) + std::abs(im_[k])) * size[i];
      sum += re[i] * re_[k] - im[i] * im_[k];
      error += v * (off[i] + 3.0 * unit) + error_[k] * size[i] * 1.01;
      moduli += v;
    }
  }
  error = (error + unit * static_cast<double>(re_.size() + 8) * moduli) * (1.0 + 1e-10);
  Real result;
  if (!(error < HUGE_VAL)) {
    arb_zero_pm_inf(result.get());
    return result;
  }
  return widened(Real(sum), Real(error)) * rigorous::exp(Real(scale_) - Real(c_) * Real(epsilon));
}

Approximate PlainSum::approximate(double epsilon) const {
  std::complex<double> sum, moved;
  for (std::size_t k = 0; k < re_.size(); ++k) {
    const std::complex<double> e =
        std::complex(re_[k], im_[k]) * std::polar(std::exp(-z_re_[k] * epsilon), -z_im_[k] * epsilon);
    sum += e;
    moved += e * std::complex(c_ + z_re_[k], z_im_[k]);
  }
  return {scale_ - c_ * epsilon + std::log(std::abs(sum.real())), -moved.real() / sum.real()};
}

ContourSum::ContourSum(Nodes z, std::vector<Complex> value, std::vector<Disc> discs, Tail tail, Real mean, Real lost,
                       slong bits)
    : z_(std::move(z)),
      value_(std::move(value)),
      plain_(*z_, value_),
      discs_(std::move(discs)),
      tail_(std::move(tail)),
      mean_(std::move(mean)),
      lost_(std::move(lost)),
      bits_(bits) {}

Real ContourSum::strip(const Real& epsilon) const {
  const Precision low(strip_bits);
  const double shift = rigorous::abs(mean_ - epsilon).upper();
  const double e = epsilon.middle();  // exact to its last bit but one; the radius has room for that
  std::vector<double> size(discs_.size());
  double most = -HUGE_VAL;
  bool finite = true;
  for (std::size_t i = 0; i < discs_.size(); ++i) {
    const Disc& d = discs_[i];
    const double v = d.log_size - d.re * e + d.radius * (shift + 1e-15 * std::abs(e));
    size[i] = v + 1e-15 * (std::abs(d.log_size) + 2.0 * std::abs(d.re * e) + d.radius * shift);
    finite = finite && std::isfinite(size[i]);
    most = std::max(most, size[i]);
  }
  UpperSum sum;
  if (!finite || size.empty()) {  // a disc without a bound, or one of nothing
    for (const double v : size) {
      sum.add(v);
    }
    return sum.value();
  }
  // Relative to the largest in doubles: n roundings of a sum that is at least 1.
  constexpr double least = -700.0;
  for (double& v : size) {
    v = std::max(least, v - most);
  }
  rigorous::exponentials(size.size(), size.data(), size.data());
  const double total = std::accumulate(size.begin(), size.end(), 0.0);
  const double count = static_cast<double>(size.size());
  sum.add(most + 1e-15 * std::abs(most),
          total * (1.0 + 4.0 * rigorous::exponential_error + 4e-16 * count) + count * 1e-300);
  return sum.value();
}

Real ContourSum::sum(const Real& epsilon) const {
  const Precision precision(bits_);
  Real sum;
  Complex e;
  for (std::size_t k = 0; k < z_->size(); ++k) {
    acb_mul_arb(e.get(), (*z_)[k].get(), epsilon.get(), bits_);
    acb_neg(e.get(), e.get());
    acb_exp(e.get(), e.get(), bits_);
    acb_mul(e.get(), e.get(), value_[k].get(), bits_);
    arb_add(sum.get(), sum.get(), acb_realref(e.get()), bits_);
  }
  return sum;
}

Real ContourSum::at(const Real& epsilon) const {
  const Precision precision(bits_);
  return complete(sum(epsilon), epsilon);
}

Real ContourSum::quick(double epsilon) const {
  const Precision precision(strip_bits);
  return complete(plain_.at(epsilon), Real(epsilon));
}

// With all errors.
Real ContourSum::complete(const Real& sum, const Real& epsilon) const {
  const Real tail = tail_.size * rigorous::exp(-(tail_.re * epsilon));
  const Real result = widened(sum, strip(epsilon) + rigorous::upper_end(tail));
  // delta and 1 - delta are means under the alternative of numbers between 0 and 1: at most the mass cut off is
  // missing.
  return (z_->front().re().positive() ? result : -result) + rigorous::zero_to(rigorous::upper_end(lost_));
}

// Sums of a few doubles: four units of 2^-53 of their moduli are room enough.
Disc ContourParts::disc(std::size_t place, const std::vector<double>& counts) const {
  Disc d = discs[place];
  double size = std::abs(d.log_size);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double one = counts[i] * log_moments[i][place];
    d.log_size += one;
    size += std::abs(one);
  }
  d.log_size += 2.3e-16 * static_cast<double>(counts.size() + 2) * size;
  return d;
}

ContourSum ContourParts::composed(const std::vector<double>& counts) const {
  constexpr slong power_bits = 96;  // doubles read them
  std::vector<Complex> value;
  {
    const Precision precision(power_bits);
    for (std::size_t k = 0; k < factor.size(); ++k) {
      Complex product = factor[k];
      for (std::size_t i = 0; i < counts.size(); ++i) {
        product = product * power(moments[i][k], counts[i]);
      }
      value.push_back(std::move(product));
    }
  }
  return composed(counts, std::move(value));
}

ContourSum ContourParts::composed(const std::vector<double>& counts, std::vector<Complex> value) const {
  const Precision low(strip_bits);
  std::vector<Disc> all;
  all.reserve(discs.size());
  for (std::size_t place = 0; place < discs.size(); ++place) {
    all.push_back(disc(place, counts));
  }
  Real log_size = log_tail, loss = gaussian_mean, gone;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    log_size += Real(counts[i]) * log_beyond[i];
    loss += Real(counts[i]) * mean[i];
    gone += Real(counts[i]) * lost[i];
  }
  ContourSum::Tail tail{rigorous::upper_end(rigorous::exp(log_size) / (rigorous::pi() * tail_im)), tail_re};
  return {z, std::move(value), std::move(all), std::move(tail), std::move(loss), std::move(gone), bits};
}

}  // namespace dpcurves::accounting::proof
