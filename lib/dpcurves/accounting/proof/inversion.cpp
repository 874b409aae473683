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

// Of the modulus of the integrand on the image of a rectangle, times a weight. With |cosh (x + i y)|^2 = sinh^2 x +
// cos^2 y and |sinh (x + i y)|^2 = sinh^2 x + sin^2 y the speed |z'| is at most that of the farthest x, of cos y at its
// largest and sin y at its largest; the image lies in a disc around that of the middle. A dozen roundings and errors of
// the C library, 2e-15 each, are in the radius and in the logarithm.
Inversion::Cell Inversion::cell(const Patch& t, double log_weight) const {
  constexpr double unit = 2e-15;
  const double x = 0.5 * (t.begin + t.end), y = 0.5 * (t.low + t.high), bend = std::abs(plan_.bend);
  const double far = std::max(std::abs(t.begin), std::abs(t.end)), s = std::sinh(far);
  const double highest = std::max(std::abs(t.low), std::abs(t.high));
  const double lowest = t.low * t.high <= 0.0 ? 0.0 : std::min(std::abs(t.low), std::abs(t.high));
  const double cosine = std::cos(lowest), sine = std::sin(highest);
  const double speed =
      plan_.scale * (std::sqrt(s * s + cosine * cosine) + bend * std::sqrt(s * s + sine * sine)) * (1.0 + 10.0 * unit);
  const double half = std::sinh(0.5 * x), ch = std::cosh(x),
               sh = std::sinh(x);  // cosh t - 1 = 2 sinh^2(x/2) cos y + ...
  const double half_y = std::sin(0.5 * y);
  const double re = plan_.c + plan_.scale * (-ch * std::sin(y) +
                                             plan_.bend * (2.0 * half * half * std::cos(y) - 2.0 * half_y * half_y));
  const double im = plan_.scale * sh * (std::cos(y) + plan_.bend * std::sin(y));
  const double reach =
      std::sqrt(0.25 * (t.end - t.begin) * (t.end - t.begin) + 0.25 * (t.high - t.low) * (t.high - t.low));
  const double radius = (reach + unit * (1.0 + far + highest)) * speed +
                        10.0 * unit * (std::abs(plan_.c) + plan_.scale * (1.0 + bend) * std::cosh(far));
  Cell found;
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    const StepMoment::OnDisc moment = moments_[i].on_disc(re, im, radius);
    found.log_moments.push_back(moment.most);
    found.inflation += problem_.steps[i].count * (moment.most - moment.middle);
  }
  // |e^{g2 (z0 + t)(z0 + 1 + t) / 2}| <= |e^{g2 z0 (z0 + 1) / 2}| e^{Re(t) g2 (c + 1/2)} e^{r g2 |z0 - c| + g2 r^2 / 2}
  const double square = 0.5 * (re * (re + 1.0) - im * im), apart = std::hypot(re - plan_.c, im);
  double log_size =
      log_weight + std::max(g2_low_ * square, g2_high_ * square) + g2_high_ * radius * (apart + 0.5 * radius);
  log_size +=
      10.0 * unit * (std::abs(log_weight) + g2_high_ * (re * re + std::abs(re) + im * im + radius * (apart + radius)));
  // |z'| / |z (z + 1)| over the image
  const double pole = std::hypot(re, im) * (1.0 - unit) - radius,
               other = std::hypot(re + 1.0, im) * (1.0 - unit) - radius;
  log_size = pole > 0.0 && other > 0.0
                 ? log_size + std::log(speed) - std::log(pole) - std::log(other) + 20.0 * unit +
                       unit * (std::abs(std::log(speed)) + std::abs(std::log(pole)) + std::abs(std::log(other)))
                 : HUGE_VAL;
  found.disc = {log_size, re, im, radius};
  return found;
}

double Inversion::contribution(const Disc& d, double epsilon) const {
  return d.log_size - d.re * epsilon + d.radius * std::abs(mean_ - epsilon);
}

