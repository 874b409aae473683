// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/accounting/proof/jump_line.hpp>
#include <dpcurves/accounting/proof/paths.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

constexpr double pi = std::numbers::pi;
constexpr slong law_bits = 256;  // T log M is large

/// K, K' and K'' of the sum at a real order, in doubles.
struct Cumulants {
  double k, first, second;
};

Cumulants cumulants(const JumpLaw& law, double c) {
  const double q = law.q.middle(), s = law.stay.middle(), j = law.jump.middle(), mu = law.mu.middle(),
               g2 = law.gaussian_square.middle();
  const double off = c * (j - s) + 0.5 * c * (c + 1.0) * mu * mu, mean = j + (c + 0.5) * mu * mu;
  const double share = 1.0 / (1.0 + (1.0 - q) / q * std::exp(-off));
  const double log_m = off < 1.0 ? std::log1p(q * std::expm1(off)) : off + std::log(q + (1.0 - q) * std::exp(-off));
  return {law.count * (c * s + log_m) + 0.5 * g2 * c * (c + 1.0),
          law.count * ((1.0 - share) * s + share * mean) + g2 * (c + 0.5),
          law.count * (share * mu * mu + share * (1.0 - share) * (mean - s) * (mean - s)) + g2};
}

/// Where K(c) - c epsilon - log |c (c + 1)| is least, c > 0 or, `rest`, -1 < c < 0: a root of what rises with c.
double saddle(const JumpLaw& law, double epsilon, bool rest) {
  const auto point = [rest](double u) { return rest ? -1.0 / (1.0 + std::exp(u)) : std::exp(u); };
  double low = rest ? -30.0 : -80.0, high = rest ? 80.0 : 10.0;
  for (int i = 0; i < 80; ++i) {
    const double m = 0.5 * (low + high), c = point(m);
    (cumulants(law, c).first - 1.0 / c - 1.0 / (1.0 + c) < epsilon ? low : high) = m;
  }
  return point(low);
}

double width(const Cumulants& k, double c) {
  return 1.0 / std::sqrt(k.second + 1.0 / (c * c) + 1.0 / ((1.0 + c) * (1.0 + c)));
}

/// log M(z)
Complex log_moment(const JumpLaw& law, const Complex& z) {
  const Complex one(Real(1)), square(rigorous::scaled(law.mu * law.mu, -1));
  const Complex off = z * Complex(law.jump - law.stay) + z * (z + one) * square;
  return z * Complex(law.stay) + rigorous::log(Complex(Real(1) - law.q) + Complex(law.q) * rigorous::exp(off));
}

}  // namespace

double JumpLaw::log_estimate(double epsilon, bool rest) const {
  const double c = saddle(*this, epsilon, rest);
  const Cumulants k = cumulants(*this, c);
  return k.k - c * epsilon - std::log(std::abs(c * (c + 1.0))) + std::log(width(k, c)) - 0.5 * std::log(2.0 * pi);
}

double JumpLaw::threshold(double log_value, bool rest) const {
  const auto over = [&](double epsilon) { return (log_estimate(epsilon, rest) > log_value) != rest; };
  double low = 0.0, high = 1.0;
  while (over(high) && high < 1e300) {
    low = high;
    high *= 2.0;
  }
  constexpr double close = 1e-13;
  for (int i = 0; i < 200 && high - low > close * high; ++i) {
    const double m = 0.5 * (low + high);
    (over(m) ? low : high) = m;
  }
  return 0.5 * (low + high);
}

