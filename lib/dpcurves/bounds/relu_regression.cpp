// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/bounds/detail/checks.hpp>
#include <dpcurves/bounds/glm_privacy.hpp>
#include <dpcurves/bounds/relu_regression.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/models/population_risk.hpp>

namespace dpcurves::bounds {

using namespace checks;

namespace {

constexpr double mu_up = 2.0;      // Lemma 12: E(relu(<w,x>) - relu(<v,x>))^2 <= mu_up |gradient difference|^2
constexpr double tau = 0.5 / 3.0;  // a third of the strong convexity of the surrogate

}  // namespace

ProjectedDescentBound projected_descent_bound(const ProjectedDescentSetting& s) {
  require(s);
  ProjectedDescentBound bound;
  bound.noise_variance =
      projected_descent_variance(s.label_bound, s.parameter_norm, s.steps, s.records, s.epsilon, s.delta);
  const double w = s.parameter_norm, slope = 4.0 * w + s.label_bound;
  bound.start = w * w / (2.0 * s.step_size * s.steps);
  bound.noise = 0.5 * s.step_size * s.projected_dimension * bound.noise_variance;
  bound.gradients = 2.0 * s.step_size * slope * slope;
  bound.stability = 4.0 * slope * slope * s.step_size * (s.steps - 1.0) / s.records;
  bound.projection = w * w / s.projected_dimension;
  bound.surrogate = bound.start + bound.noise + bound.gradients + bound.stability + bound.projection;
  bound.risk = 2.0 * bound.surrogate;
  return bound;
}

double misspecified_risk_bound(double best_risk, double gradient_norm) {
  require_nonnegative(best_risk, "best_risk");
  require_nonnegative(gradient_norm, "gradient_norm");
  return 2.0 * (1.0 + 2.0 * mu_up) * best_risk + 4.0 * mu_up * gradient_norm * gradient_norm;
}

double printed_misspecified_risk_bound(double best_risk, double gradient_norm) {
  require_nonnegative(best_risk, "best_risk");
  require_nonnegative(gradient_norm, "gradient_norm");
  return 2.0 * (1.0 + 2.0 * mu_up) * best_risk + 4.0 * mu_up * gradient_norm;
}

double batched_descent_steps(double accuracy, double minimiser_norm, double step_size) {
  require_positive(accuracy, "accuracy");
  require_positive(minimiser_norm, "minimiser_norm");
  require_domain(step_size > 0.0 && step_size <= 0.0625, "step_size", step_size, "(0, 1/16]");
  return std::fmax(1.0, std::ceil(std::log(accuracy / minimiser_norm) / std::log1p(-0.5 * tau * step_size)));
}

BatchedDescentStep batched_descent_step(double step_size) {
  require_domain(step_size > 0.0 && step_size <= 0.125, "step_size", step_size, "(0, 1/8]");
  return {1.0 - tau * step_size, 2.0 * step_size * (2.0 * step_size + 1.0 / tau)};
}

double sufficient_gradient(double accuracy) {
  require_positive(accuracy, "accuracy");
  return std::sqrt(accuracy / (4.0 * mu_up));
}

BatchedDescentRate batched_descent_rate(const BatchedDescentRateSetting& s) {
  require_domain(s.dimension >= 1.0 && std::isfinite(s.dimension), "dimension", s.dimension, "[1, inf)");
  require_positive(s.minimiser_norm, "minimiser_norm");
  require_positive(s.epsilon, "epsilon");
  require_positive(s.accuracy, "accuracy");
  require_domain(s.delta > 0.0 && s.delta < 1.0, "delta", s.delta, "(0, 1)");
  require_domain(s.failure > 0.0 && s.failure < 1.0, "failure", s.failure, "(0, 1)");
  const double logs = std::sqrt(std::log(s.delta) * std::log(s.failure));
  const double privacy = std::pow(s.dimension, 1.5) * s.minimiser_norm * logs / s.epsilon;
  const double log_term = std::log(s.dimension / s.failure);
  const double statistics = s.minimiser_norm * s.minimiser_norm * s.dimension * std::pow(log_term, 4);
  const double root = std::sqrt(s.accuracy);
  return {privacy / s.accuracy, statistics / (s.accuracy * s.accuracy),
          std::fmax(privacy / root, statistics / s.accuracy)};
}

OneBatch one_batch(const OneBatchSetting& s) {
  require(s);
  const models::ParameterPair pair{s.norm, s.true_norm, s.cosine};
  const double distance = models::squared_distance(pair);
  OneBatch result{.risk = models::relu_risk(pair).risk_excess + s.label_variance,
                  .gradient_norm = 0.5 * std::sqrt(distance)};
  const double kept = 1.0 - 0.5 * s.step_size;
  const double spread = (s.dimension * result.risk - 0.25 * distance) / s.batch + s.dimension * s.noise * s.noise;
  result.squared_distance = kept * kept * distance + s.step_size * s.step_size * spread;
  return result;
}

}  // namespace dpcurves::bounds
