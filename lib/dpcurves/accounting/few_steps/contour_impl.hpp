// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The member functions of Contour, instantiated for double in contour.cpp and in higher precision in
/// contour_extended.cpp. Internal.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <dpcurves/accounting/few_steps/contour.hpp>
#include <dpcurves/accounting/few_steps/line_bound.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::detail {

/// Gauss-Legendre points of a panel: more where Real has more digits.
template <class Real>
constexpr int points_of = std::numeric_limits<Real>::digits10 < 20   ? 20
                          : std::numeric_limits<Real>::digits10 < 40 ? 28
                                                                     : 40;

/// Steps of the recurrence between true sines and cosines, which are slow in extended precision.
template <class Real>
constexpr std::size_t resynchronise = std::numeric_limits<Real>::digits10 < 20 ? 16 : 4096;

/// The unit of rounding of Real as a double, twice the largest relative error of one operation.
template <class Real>
[[nodiscard]] double unit_of() {
  return static_cast<double>(std::numeric_limits<Real>::epsilon());
}

/// E - 1 = exp(i w l) - 1 for each node, moved along equally spaced w.
template <class Real>
class Phases {
 public:
  /// Starts at w = 0. `loss` is kept by reference and must outlive this object; `step` is the distance of two w.
  Phases(const std::vector<Real>& loss, const Real& step) : loss_(loss), step_(step) {
    const std::size_t count = loss.size();
    re_.resize(count);
    im_.resize(count);
    step_re_.resize(count);
    step_im_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      set(step_ * loss_[i], step_re_[i], step_im_[i]);
    }
  }

  /// To w, by true sines and cosines.
  void start(const Real& w) {
    for (std::size_t i = 0; i < loss_.size(); ++i) {
      set(w * loss_[i], re_[i], im_[i]);
    }
  }

  /// sum of weight * Re and of difference * Im, then one step ahead: D' = D + R + D R keeps the digits of a small D.
  void sum_and_advance(const std::vector<Real>& weight, const std::vector<Real>& difference, Real& real,
                       Real& imaginary) {
    constexpr std::size_t lanes = 4;
    constexpr std::size_t chunk = 64;
    real = Real(0);
    imaginary = Real(0);
    const std::size_t count = loss_.size();
    Real* const re = re_.data();
    Real* const im = im_.data();
    const Real* const sre = step_re_.data();
    const Real* const sim = step_im_.data();
    const Real* const w = weight.data();
    const Real* const d = difference.data();
    for (std::size_t begin = 0; begin < count; begin += chunk) {
      std::array<Real, lanes> a{};
      std::array<Real, lanes> b{};
      const std::size_t end = std::min(begin + chunk, count);
      for (std::size_t i = begin; i < end; i += lanes) {
        for (std::size_t k = 0; k < lanes; ++k) {
          const Real x = re[i + k];
          const Real y = im[i + k];
          a[k] += w[i + k] * x;
          b[k] += d[i + k] * y;
          re[i + k] = (x + sre[i + k]) + (x * sre[i + k] - y * sim[i + k]);
          im[i + k] = (y + sim[i + k]) + (x * sim[i + k] + y * sre[i + k]);
        }
      }
      real += (a[0] + a[1]) + (a[2] + a[3]);
      imaginary += (b[0] + b[1]) + (b[2] + b[3]);
    }
  }

 private:
  static void set(const Real& angle, Real& re, Real& im) {
    using std::cos;
    using std::sin;
    const Real half = sin(angle / Real(2));
    re = Real(-2) * half * half;
    im = Real(2) * half * cos(angle / Real(2));
  }

  const std::vector<Real>& loss_;
  Real step_;
  std::vector<Real> re_;
  std::vector<Real> im_;
  std::vector<Real> step_re_;
  std::vector<Real> step_im_;
};

template <class Real>
Contour<Real>::Contour(const Transform& transform, const ContourPlan& plan, const Deadline& deadline)
    : plan_(plan), step_(2.0 * std::numbers::pi / plan.period) {
  truncate(transform, deadline);
  fill(transform, deadline);
  const double c = plan_.c;
  if (c > 0.0) {
    for (const double other : transform.beyond(c)) {
      const Cumulant& k = transform.cumulant(other);
      right_.push_back({other, k.value + k.error});
    }
    left_.push_back({0.0, 0.0});
  } else {
    right_.push_back({0.0, 0.0});
  }
  left_.push_back({-1.0, 0.0});
}