// The modulus over a cell, times a weight; in halves where a disc is too wide for it.
void Inversion::cover(const Patch& t, double log_weight, int depth) {
  constexpr double enough = 1.5, log_two = 0.6931471805599453;
  const Cell found = cell(t, log_weight);
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
  const double middle = 0.5 * (t.begin + t.end), share = log_weight - log_two * (1.0 - 1e-15);
  cover({t.begin, middle, t.low, t.high}, share, depth - 1);
  cover({middle, t.end, t.low, t.high}, share, depth - 1);
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
    moments_.emplace_back(step, plan_.paths[i], plan_.reference[i], plan_.mean[i], plan_.digits);
    nodes_ += moments_.back().nodes();
    counts_.push_back(step.count);
    parts_->lost.push_back(step.lost());
    parts_->mean.emplace_back(plan_.mean[i]);
    mean_ += step.count * plan_.mean[i];
  }
  parts_->log_moments.resize(counts_.size());
  parts_->gaussian_mean = problem_.gaussian_square * (Real(plan_.c) + Real(0.5));
  mean_ += parts_->gaussian_mean.middle();
  g2_low_ = problem_.gaussian_square.lower();
  g2_high_ = problem_.gaussian_square.upper();
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

bool Inversion::refine() {
  bool better = false;
  for (StepMoment& moment : moments_) {
    better = moment.refine() || better;
  }
  return better;
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
        moments[i] = moments_[i].at(z, quick);
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
    const auto too_wide = [&] {
      arb_get_rad_arb(radius.get(), f.re().get());
      return !(radius * decay < enough);
    };
    if (too_wide() && refine()) {
      f = composed(true);
    }
    if (too_wide()) {
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

// Cells of neighbours share an end in doubles; what that changes of their lengths is in the weights.
void Inversion::cover_strip() {
  constexpr double lengths = 1e-11;
  const Real h(plan_.h), two_pi = rigorous::scaled(rigorous::pi(), 1);
  const auto log_of = [](const Real& weight) { return rigorous::log(weight).upper() + lengths; };
  const auto end_of = [&](long k) { return (static_cast<double>(k) + 0.5) * plan_.h; };
  for (const int sign : {1, -1}) {
    const double height = sign > 0 ? plan_.up : plan_.down, y = sign * height;
    const double log_weight = log_of(Real(2) * h / two_pi / rigorous::expm1(two_pi * Real(height) / h));
    for (long k = 0; k <= plan_.n; ++k) {
      // the cell of node k; of node 0 its right half: the left one is the mirror image
      constexpr int halvings = 4;
      constexpr double log_two = 0.693147180559945;  // below the true one
      cover({k == 0 ? 0.0 : end_of(k - 1), end_of(k), y, y}, k == 0 ? log_weight - log_two : log_weight, halvings);
    }
    // caps: two ends, each the integral of the modulus / (1 + e^{2 pi |y| / h})
    const double end = end_of(plan_.n);
    const int parts = static_cast<int>(std::ceil(2.0 * height / plan_.h)) + 1;
    for (int i = 0; i < parts; ++i) {
      const double near = y * i / parts, far = y * (i + 1) / parts;
      const Real from = two_pi * Real(height) * Real(i) / Real(parts) / h;
      const Real step = two_pi * Real(height) / Real(parts) / h;
      const Real weight = Real(2) * h / (two_pi * two_pi) * rigorous::exp(-from) * -rigorous::expm1(-step);
      cover({end, end, std::min(near, far), std::max(near, far)}, log_of(weight), 0);
    }
  }
}

StepMoment tail_moment(const Step& step, const Plan& plan, std::size_t kind) {
  constexpr double digits = 40.0;
  return {step, plan.tails[kind], plan.reference[kind], plan.mean[kind], digits};
}

// Lemma 5: of a positive law less a positive part, no moment is larger than on the real line.
Real Inversion::log_beyond(std::size_t kind, const Complex& z) const {
  const Step& step = problem_.steps[kind];
  constexpr double digits = 40.0;
  const Complex order(z.re());
  Real most = moments_[kind].at(order, true).re();
  for (const FarPart& far : plan_.far[kind]) {
    const Integral part(far.of(step), far.path, far.reference, digits);
    most += part.beyond(z) - part.at(order).re();
  }
  return rigorous::log(rigorous::upper_end(most));
}

void Inversion::bound_ray() {
  const Real h(plan_.h);
  const Complex z = contour(Complex((Real(plan_.n) + Real(0.5)) * h));
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const bool same = plan_.tails[i] == plan_.paths[i], parted = !plan_.far.empty() && !plan_.far[i].empty();
    parts_->log_beyond.push_back(parted ? log_beyond(i, z)
                                 : same ? moments_[i].log_beyond(z)
                                        : tail_moment(problem_.steps[i], plan_, i).log_beyond(z));
  }
  const Complex product = z * (z + Complex(Real(1)));
  parts_->log_tail = rigorous::scaled(problem_.gaussian_square * product.re(), -1);
  parts_->tail_re = z.re();
  parts_->tail_im = z.im();
}

}  // namespace dpcurves::accounting::proof
