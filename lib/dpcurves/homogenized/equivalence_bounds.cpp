// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/equivalence_bounds.hpp>
#include <dpcurves/numerics/sums.hpp>

namespace dpcurves::homogenized {

EquivalenceBounds equivalence_bounds(const EquivalenceSetting& s) {
  const auto check = [](bool holds, const char* name, double value, const char* domain) {
    require_domain(holds && std::isfinite(value), name, value, domain);
  };
  check(s.quadratic_norm >= 0.0, "quadratic_norm", s.quadratic_norm, "[0, inf)");
  check(s.growth > 0.0, "growth", s.growth, "(0, inf)");
  check(s.exponent >= 0.0, "exponent", s.exponent, "[0, inf)");
  check(s.noise >= 0.0, "noise", s.noise, "[0, inf)");
  check(s.iterations >= 0.0, "iterations", s.iterations, "[0, inf)");
  check(s.dimension >= 2.0, "dimension", s.dimension, "[2, inf)");
  const double log_d = std::log(s.dimension);
  const double c = s.exponent;
  const double log_sampling = (9.0 * c - 0.5) * log_d;
  const double log_linear = std::log(s.noise) + (2.0 * c - 0.5) * log_d;  // -inf without noise
  const double log_quadratic = 2.0 * std::log(s.noise) - 0.5 * log_d;
  const auto log_of_sum = [&](double twice) {
    return numerics::log_add_exp(log_sampling, numerics::log_add_exp(log_linear + twice, log_quadratic));
  };
  const double common = std::log(s.quadratic_norm) + s.growth * s.iterations / (8.0 * s.dimension);
  EquivalenceBounds bounds{.log_theorem_3_1 = common + log_of_sum(std::log(2.0)),
                           .log_corollary_4_1 = std::log(2.0) + common + log_of_sum(0.0)};
  bounds.theorem_3_1 = std::exp(bounds.log_theorem_3_1);
  bounds.corollary_4_1 = std::exp(bounds.log_corollary_4_1);
  bounds.theorem_4_1 = std::exp((2.0 * c - 0.5) * log_d);
  const double most = s.dimension * log_d / s.growth;
  bounds.iterations_admissible = {s.iterations <= most,
                                  {"n <= d ln d/c_0", shortest(s.iterations) + " > " + rounded(most, 4),
                                   "at most " + rounded(most * (1.0 - 5e-4), 4) + " iterations"}};
  return bounds;
}

double population_risk_norm(const models::LeastSquares& problem) {
  models::require_valid(problem);
  const Eigen::ArrayXd& lambda = problem.spectrum.eigenvalues();
  const Eigen::ArrayXd norm2 = models::block_products(problem).norm2_xtilde;
  return problem.spectrum.largest() + std::sqrt((lambda.square() * norm2).sum()) + 0.5 * (lambda * norm2).sum() +
         0.5 * problem.label_noise;
}

}  // namespace dpcurves::homogenized