template <class Real>
void Contour<Real>::truncate(const Transform& transform, const Deadline& deadline) {
  LineBound line(transform, plan_.c, deadline);
  const double atom = transform.log_atom() - line.log_moment();  // log of the atoms' share of exp K(c)
  expanded_ = transform.gaussian_mu() == 0.0 && atom > plan_.log_tail - 3.0;
  const double longest = step_ * static_cast<double>(plan_.most_nodes);
  if (expanded_) {
    // Without the atoms and the single jumps the rest is at most exp(atom) jumps^2 exp(jumps) / 2, jumps ~ 1/w.
    const auto log_rest = [&](double w) {
      const double jumps = line.jumps(w);
      return atom + 2.0 * std::log(jumps) + jumps - std::numbers::ln2;
    };
    end_ = 64.0 * step_;
    while (log_rest(end_) - std::log(end_) > plan_.log_tail_expanded) {
      end_ *= 1.3;
      if (end_ > longest) {
        throw ConvergenceError("the integrand of the contour decays too slowly");
      }
    }
    const double rest = std::exp(log_rest(end_ - step_));
    tail_ = {rest / (3.0 * (end_ - step_)) / std::numbers::pi, 0.5 * rest / std::numbers::pi};
    for (double& tail : tail_) {  // the sum exceeds the integral by at most one more term
      tail *= 1.0 + 3.0 * step_ / end_;
    }
    return;
  }
  const LineBound::Tail tail = line.tail(plan_.log_tail, longest);
  end_ = tail.end + step_;
  const double size = std::exp(plan_.log_tail);
  const double logarithm = std::log(std::max(tail.analytic / tail.end, 1.0)) + tail.beyond + 1.0;
  tail_[0] = size / tail.end * (1.0 + step_ / tail.end) / std::numbers::pi;
  tail_[1] = size * logarithm / std::numbers::pi;
  if (transform.gaussian_mu() == 0.0) {  // the atoms' product, which belongs to no threshold > 0, was not subtracted
    const double product = std::exp(atom);
    tail_[0] += product * (1.0 + step_ / std::max(std::abs(plan_.c), 1e-300)) / std::max(std::abs(plan_.c), 1e-300);
    tail_[1] += product * (2.0 + std::log1p(end_ / std::abs(plan_.c)));
  }
}