// M(c + i y) has two parts of moduli A and B(y), which falls, and the angle y D between them, D = j + (c + 1/2) mu^2 -
// s. Up to a right angle its modulus falls; from there to three it is at most sqrt(A^2 + B^2), and then A + B, with B
// where that begins.
JumpLine::JumpLine(const JumpLaw& law, double epsilon, double digits, bool rest) {
  const auto fail = [] { throw ConvergenceError("too few jumps are likely for a line"); };
  const double sign = rest ? -1.0 : 1.0;
  c_ = sign * round_down(std::abs(saddle(law, epsilon, rest)), 24);
  const Cumulants k = cumulants(law, c_);
  const double log_value = law.log_estimate(epsilon, rest), room = digits - log_value + 1.0;
  for (const double further : {1.05, 1.1, 1.2, 1.5, 2.0, 4.0}) {
    const double d = further * c_;
    if (!(d > -1.0)) {
      break;
    }
    const double over = cumulants(law, d).k - d * epsilon - (rest ? 0.0 : std::log1p(d)) + room;
    const double h = 2.0 * pi * std::min(std::abs(c_) / room, std::abs(d - c_) / std::max(1.0, over));
    if (h > h_) {
      h_ = round_down(h, 24);
      beyond_ = sign * round_down(std::abs(d), 24);
    }
  }
  const Precision precision(law_bits);
  top_ = Real(epsilon);
  const auto log_integrand = [&](const Complex& z) {
    const Complex square(rigorous::scaled(law.gaussian_square, -1));
    return Complex(Real(law.count)) * log_moment(law, z) + z * (z + Complex(Real(1))) * square - z * Complex(top_);
  };
  const Real c(c_), h(h_), d(beyond_);
  const Real turn = law.jump + (c + rigorous::scaled(Real(1), -1)) * law.mu * law.mu - law.stay;
  const Real right_angle = rigorous::scaled(rigorous::pi(), -1) / turn;
  const double wanted = log_value - digits - 1.0;
  constexpr double farther = 1.2;
  double last = 4.0 * width(k, c_);
  const auto tail_at = [&](double y) {
    return log_integrand(Complex(c, Real(y))).re() - rigorous::log(rigorous::pi() * Real(y));
  };
  while (last < right_angle.middle() && !(tail_at(last).upper() < wanted)) {
    last *= farther;
  }
  constexpr double most_nodes = 1e4;
  if (!(h_ > 0.0) || !(last / h_ < most_nodes)) {
    fail();
  }
  n_ = static_cast<long>(std::ceil(last / h_));
  const Complex end(c, h * Real(n_));
  if (!turn.positive() || !(end.im() < right_angle)) {
    fail();
  }
  const Real half = rigorous::scaled(law.mu * law.mu, -1);
  const Real still = (Real(1) - law.q) * rigorous::exp(c * law.stay);
  const auto moved = [&](const Real& y) {
    return law.q * rigorous::exp(c * law.jump + half * (c * (c + Real(1)) - y * y));
  };
  const Real beside = moved(right_angle), beyond = moved(Real(3) * right_angle);
  const Real log_parts = rigorous::max(rigorous::scaled(rigorous::log(still * still + beside * beside), -1),
                                       rigorous::log(still + beyond));
  const Real smooth = rigorous::scaled(law.gaussian_square * (c * (c + Real(1)) - end.im() * end.im()), -1) - c * top_;
  const Real far = Real(law.count) * log_parts + smooth;
  const Real near = log_integrand(end).re();
  tail_ = rigorous::upper_end(rigorous::exp(rigorous::max(near, far)) / (rigorous::pi() * end.im()));
  const Real spacing = rigorous::scaled(rigorous::pi(), 1) / h;
  aliased_ = rigorous::upper_end(rigorous::exp(log_integrand(Complex(d)).re()) /
                                 ((rest ? Real(1) : d + Real(1)) * rigorous::expm1(spacing * rigorous::abs(d - c))));
  if (!tail_.finite() || !aliased_.finite()) {
    fail();
  }
  std::vector<Complex> values;
  for (long node = 0; node <= n_; ++node) {
    const Complex f = rigorous::exp(log_integrand(at_node(node)));
    values.push_back(rest ? -f : f);
  }
  set_values(values);
}

}  // namespace dpcurves::accounting::proof
