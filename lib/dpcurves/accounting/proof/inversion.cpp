// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numeric>

#include <dpcurves/accounting/proof/inversion.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/exponentials.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

constexpr slong strip_bits = 64;

Complex hyperbolic(const Complex& t, bool cosine) {
  Complex r;
  (cosine ? acb_cosh : acb_sinh)(r.get(), t.get(), Precision::bits());
  return r;
}

Complex times_i(const Complex& z) {
  Complex r;
  acb_mul_onei(r.get(), z.get());
  return r;
}

}  // namespace

Real power(const Real& base, double count) {
  Real r;
  fmpz_t n;
  fmpz_init(n);
  fmpz_set_d(n, count);
  arb_pow_fmpz(r.get(), base.get(), n, Precision::bits());
  fmpz_clear(n);
  return r;
}

Complex power(const Complex& base, double count) {
  Complex r;
  fmpz_t n;
  fmpz_init(n);
  fmpz_set_d(n, count);
  acb_pow_fmpz(r.get(), base.get(), n, Precision::bits());
  fmpz_clear(n);
  return r;
}

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

Complex Inversion::contour(const Complex& t) const {
  const Real c(plan_.c), scale(plan_.scale), bend(plan_.bend);
  Complex z = times_i(hyperbolic(t, false));
  if (plan_.bend != 0.0) {
    // cosh t - 1 = 2 sinh^2(t / 2)
    Complex half;
    acb_mul_2exp_si(half.get(), t.get(), -1);
    const Complex s = hyperbolic(half, false);
    z = z + s * s * Complex(rigorous::scaled(bend, 1));
  }
  return Complex(c) + z * Complex(scale);
}

// The modulus of the integrand on the image of the ball t is at most e^{log_size - re epsilon + radius |shift|} /
// weight.
Inversion::Disc Inversion::disc(const Complex& t, const Real& weight) const {
  Complex middle;
  acb_get_mid(middle.get(), t.get());
  Complex z0 = contour(middle);
  acb_get_mid(z0.get(), z0.get());
  const Complex all = contour(t);
  const Real away = rigorous::modulus(all - z0);
  const double radius = away.upper() * (1.0 + 1e-12);
  const Real r(radius);
  Real size(1);
  double inflation = 0.0;
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    const Real mean(plan_.mean[i]);
    Complex zeroth(atoms_[i]), first(-(atoms_[i] * mean));  // an atom is a node of loss 0
    Real second = atoms_[i] * mean * mean * rigorous::exp(rigorous::abs(mean) * r), error;
    for (const auto& integral : integrals_[i]) {
      const Integral::Expansion e = integral->expand(z0, radius, plan_.mean[i]);
      zeroth = zeroth + e.zeroth;
      first = first + e.first;
      second += e.second;
      error += e.error;
    }
    const Real m = rigorous::abs(zeroth) + r * rigorous::abs(first) + rigorous::scaled(r * r, -1) * second + error;
    inflation += problem_.steps[i].count * rigorous::log(m / rigorous::abs(zeroth)).upper();
    size = size * power(rigorous::upper_end(m), problem_.steps[i].count);
  }
  if (!problem_.gaussian_square.contains_zero()) {
    // |e^{g2 (z0 + t)(z0 + 1 + t) / 2}| <= |e^{g2 z0 (z0 + 1) / 2}| e^{Re(t) g2 (c + 1/2)} e^{r g2 |z0 - c| + g2 r^2 /
    // 2}
    const Real& g2 = problem_.gaussian_square;
    const Complex product = z0 * (z0 + Complex(Real(1)));
    const Real apart = rigorous::abs(z0 - Complex(Real(plan_.c)));
    size = size *
           rigorous::exp(rigorous::scaled(g2 * product.re(), -1) + r * g2 * apart + rigorous::scaled(g2 * r * r, -1));
  }
  // |z'| / |z (z + 1)| over the image
  const Complex speed = hyperbolic(t, true) - times_i(hyperbolic(t, false)) * Complex(Real(plan_.bend));
  size = size * rigorous::modulus(speed) * Real(plan_.scale) /
         (rigorous::modulus(all) * rigorous::modulus(all + Complex(Real(1))));
  if (!size.finite()) {
    return {HUGE_VAL, 0.0, 0.0, HUGE_VAL};
  }
  const Real log_size = rigorous::log(size * weight);
  // z0 is known to many digits more than a double has; its rounding goes into the radius
  const double re = z0.re().middle();
  return {log_size.upper(), re, radius + 4e-16 * std::abs(re), inflation};
}

double Inversion::contribution(const Disc& d, double epsilon) const {
  return d.log_size - d.re * epsilon + d.radius * std::abs(total_mean_.middle() - epsilon);
}