template <class Real>
void Contour<Real>::fill(const Transform& transform, const Deadline& deadline) {
  using std::abs;
  using std::atan2;
  using std::cos;
  using std::exp;
  using std::expm1;
  using std::log1p;
  using std::sin;
  const auto count = static_cast<std::size_t>(std::ceil(end_ / step_));
  if (count > 2 * plan_.most_nodes) {
    throw ConvergenceError("the integrand decays too slowly for the contour");
  }
  const double u = unit_of<Real>();
  const double c = plan_.c;
  const double g2 = transform.gaussian_mu() * transform.gaussian_mu();
  const Real step(step_);
  const Real real_g2 = Real(transform.gaussian_mu()) * Real(transform.gaussian_mu());
  frequency_.resize(count);
  real_.assign(count, Real(0));
  imaginary_.assign(count, Real(0));
  std::vector<Real> single_re;  // the single jumps relative to the atoms, where they are subtracted
  std::vector<Real> single_im;
  if (expanded_) {
    single_re.assign(count, Real(0));
    single_im.assign(count, Real(0));
  }
  std::vector<double> error(count, 0.0);
  std::vector<double> highest(count, 0.0);  // log of the largest size that the errors allow
  log_moment_ = real_g2 * Real(c) * (Real(c) + Real(1)) / Real(2);
  log_moment_error_ = u * static_cast<double>(log_moment_);
  for (std::size_t k = 0; k < count; ++k) {
    frequency_[k] = step_ * static_cast<double>(k);
    const Real w = step * Real(static_cast<double>(k));
    real_[k] = -real_g2 * w * w / Real(2);
    imaginary_[k] = real_g2 * w * (Real(c) + Real(0.5));
    error[k] = u * g2 * frequency_[k] * (frequency_[k] + c + 1.0);
    highest[k] = -0.5 * g2 * frequency_[k] * frequency_[k];
  }
  for (const Part& part : transform.parts()) {
    const Real times(part.count);
    const double target = std::max(500.0 * u, std::exp(plan_.log_tail) * 1e3) / std::max(part.count, 1.0);
    std::size_t begin = 0;
    Real part_moment(0);
    for (int level = 3; level >= 0 && begin < count; --level) {
      const std::size_t end = level == 0 ? count : std::max<std::size_t>(count >> static_cast<unsigned>(level), 16U);
      if (end <= begin || end > count) {
        continue;
      }
      const auto grid = moment_grid<Real>(part.law,
                                          {.c = c,
                                           .frequency = step_ * static_cast<double>(end),
                                           .target = target,
                                           .points = points_of<Real>,
                                           .lowest = step_ * static_cast<double>(begin)},
                                          &deadline, begin == 0 ? nullptr : &part_moment);
      if (begin == 0) {
        part_moment = grid.log_moment;
        log_moment_ += times * grid.log_moment;
        log_moment_error_ += part.count * grid.error_at_zero;
      }
      const Real share_of_atom = exp(Real(part.law.log_atom()) - grid.log_moment);
      Phases<Real> phases(grid.loss, step);
      for (std::size_t k = begin; k < end; ++k) {
        if ((k - begin) % resynchronise<Real> == 0) {
          phases.start(step * Real(static_cast<double>(k)));
        }
        if ((k - begin) % 16 == 0) {
          deadline.check();
        }
        Real re;
        Real im;
        phases.sum_and_advance(grid.sum, grid.difference, re, im);
        const Real square = (Real(2) + re) * re + im * im;
        const double modulus = std::sqrt(std::max(1.0 + static_cast<double>(square), 1e-300));
        real_[k] += times * log1p(square) / Real(2);
        const Real angle = atan2(im, Real(1) + re);
        imaginary_[k] += times * angle;
        highest[k] += part.count * std::log(modulus + grid.error(frequency_[k]) + 1e-300);
        error[k] += part.count * (grid.error(frequency_[k]) / modulus +
                                  u * (std::abs(static_cast<double>(angle)) + std::abs(static_cast<double>(square))));
        if (expanded_) {
          const Real factor = times / share_of_atom;
          single_re[k] += factor * (Real(1) + re - share_of_atom);
          single_im[k] += factor * im;
        }
      }
      begin = end;
    }
  }
  const Real atoms = expanded_ ? Real(exp(Real(transform.log_atom()) - log_moment_)) : Real(0);
  double constant[3] = {};
  double slope[3] = {};
  for (std::size_t k = 0; k < count; ++k) {
    const double w = frequency_[k];
    const double log_size = static_cast<double>(real_[k]);
    const double turn = std::abs(static_cast<double>(imaginary_[k]));
    const Real size = exp(real_[k]);
    Real re = size * cos(imaginary_[k]);
    Real im = size * sin(imaginary_[k]);
    double roundoff = static_cast<double>(size) * (error[k] + u * (8.0 + std::abs(log_size) + turn));
    if (!(error[k] < 0.1)) {  // next to nothing is known but that it is small
      re = Real(0);
      im = Real(0);
      roundoff = 1.01 * std::exp(highest[k]);
    }
    if (expanded_) {
      const double single = static_cast<double>(atoms) * (1.0 + std::abs(static_cast<double>(single_re[k])) +
                                                          std::abs(static_cast<double>(single_im[k])));
      re -= atoms * (Real(1) + single_re[k]);
      im -= atoms * single_im[k];
      // log_atom is a double: its error, and that of the single jumps, is that of doubles.
      roundoff += single * (error[k] + 2e-15 * (1.0 + std::abs(transform.log_atom())));
    }
    if (k == 0) {
      re /= Real(2);
      im /= Real(2);
      roundoff /= 2.0;
    }
    real_[k] = re;
    imaginary_[k] = im;
    const double phase = 2.0 * u * w * static_cast<double>(abs(re) + abs(im));
    const double to_zero = 1.0 / std::hypot(c, w);
    const double to_one = 1.0 / std::hypot(c + 1.0, w);
    const double kernels[3] = {to_zero * to_one, to_zero, to_one};
    for (std::size_t q = 0; q < 3; ++q) {
      constant[q] += roundoff * kernels[q];
      slope[q] += phase * kernels[q];
    }
  }
  for (std::size_t q = 0; q < 3; ++q) {
    rounding_[q] = {constant[q] * step_ / std::numbers::pi, slope[q] * step_ / std::numbers::pi};
  }
}

