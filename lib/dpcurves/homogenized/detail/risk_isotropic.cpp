// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/detail/risk_isotropic.hpp>

namespace dpcurves::homogenized {
namespace {

/// P = A0 + A1 exp(-kappa t/2) + A2 exp(-kappa t) along gradient flow, and what the noise adds.
struct Parts {
  double kappa = 0.0;
  double omega = 0.0;
  double a0 = 0.0, a1 = 0.0, a2 = 0.0;
  double c0 = 0.0;
};

Parts parts(const IsotropicRisk& s, std::source_location where = std::source_location::current()) {
  const auto positive = [&](double value, const char* name) {
    require_domain(value > 0.0 && std::isfinite(value), name, value, "(0, inf)", where);
  };
  const auto nonnegative = [&](double value, const char* name) {
    require_domain(value >= 0.0 && std::isfinite(value), name, value, "[0, inf)", where);
  };
  positive(s.eigenvalue, "eigenvalue");
  positive(s.rate, "rate");
  nonnegative(s.regularisation, "regularisation");
  nonnegative(s.noise, "noise");
  nonnegative(s.label_noise, "label_noise");
  nonnegative(s.norm2_x0, "norm2_x0");
  nonnegative(s.norm2_xtilde, "norm2_xtilde");
  constexpr double rounding = 1e-6;  // of numbers typed with seven digits
  require_domain(std::abs(s.dot_x0_xtilde) <= std::sqrt(s.norm2_x0) * std::sqrt(s.norm2_xtilde) * (1.0 + rounding),
                 "dot_x0_xtilde", s.dot_x0_xtilde, "[-|x0| |xtilde|, |x0| |xtilde|]", where);
  const double lambda = s.eigenvalue;
  const double delta = s.regularisation;
  const double alpha = lambda + delta;
  const double share = lambda / alpha;
  const double rest = delta / alpha;
  Parts p;
  p.kappa = 2.0 * s.rate * alpha;
  // gamma (lambda (2 - gamma lambda) + 2 delta), with what gamma lambda rounds by: near the critical step all cancels
  const double product = s.rate * lambda;
  const double lost = std::fma(s.rate, lambda, -product);
  p.omega = s.rate * (std::fma(lambda, 2.0 - product, 2.0 * delta) - lambda * lost);
  p.a2 = 0.5 * lambda * std::fmax(0.0, s.norm2_x0 - 2.0 * share * s.dot_x0_xtilde + share * share * s.norm2_xtilde);
  p.a1 = -lambda * rest * (s.dot_x0_xtilde - share * s.norm2_xtilde);
  p.a0 = 0.5 * lambda * rest * rest * s.norm2_xtilde + 0.5 * s.label_noise;
  p.c0 = p.kappa * p.a0 + 0.5 * s.noise * s.noise * s.rate * s.rate * lambda;
  return p;
}

/// (1 - exp(-x t))/x, t at x = 0.
double grown(double x, double t) { return x * t == 0.0 ? t : -std::expm1(-x * t) / x; }

}  // namespace

double decay_rate(const IsotropicRisk& setting) { return parts(setting).omega; }

double population_risk(const IsotropicRisk& setting, double t) {
  require_domain(t >= 0.0 && std::isfinite(t), "t", t, "[0, inf)");
  const Parts p = parts(setting);
  const double half = 0.5 * p.kappa;
  if (p.a0 + p.a1 + p.a2 == 0.0 && p.c0 == 0.0) {
    return 0.0;  // nothing to lose and no noise: 0 at the fixed point, whatever the step
  }
  // f_1 = exp(-kappa t/2) (1 - exp(-(omega - kappa/2) t))/(omega - kappa/2), by the smaller of the two exponents.
  const double f1 = p.omega >= half ? std::exp(-half * t) * grown(p.omega - half, t)
                                    : std::exp(-p.omega * t) * grown(half - p.omega, t);
  const double start = p.a0 + p.a1 + p.a2;
  const double risk = start * std::exp(-p.omega * t) + p.c0 * grown(p.omega, t) + half * p.a1 * f1;
  return std::isnan(risk) ? std::numeric_limits<double>::infinity() : risk;
}

double limiting_risk(const IsotropicRisk& setting) {
  const Parts p = parts(setting);
  return p.omega > 0.0 ? p.c0 / p.omega : std::numeric_limits<double>::infinity();
}

}  // namespace dpcurves::homogenized