// The modulus on [begin, end] + i height, times weight; in halves where a disc is too wide for it.
void Inversion::cover(const Real& begin, const Real& end, const Real& height, const Real& weight, int depth) {
  constexpr double enough = 1.5;
  const Real middle = rigorous::scaled(begin + end, -1), spread = rigorous::scaled(end - begin, -1);
  const Disc d = disc(Complex(widened(middle, spread), height), weight);
  if (depth == 0 && !std::isfinite(d.log_size)) {
    throw ConvergenceError("no proof: the strip meets a pole");
  }
  if (depth == 0 || d.inflation < enough || contribution(d, plan_.epsilon) < negligible_) {
    discs_.push_back(d);
    return;
  }
  cover(begin, middle, height, rigorous::scaled(weight, -1), depth - 1);
  cover(middle, end, height, rigorous::scaled(weight, -1), depth - 1);
}

Inversion::Inversion(const Problem& problem, const Plan& plan) : problem_(problem), plan_(plan) {
  const Precision precision(plan.bits);
  require_no_pole();
  integrate();
  const Real enough = sum_nodes();
  const Precision low(strip_bits);
  constexpr double apart = 6.0;  // so many discs, as a power of e, are negligible together
  negligible_ = rigorous::log(enough).middle() - plan.c * plan.epsilon - apart;
  cover_strip();
  bound_ray();
  plain_ = PlainSum(z_, value_);
}

void Inversion::require_no_pole() const {
  // No pole in the strip: Im z = scale sinh Re t (bend sin y + cos y), y = Im t, is 0 at Re t = 0 alone where the
  // bracket is positive; it is on the whole strip if it is at both ends (a sinusoid, |y| < pi / 2); and there z falls
  // with y.
  const auto slant = [&](double y) { return Real(plan_.bend) * rigorous::sin(Real(y)) + rigorous::cos(Real(y)); };
  const Real least = contour(Complex(Real(), Real(plan_.up))).re(),
             most = contour(Complex(Real(), Real(-plan_.down))).re();
  const bool right = plan_.c > 0.0 && least.positive();
  const bool between = plan_.c > -1.0 && plan_.c < 0.0 && least > Real(-1) && most.negative();
  if (!(plan_.up < 1.57 && plan_.down < 1.57 && slant(plan_.up).positive() && slant(-plan_.down).positive()) ||
      !(right || between) || !(plan_.h > 0.0) || !(plan_.scale > 0.0)) {
    throw ConvergenceError("no proof: a pole in the strip");
  }
}

void Inversion::integrate() {
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    const Step& step = problem_.steps[i];
    std::vector<std::shared_ptr<const Integral>> main, beyond;
    for (std::size_t k = 0; k < step.pieces.size(); ++k) {
      main.push_back(std::make_shared<Integral>(step.pieces[k], plan_.paths[i][k], plan_.reference[i], plan_.digits));
      nodes_ += main.back()->nodes();
      const Precision low(strip_bits);
      const bool same = plan_.tails[i][k] == plan_.paths[i][k];
      beyond.push_back(same ? main.back()
                            : std::make_shared<Integral>(step.pieces[k], plan_.tails[i][k], plan_.reference[i], 40.0));
    }
    integrals_.push_back(std::move(main));
    tails_.push_back(std::move(beyond));
    atoms_.push_back(step.atom());
    lost_ += Real(step.count) * step.lost();
    total_mean_ += Real(step.count) * Real(plan_.mean[i]);
  }
  total_mean_ += problem_.gaussian_square * (Real(plan_.c) + Real(0.5));
}

Complex Inversion::term(long k, const Complex& z, bool quick) const {
  const Real h(plan_.h), two_pi = rigorous::scaled(rigorous::pi(), 1);
  const Complex t(Real(k) * h);
  Complex f(Real(1));
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    Complex m(atoms_[i]);
    for (const auto& integral : integrals_[i]) {
      m = m + integral->at(z, quick);
    }
    f = f * power(m, problem_.steps[i].count);
  }
  const Complex product = z * (z + Complex(Real(1)));
  if (!problem_.gaussian_square.contains_zero()) {
    f = f * rigorous::exp(product * Complex(rigorous::scaled(problem_.gaussian_square, -1)));
  }
  const Complex speed = hyperbolic(t, true) - times_i(hyperbolic(t, false)) * Complex(Real(plan_.bend));
  return f * speed * Complex(Real(plan_.scale) * h / two_pi * Real(k == 0 ? 1 : 2)) / product;
}