template <class Real>
double Contour<Real>::log_aliasing(double epsilon, double lowest) const {
  const double c = plan_.c;
  const double here = log_moment() - c * epsilon;
  const auto smallest = [&](const std::vector<std::array<double, 2>>& candidates) {
    double best = std::numeric_limits<double>::infinity();
    for (const auto& [other, k] : candidates) {
      if (other < lowest) {
        continue;
      }
      const double ratio = -std::abs(other - c) * plan_.period;
      best = std::min(best, k - other * epsilon - here + ratio - std::log(-std::expm1(ratio)));
    }
    return best;
  };
  const double a = smallest(left_);
  const double b = smallest(right_);
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

template <class Real>
bool Contour<Real>::rounding_rules(double epsilon) const {
  const Scaled delta = at(epsilon).first;
  return rounding_[0][0] + std::abs(epsilon) * rounding_[0][1] > 0.5 * delta.error &&
         delta.error > 1e-9 * std::abs(delta.value);
}

template <class Real>
ContourValues Contour<Real>::at(double epsilon) const {
  using std::cos;
  using std::exp;
  using std::log;
  using std::sin;
  const Real c(plan_.c);
  const Real threshold(epsilon);
  const Real step(step_);
  Real total[4] = {Real(0), Real(0), Real(0), Real(0)};
  for (std::size_t k = 0; k < real_.size(); ++k) {
    const Real w = step * Real(static_cast<double>(k));
    const Real angle = w * threshold;
    const Real cosine = cos(angle);
    const Real sine = sin(angle);
    const Real re = real_[k] * cosine + imaginary_[k] * sine;
    const Real im = imaginary_[k] * cosine - real_[k] * sine;
    const Real zero = Real(1) / (c * c + w * w);
    const Real one = Real(1) / ((c + Real(1)) * (c + Real(1)) + w * w);
    // Re of (re + i im) / z, / (z + 1), and their difference 1 / (z (z + 1)).
    const Real over_z = (re * c + im * w) * zero;
    const Real over_next = (re * (c + Real(1)) + im * w) * one;
    const Real product_re = c * (c + Real(1)) - w * w;  // z (z + 1)
    const Real product_im = w * (Real(2) * c + Real(1));
    total[0] += (re * product_re + im * product_im) * zero * one;
    total[1] += over_z;
    total[2] += over_next;
    total[3] += re;
  }
  const double scale = step_ / std::numbers::pi;
  const double sign = plan_.c > 0.0 ? 1.0 : -1.0;
  ContourValues values;
  const Real log_scale = log_moment_ - c * threshold;
  values.log_scale = static_cast<double>(log_scale);
  values.log_error = log_moment_error_ + unit_of<double>() * 2.0 *
                                             (std::abs(static_cast<double>(log_moment_)) + std::abs(plan_.c * epsilon));
  const double floor = plan_.c > 0.0 ? 0.0 : -1.0;
  const double aliasing = std::exp(log_aliasing(epsilon, floor));
  const double aliasing_third = std::exp(log_aliasing(epsilon, -1.0));
  const auto result = [&](std::size_t q, double factor, double alias) {
    Scaled scaled;
    scaled.value = factor * static_cast<double>(total[q]) * scale;
    scaled.error = rounding_[q][0] + std::abs(epsilon) * rounding_[q][1] + tail_[q == 0 ? 0 : 1] + alias +
                   4.0 * unit_of<double>() * std::abs(scaled.value);
    return scaled;
  };
  values.first = result(0, sign, aliasing);
  values.second = result(1, sign, aliasing);
  values.third = result(2, 1.0, aliasing_third);
  values.density = static_cast<double>(total[3]) * scale;
  return values;
}

}  // namespace dpcurves::accounting::detail
