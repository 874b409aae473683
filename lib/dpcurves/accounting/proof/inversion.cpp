// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <utility>

#include <dpcurves/accounting/proof/inversion.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

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

// Of the modulus of the integrand on the image of the ball t, times weight.
Inversion::Cell Inversion::cell(const Complex& t, const Real& weight) const {
  Complex middle;
  acb_get_mid(middle.get(), t.get());
  Complex z0 = contour(middle);
  acb_get_mid(z0.get(), z0.get());
  const Complex all = contour(t);
  const Real away = rigorous::modulus(all - z0);
  const double radius = away.upper() * (1.0 + 1e-12);
  const Real r(radius);
  Cell found;
  Real size(1);
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
    found.log_moments.push_back(rigorous::log(rigorous::upper_end(m)).upper());
    found.inflation +=
        problem_.steps[i].count * (found.log_moments.back() - rigorous::log(rigorous::abs(zeroth)).lower());
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
  // z0 is known to many digits more than a double has; its rounding goes into the radius
  const double re = z0.re().middle();
  found.disc = {size.finite() ? rigorous::log(size * weight).upper() : HUGE_VAL, re, radius + 4e-16 * std::abs(re)};
  return found;
}

double Inversion::contribution(const Disc& d, double epsilon) const {
  return d.log_size - d.re * epsilon + d.radius * std::abs(mean_ - epsilon);
}

// The modulus on [begin, end] + i height, times weight; in halves where a disc is too wide for it.
void Inversion::cover(const Real& begin, const Real& end, const Real& height, const Real& weight, int depth) {
  constexpr double enough = 1.5;
  const Real middle = rigorous::scaled(begin + end, -1), spread = rigorous::scaled(end - begin, -1);
  const Cell found = cell(Complex(widened(middle, spread), height), weight);
  parts_->discs.push_back(found.disc);
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    parts_->log_moments[i].push_back(found.log_moments[i]);
  }
  const Disc all = parts_->disc(parts_->discs.size() - 1, counts_);
  if (depth == 0 && !std::isfinite(all.log_size)) {
    throw ConvergenceError("no proof: the strip meets a pole");
  }
  if (depth == 0 || found.inflation < enough || contribution(all, plan_.epsilon) < negligible_) {
    return;
  }
  parts_->discs.pop_back();
  for (std::vector<double>& column : parts_->log_moments) {
    column.pop_back();
  }
  cover(begin, middle, height, rigorous::scaled(weight, -1), depth - 1);
  cover(middle, end, height, rigorous::scaled(weight, -1), depth - 1);
}

Inversion::Inversion(const Problem& problem, const Plan& plan)
    : problem_(problem), plan_(plan), parts_(std::make_shared<ContourParts>()) {
  const Precision precision(plan.bits);
  parts_->bits = plan.bits;
  require_no_pole();
  integrate();
  std::vector<Complex> value;
  const Real enough = sum_nodes(value);
  const Precision low(strip_bits);
  constexpr double apart = 6.0;  // so many discs, as a power of e, are negligible together
  negligible_ = rigorous::log(enough).middle() - plan.c * plan.epsilon - apart;
  cover_strip();
  bound_ray();
  sum_ = parts_->composed(counts_, std::move(value));
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
    counts_.push_back(step.count);
    parts_->lost.push_back(step.lost());
    parts_->mean.emplace_back(plan_.mean[i]);
    mean_ += step.count * plan_.mean[i];
  }
  parts_->log_moments.resize(counts_.size());
  parts_->gaussian_mean = problem_.gaussian_square * (Real(plan_.c) + Real(0.5));
  mean_ += parts_->gaussian_mean.middle();
}

Complex Inversion::moment(std::size_t step, const Complex& z, bool quick) const {
  Complex m(atoms_[step]);
  for (const auto& integral : integrals_[step]) {
    m = m + integral->at(z, quick);
  }
  return m;
}

Complex Inversion::factor(long k, const Complex& z) const {
  const Real h(plan_.h), two_pi = rigorous::scaled(rigorous::pi(), 1);
  const Complex t(Real(k) * h), product = z * (z + Complex(Real(1)));
  const Complex speed = hyperbolic(t, true) - times_i(hyperbolic(t, false)) * Complex(Real(plan_.bend));
  const Complex f = speed * Complex(Real(plan_.scale) * h / two_pi * Real(k == 0 ? 1 : 2)) / product;
  return problem_.gaussian_square.contains_zero()
             ? f
             : f * rigorous::exp(product * Complex(rigorous::scaled(problem_.gaussian_square, -1)));
}

Real Inversion::sum_nodes(std::vector<Complex>& value) {
  const Real h(plan_.h);
  const std::size_t kinds = counts_.size();
  std::vector<Complex> nodes;
  parts_->moments.resize(kinds);
  Real enough;  // the radius that the plan's digits leave to a node, at the threshold of the plan
  for (long k = 0; k <= plan_.n; ++k) {
    const Complex z = contour(Complex(Real(k) * h)), others = factor(k, z);
    std::vector<Complex> moments(kinds);
    const auto composed = [&](bool quick) {
      Complex f = others;
      for (std::size_t i = 0; i < kinds; ++i) {
        moments[i] = moment(i, z, quick);
        f = f * power(moments[i], counts_[i]);
      }
      return f;
    };
    Complex f = composed(true);
    const Real decay = rigorous::exp(-(z.re() - Real(plan_.c)) * Real(plan_.epsilon));
    if (k == 0) {
      const double digits = plan_.digits - std::log(problem_.total_count() + 1.0) - 3.0;  // of the value, not of M
      enough = rigorous::abs(f) * rigorous::exp(Real(-0.5 - digits));
    }
    Real radius;  // of any exponent
    arb_get_rad_arb(radius.get(), f.re().get());
    if (!(radius * decay < enough)) {
      f = composed(false);
    }
    nodes.push_back(z);
    value.push_back(std::move(f));
    parts_->factor.push_back(others);
    for (std::size_t i = 0; i < kinds; ++i) {
      parts_->moments[i].push_back(std::move(moments[i]));
    }
  }
  parts_->z = std::make_shared<const std::vector<Complex>>(std::move(nodes));
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
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    Real b = atoms_[i];
    for (const auto& integral : tails_[i]) {
      b += integral->beyond(z);
    }
    parts_->log_beyond.push_back(rigorous::log(rigorous::upper_end(b)));
  }
  const Complex product = z * (z + Complex(Real(1)));
  parts_->log_tail = rigorous::scaled(problem_.gaussian_square * product.re(), -1);
  parts_->tail_re = z.re();
  parts_->tail_im = z.im();
}

}  // namespace dpcurves::accounting::proof