Real Inversion::sum_nodes() {
  const Real h(plan_.h);
  Real enough;  // the radius that the plan's digits leave to a node, at the threshold of the plan
  for (long k = 0; k <= plan_.n; ++k) {
    const Complex z = contour(Complex(Real(k) * h));
    Complex f = term(k, z, true);
    const Real decay = rigorous::exp(-(z.re() - Real(plan_.c)) * Real(plan_.epsilon));
    if (k == 0) {
      const double digits = plan_.digits - std::log(problem_.total_count() + 1.0) - 3.0;  // of the value, not of M
      enough = rigorous::abs(f) * rigorous::exp(Real(-0.5 - digits));
    }
    Real radius;  // of any exponent
    arb_get_rad_arb(radius.get(), f.re().get());
    if (!(radius * decay < enough)) {
      f = term(k, z, false);
    }
    z_.push_back(z);
    value_.push_back(f);
  }
  return enough;
}

void Inversion::cover_strip() {
  const Real h(plan_.h), two_pi = rigorous::scaled(rigorous::pi(), 1);
  const Real half = rigorous::scaled(h, -1);
  for (const int sign : {1, -1}) {
    const double height = sign > 0 ? plan_.up : plan_.down;
    const Real weight = Real(2) * h / two_pi / rigorous::expm1(two_pi * Real(height) / h);
    for (long k = 0; k <= plan_.n; ++k) {
      // the cell of node k; of node 0 its right half: the left one is the mirror image
      constexpr int halvings = 4;
      cover(k == 0 ? Real() : Real(k) * h - half, Real(k) * h + half, Real(sign) * Real(height),
            k == 0 ? rigorous::scaled(weight, -1) : weight, halvings);
    }
    // caps: two ends, each the integral of the modulus / (1 + e^{2 pi |y| / h})
    const Real end = (Real(plan_.n) + Real(0.5)) * h;
    const int parts = static_cast<int>(std::ceil(2.0 * height / plan_.h)) + 1;
    for (int i = 0; i < parts; ++i) {
      const Real y = Real(sign) * Real(height) * (Real(i) + widened(Real(0.5), Real(0.5))) / Real(parts);
      const Real from = two_pi * Real(height) * Real(i) / Real(parts) / h;
      const Real step = two_pi * Real(height) / Real(parts) / h;
      const Real cap_weight = Real(2) * h / (two_pi * two_pi) * rigorous::exp(-from) * -rigorous::expm1(-step);
      cover(end, end, y, cap_weight, 0);
    }
  }
}

void Inversion::bound_ray() {
  const Real h(plan_.h);
  const Complex z = contour(Complex((Real(plan_.n) + Real(0.5)) * h));
  Real log_tail;
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    Real b = atoms_[i];
    for (const auto& integral : tails_[i]) {
      b += integral->beyond(z);
    }
    log_tail += Real(problem_.steps[i].count) * rigorous::log(rigorous::upper_end(b));
  }
  const Complex product = z * (z + Complex(Real(1)));
  log_tail += rigorous::scaled(problem_.gaussian_square * product.re(), -1);
  tail_ = rigorous::upper_end(rigorous::exp(log_tail) / (rigorous::pi() * z.im()));
  tail_re_ = z.re();
}

Real Inversion::strip(const Real& epsilon) const {
  const Precision low(strip_bits);
  const double shift = rigorous::abs(total_mean_ - epsilon).upper();
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

Real Inversion::sum(const Real& epsilon) const {
  const Precision precision(plan_.bits);
  Real sum;
  Complex e;
  for (std::size_t k = 0; k < z_.size(); ++k) {
    acb_mul_arb(e.get(), z_[k].get(), epsilon.get(), plan_.bits);
    acb_neg(e.get(), e.get());
    acb_exp(e.get(), e.get(), plan_.bits);
    acb_mul(e.get(), e.get(), value_[k].get(), plan_.bits);
    arb_add(sum.get(), sum.get(), acb_realref(e.get()), plan_.bits);
  }
  return sum;
}

Real Inversion::at(const Real& epsilon) const {
  const Precision precision(plan_.bits);
  return complete(sum(epsilon), epsilon);
}

Real Inversion::quick(double epsilon) const {
  const Precision precision(strip_bits);
  return complete(plain_.at(epsilon), Real(epsilon));
}

// With all errors.
Real Inversion::complete(const Real& sum, const Real& epsilon) const {
  const Real tail = tail_ * rigorous::exp(-(tail_re_ * epsilon));
  const Real result = widened(sum, strip(epsilon) + rigorous::upper_end(tail));
  // delta and 1 - delta are means under the alternative of numbers between 0 and 1: at most the mass cut off is
  // missing.
  return (plan_.c > 0.0 ? result : -result) + rigorous::zero_to(rigorous::upper_end(lost_));
}

}  // namespace dpcurves::accounting::proof
