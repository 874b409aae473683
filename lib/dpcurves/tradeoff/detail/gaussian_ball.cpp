// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/rigorous/refine.hpp>
#include <dpcurves/tradeoff/detail/gaussian_ball.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::tradeoff::detail {
namespace {

using rigorous::Falling;
using rigorous::Precision;
using rigorous::Real;

constexpr int far = 39;  // 2 Phi(-39) < 2^-1090, where the smallest positive double is 2^-1074
constexpr int far_bits = 1090;
constexpr double tiny_mu = 0x1p-40;  // below it the two terms of the profile are expanded around their middle
// Above it eight terms of the asymptotic series are within 2^-170, and erfc of a ball is wide: Arb bounds its slope
// with 30 bits of x^2.
constexpr double huge_argument = 0x1p12;

Real density(const Real& x) { return exp(-scaled(x * x, -1)) / sqrt(scaled(rigorous::pi(), 1)); }

Real almost_nothing() { return hull(Real(), scaled(Real(1), -far_bits)); }

// exp(epsilon) Phi(-v) = phi(u) R(v), with u = epsilon/mu - mu/2 and v = u + mu >= 0.
Real second_term(const Real& u, const Real& v, const Real& mu) {
  return v < Real(huge_argument) ? exp(mu * scaled(u + v, -1)) * normal_tail(v) : density(u) * mills_ball(v);
}

// delta(epsilon) of G(mu); `second` is second_term(u, v, mu) where mu is not tiny.
Real profile(const Real& u, const Real& v, const Real& mu, const Real& second) {
  if (u > Real(far)) {
    return almost_nothing();
  }
  if (u < Real(-far)) {  // 1 - delta = Phi(u) + phi(u) R(v) <= 2 Phi(u), because v >= -u
    return hull(Real(1), Real(1) - scaled(Real(1), -far_bits));
  }
  if (mu < Real(tiny_mu)) {
    // R(u) - R(v) = -2 (h R'(m) + h^3/6 R_3(x)), x between u and v; R_3, the third derivative, is in (-3, 0) above
    // -2^-20, because R is completely monotone and R_3(x) = (x^3 + 3x) R(x) - x^2 - 2.
    const Real h = scaled(mu, -1), middle = scaled(u + v, -1);
    const Real slope = Real(1) - middle * mills_ball(middle);  // -R'(m)
    return density(u) * mu * (slope + h * h / Real(6) * Real(0.0, 3.0));
  }
  return normal_tail(u) - second;
}

// F(u) = delta at fixed mu. The derivative of log |F'| = log(mu phi(u) R(v)) is -u + v - 1/R(v) - ..., within |u| + 1.
class InEpsilon {
 public:
  InEpsilon(double delta, double mu) : target_(delta), mu_(mu) {}
  Falling operator()(const Real& u) const {
    const Real v = u + mu_, second = second_term(u, v, mu_);
    const Real value = profile(u, v, mu_, second);
    return {value, value - target_, -mu_ * second};
  }
  [[nodiscard]] Real bend(const Real& u, const Real& r) const {
    return r < u + mu_ ? abs(u) + r + Real(1) : Real() / Real();
  }
  [[nodiscard]] Real epsilon(const Real& u) const { return mu_ * (u + scaled(mu_, -1)); }

 private:
  Real target_, mu_;
};

// F(u) = delta at fixed epsilon > 0, where v^2 = u^2 + 2 epsilon, mu = v - u and F' = -phi(u) mu / v. The derivative
// of log |F'| is -u - 1/v - u/v^2, and |dv/du| <= 1, |u| <= v.
class InMu {
 public:
  InMu(double epsilon, double delta) : epsilon_(epsilon), target_(delta) {}
  Falling operator()(const Real& u) const {
    const Real v = second_argument(u), mu = mu_at(u, v);
    const Real value = profile(u, v, mu, second_term(u, v, mu));
    return {value, value - target_, -density(u) * mu / v};
  }
  [[nodiscard]] Real bend(const Real& u, const Real& r) const {
    const Real v = second_argument(u) - r;
    return v.positive() ? abs(u) + r + Real(2) / v : Real() / Real();
  }
  [[nodiscard]] Real mu(const Real& u) const { return mu_at(u, second_argument(u)); }

