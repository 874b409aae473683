// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numbers>

#include <dpcurves/bounds/detail/checks.hpp>
#include <dpcurves/bounds/kan_concentration.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::bounds {

using namespace checks;

double without_replacement_variance(double n, double batch, double mean_squared_deviation) {
  require_domain(n >= 2.0 && std::isfinite(n), "n", n, "[2, inf)");
  require_domain(batch >= 1.0 && batch <= n, "batch", batch, "[1, n]");
  require_nonnegative(mean_squared_deviation, "mean_squared_deviation");
  return (n - batch) / (batch * (n - 1.0)) * mean_squared_deviation;
}

SegmentFactor segment_factor(double curvature, double length) {
  require_domain(curvature > 0.0 && std::isfinite(curvature), "curvature", curvature, "(0, inf)");
  require_nonnegative(length, "length");
  const double share = 0.5 * length * length * curvature;
  return share < 1.0 ? SegmentFactor{true, 1.0 / (1.0 - share)} : SegmentFactor{false, infinity};
}

SecondLayerNorms second_layer_norms(double splines, double units, double delta) {
  require_at_least_one(splines, "splines");
  require_at_least_one(units, "units");
  const double log_two = std::log(2.0) + log_inverse(delta);
  return {4.0 * std::sqrt(splines * units) + 2.0 * std::sqrt(log_two),
          4.0 * std::sqrt(splines) + 2.0 * std::sqrt(log_two + std::log(units))};
}

double chi_squared_bound(double degrees, double x) {
  require_nonnegative(degrees, "degrees");
  require_nonnegative(x, "x");
  return degrees + 2.0 * std::sqrt(degrees * x) + 2.0 * x;
}

NoiseBounds noise_bounds(double parameters, double iterates, double delta) {
  require_at_least_one(parameters, "parameters");
  require_at_least_one(iterates, "iterates");
  const double log_two = std::log(2.0) + log_inverse(delta);
  return {std::sqrt(parameters) + std::sqrt(2.0 * (log_two + std::log(iterates))),
          chi_squared_bound((iterates - 1.0) * parameters, log_two)};
}

double batch_energy(double iterates, double gradient, double batch, double delta) {
  require_at_least_one(iterates, "iterates");
  require_nonnegative(gradient, "gradient");
  require_at_least_one(batch, "batch");
  return gradient * gradient * (2.0 * iterates / batch + 8.0 * log_inverse(delta));
}

CrossTerms cross_terms(const NoisyRun& run, double gradient, double radius, double noise_energy, double delta,
                       Constant constant) {
  require(run);
  require_nonnegative(gradient, "gradient");
  require_nonnegative(radius, "radius");
  require_nonnegative(noise_energy, "noise_energy");
  const double log_two = std::log(2.0) + log_inverse(delta);
  const double proved = 2.0 * std::numbers::sqrt2;
  const double first = constant == Constant::stated ? 4.0 * std::numbers::sqrt2 : proved;
  const double others = constant == Constant::stated ? 4.0 : proved;
  const double kept = (1.0 - run.correlation) * run.private_noise;
  return {first * run.step_size * gradient * radius * std::sqrt(run.iterates * log_two / run.batch),
          others * kept * run.step_size * radius * std::sqrt(run.iterates * log_two),
          others * kept * run.step_size * run.step_size * gradient * std::sqrt(noise_energy * log_two / run.batch)};
}

CrossTerms potential_terms(const NoisyRun& run, double gradient, double radius, double noise_energy, double delta) {
  return cross_terms(run, gradient, radius, noise_energy, delta / 3.0);
}

OutputBounds output_bounds(double spline, double splines, double records, double delta, double gradient,
                           double radius) {
  require_nonnegative(spline, "spline");
  require_at_least_one(splines, "splines");
  require_at_least_one(records, "records");
  require_nonnegative(gradient, "gradient");
  require_nonnegative(radius, "radius");
  const double output =
      spline * std::sqrt(2.0 * splines * (std::log(4.0 * records) + log_inverse(delta))) + gradient * radius;
  return {output, output + std::log1p(std::exp(-output))};
}

double freedman_bound(double variation, double step, double delta) {
  require_nonnegative(variation, "variation");
  require_nonnegative(step, "step");
  const double log_one = log_inverse(delta);
  return std::sqrt(2.0 * variation * log_one) + 2.0 / 3.0 * step * log_one;
}

double batch_loss_excess(double loss_bound, double iterates, double batch, double delta) {
  require_nonnegative(loss_bound, "loss_bound");
  require_at_least_one(batch, "batch");
  return loss_bound * freedman_bound(iterates / batch, 1.0, delta);
}

}  // namespace dpcurves::bounds
