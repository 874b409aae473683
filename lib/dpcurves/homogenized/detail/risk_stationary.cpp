// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/detail/risk_stationary.hpp>
#include <dpcurves/homogenized/gradient_flow.hpp>

namespace dpcurves::homogenized {
namespace {

using Eigen::ArrayXd;

/// sum m lambda^2/alpha and sum m lambda/alpha; coordinates with alpha = 0 do not move and count for nothing.
struct Sums {
  double second = 0.0;
  double first = 0.0;
  double moving = 0.0;  // coordinates with alpha > 0
};

Sums sums(const models::LeastSquares& problem) {
  const ArrayXd& lambda = problem.spectrum.eigenvalues();
  const ArrayXd& count = problem.spectrum.multiplicity();
  const ArrayXd alpha = lambda + problem.regularisation;
  const ArrayXd share = (alpha > 0.0).select(lambda / alpha, 0.0);
  return {(count * lambda * share).sum(), (count * share).sum(), (alpha > 0.0).select(count, 0.0).sum()};
}

/// Plateau times (1 - K_1): the part without noise, and the part per sigma^2.
struct Sources {
  double fixed = 0.0;
  double per_noise = 0.0;
};

Sources sources(const models::LeastSquares& problem, const GradientFlow& flow, const Sums& s, double rate) {
  return {flow.population_risk(infinity), 0.25 * rate / problem.dimension * s.first};
}

void require_rate(double rate, std::source_location where = std::source_location::current()) {
  require_domain(rate > 0.0 && std::isfinite(rate), "rate", rate, "(0, inf)", where);
}

}  // namespace

StationaryRisk stationary_risk(const models::LeastSquares& problem, double rate) {
  require_rate(rate);
  const GradientFlow flow(problem);
  const Sums s = sums(problem);
  const double d = problem.dimension;
  StationaryRisk result{0.5 * rate / d * s.second, infinity, infinity};
  if (!(result.kernel_norm < 1.0)) {
    return result;
  }
  const Sources source = sources(problem, flow, s, rate);
  const double noise2 = problem.noise * problem.noise;
  result.population_risk = (source.fixed + noise2 * source.per_noise) / (1.0 - result.kernel_norm);
  result.regularised_risk = flow.population_risk(infinity) + 0.5 * problem.regularisation * flow.mean_norm2(infinity) +
                            0.5 * rate / d * problem.spectrum.trace() * result.population_risk +
                            0.25 * noise2 * rate * s.moving / d;
  return result;
}

double largest_stable_rate(const models::LeastSquares& problem) {
  models::require_valid(problem);
  const double second = sums(problem).second;
  return second > 0.0 ? 2.0 * problem.dimension / second : infinity;
}

double noise_for_plateau(const models::LeastSquares& problem, double rate, double risk) {
  require_rate(rate);
  const GradientFlow flow(problem);
  const Sums s = sums(problem);
  const double norm = 0.5 * rate / problem.dimension * s.second;
  require_domain(norm < 1.0, "kernel norm", norm, "[0, 1): the step is not stable");
  const Sources source = sources(problem, flow, s, rate);
  const double least = source.fixed / (1.0 - norm);
  require_domain(risk >= least && std::isfinite(risk), "risk", risk,
                 "[" + shortest(least) + ", inf), which starts at the plateau without noise");
  require_domain(source.per_noise > 0.0, "sum of lambda/alpha", s.first, "(0, inf)");
  return std::sqrt((risk * (1.0 - norm) - source.fixed) / source.per_noise);
}

}  // namespace dpcurves::homogenized