 private:
  [[nodiscard]] Real second_argument(const Real& u) const { return sqrt(u * u + scaled(epsilon_, 1)); }
  [[nodiscard]] Real mu_at(const Real& u, const Real& v) const {
    return u.positive() ? scaled(epsilon_, 1) / (v + u) : v - u;
  }
  Real epsilon_, target_;
};

// The x > 0 with P(|Z| <= x) = mass, from the logarithm-free form that keeps small masses.
Real central_quantile_ball(const Real& mass) {
  const auto at = [&](const Real& x) {
    return Falling{Real(), scaled(mass - erf(x / sqrt(Real(2))), -1), -density(x)};
  };
  const auto bend = [](const Real& x, const Real& r) { return abs(x) + r; };
  const double start = numerics::normal_central_quantile(std::min(mass.middle(), 1.0 - 0x1p-53));
  const auto enough = [](const Real& x) { return rigorous::relative_bits(x) >= Precision::bits() - 16; };
  return falling_root(at, bend, enough, Real(start), Real(), Real(far));
}

// The x > 0 with P(Z > x) = exp(-level) for level >= 2^24: x^2 = 2 (level + log R(x) - log sqrt(2 pi)), whose right
// side hardly moves with x; x in a ball on the right puts it into the ball on the left.
Real far_quantile_ball(const Real& level) {
  Real x = hull(sqrt(level * Real(1.75)), sqrt(scaled(level, 1)));
  for (int i = 0; i < 40 && rigorous::relative_bits(x) < Precision::bits() - 16; ++i) {
    const Real next = sqrt(scaled(level + log(mills_ball(x)), 1) - log(scaled(rigorous::pi(), 1)));
    x = intersection(next, x);
  }
  return x;
}

}  // namespace

Real mills_ball(const Real& x) {
  if (x > Real(huge_argument)) {
    // 1/x (1 - 1/x^2 + 3/x^4 - ...): neighbouring partial sums lie on either side.
    const Real inverse = Real(1) / (x * x);
    Real term(1), sum(1);
    for (int k = 1; k <= 8; ++k) {
      term = -term * inverse * Real(2 * k - 1);
      sum += k < 8 ? term : Real(0);
    }
    return hull(sum, sum + term) / x;
  }
  return normal_tail(x) / density(x);
}

Real tradeoff_ball(const Real& upper_quantile, const Real& mu) {
  const Real x = mu - upper_quantile;
  return x > Real(far) ? almost_nothing() : normal_tail(x);
}

Real delta_ball(const Real& epsilon, const Real& mu) {
  if (epsilon.negative()) {
    return -expm1(epsilon) + exp(epsilon) * delta_ball(-epsilon, mu);
  }
  const Real middle = epsilon / mu, h = scaled(mu, -1);
  const Real u = middle - h, v = middle + h;
  if (u > Real(far)) {
    return almost_nothing();
  }
  return profile(u, v, mu, mu < Real(tiny_mu) || u < Real(-far) ? Real() : second_term(u, v, mu));
}

slong delta_bits(double epsilon, double mu) {
  // The two terms cancel mu (1 + v) of their size; u and v carry the rounding of epsilon/mu, times themselves.
  const double v = std::min(std::abs(epsilon) / mu + mu, 1e300);
  const double lost = std::max(0.0, -std::log2(std::max(mu, tiny_mu))) + 2.0 * std::log2(1.0 + std::min(v, 1e6)) +
                      2.0 * std::max(0.0, std::log2(v / 1e6));
  return 76 + static_cast<slong>(lost);
}

Real epsilon_ball(double delta, double mu) {
  // Where mu is large, u hardly differs from the quantile of delta, but epsilon in doubles does not know it.
  constexpr double largest = 1e3;
  const double guess = mu < largest ? epsilon_of_delta(delta, mu) : 0.5 * mu * mu;
  const InEpsilon problem(delta, mu);
  const auto narrow_epsilon = [&](const Real& u) { return rigorous::narrow(problem.epsilon(u)); };
  const auto bend = [&](const Real& u, const Real& r) { return problem.bend(u, r); };
  const auto attempt = [&]() -> Real {
    const Real lowest = -scaled(Real(mu), -1);
    const Falling at_zero = guess > 0.0 ? Falling{} : problem(lowest);
    if (at_zero.excess.negative()) {
      return {};  // delta is more than the total variation distance
    }
    const Real start = mu < largest ? Real(guess) / Real(mu) + lowest : Real(numerics::normal_upper_quantile(delta));
    // A little room below epsilon = 0, where the formulas hold as well; 1 - delta >= Phi(u) keeps u above -39.
    const Real u = falling_root(problem, bend, narrow_epsilon, start, max(lowest * Real(1.5), Real(-far)), Real(far));
    return at_least(problem.epsilon(u), Real());
  };
  const double part = guess > 0.0 ? std::max(0.0, 2.0 * std::log2(mu) - std::log2(guess)) : 0.0;
  return rigorous::refined(attempt, delta_bits(guess, mu) + static_cast<slong>(part));
}

Real mu_ball(double epsilon, double delta) {
  if (epsilon == 0.0) {  // the total variation distance P(|Z| <= mu/2)
    return rigorous::refined([&] { return scaled(central_quantile_ball(Real(delta)), 1); });
  }
  const InMu problem(epsilon, delta);
  const auto narrow_mu = [&](const Real& u) { return rigorous::narrow(problem.mu(u)); };
  const auto bend = [&](const Real& u, const Real& r) { return problem.bend(u, r); };
  // Where epsilon is huge, u hardly differs from the quantile of delta, but mu in doubles does not know it.
  constexpr double largest = 1e4;
  const double guess = epsilon < largest ? mu_of_epsilon_delta(epsilon, delta) : std::sqrt(2.0 * epsilon);
  const auto attempt = [&] {
    const Real u = epsilon < largest ? Real(epsilon) / Real(guess) - scaled(Real(guess), -1)
                                     : Real(numerics::normal_upper_quantile(delta));
    return problem.mu(falling_root(problem, bend, narrow_mu, u, Real(-far), Real(far)));
  };
  return rigorous::refined(attempt, delta_bits(epsilon, guess));
}

Real upper_quantile_ball(double tail) {
  const auto at = [&](const Real& x) {
    const Real value = normal_tail(x);
    return Falling{value, value - Real(tail), -density(x)};
  };
  const auto bend = [](const Real& x, const Real& r) { return abs(x) + r; };
  const auto enough = [](const Real& x) { return x.radius() < std::exp2(16 - double(Precision::bits())); };
  return falling_root(at, bend, enough, Real(numerics::normal_upper_quantile(tail)), Real(-far), Real(far));
}

Real pure_dp_ball(const Real& epsilon) {
  if (epsilon < Real(1)) {
    return scaled(central_quantile_ball(-expm1(-epsilon) / (Real(1) + exp(-epsilon))), 1);
  }
  const Real level = epsilon + log1p(exp(-epsilon));  // P(Z > mu/2) = exp(-level)
  if (level > Real(0x1p24)) {
    return scaled(far_quantile_ball(level), 1);
  }
  const Real target = exp(-level);
  const auto at = [&](const Real& x) {
    const Real value = normal_tail(x);
    return Falling{value, value - target, -density(x)};
  };
  const auto bend = [](const Real& x, const Real& r) { return abs(x) + r; };
  const auto enough = [](const Real& x) { return rigorous::relative_bits(x) >= rigorous::double_bits; };
  const double start = numerics::normal_upper_quantile_from_log(-level.middle());
  return scaled(falling_root(at, bend, enough, Real(start), Real(), Real(0x1p13)), 1);
}

}  // namespace dpcurves::tradeoff::detail
