// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <dpcurves/bounds/detail/checks.hpp>
#include <dpcurves/bounds/long_tail_training.hpp>
#include <dpcurves/numerics/sums.hpp>

namespace dpcurves::bounds {

using namespace checks;

namespace {

/// log(complement + t exp(x)) for t + complement = 1, each as exact as its owner knows it.
double log_of_mixture(double t, double complement, double x) {
  if (t == 0.0) {
    return 0.0;
  }
  if (complement == 0.0) {
    return x;
  }
  if (x >= 700.0) {
    return x + std::log(t) + std::log1p(std::exp(std::log1p(-t) - std::log(t) - x));
  }
  const double change = t * std::expm1(x);
  // Below -1/2 the argument is small: log1p would lose what the complement of t has near t = 1.
  return change < -0.5 ? std::log(complement + t * std::exp(x)) : std::log1p(change);
}

}  // namespace

TrainingLossBound training_loss_bound(const TrainingLoss& setting) {
  const auto& s = setting;
  require(s);
  TrainingLossBound bound;
  // What both parts share: Lambda n_k |u|^2/(n sqrt m), the pull of the signal per unit of step size.
  const double pull =
      s.clipping_factor * (s.class_records / s.records) * s.signal_norm * s.signal_norm / std::sqrt(s.filters);
  bound.rate = s.step_size * pull;
  bound.vanishing = std::exp(-s.rate_constant * bound.rate * s.steps) * s.initial_loss;
  if (s.private_noise > 0.0) {
    const double push = s.floor_constant * s.private_noise * (s.signal_norm + s.noise_frobenius);
    bound.privacy_without_dimension = pull > 0.0 ? push / pull : std::numeric_limits<double>::infinity();
    bound.privacy = std::sqrt(s.dimension) * bound.privacy_without_dimension;
  }
  bound.total = bound.vanishing + bound.privacy;
  return bound;
}

double affine_contraction_iterate(double rate, double offset, double steps, double start) {
  require_domain(rate >= 0.0 && rate <= 1.0, "rate", rate, "[0, 1]");
  require_domain(std::isfinite(offset), "offset", offset, "(-inf, inf)");
  require_domain(std::isfinite(start), "start", start, "(-inf, inf)");
  require_domain(steps >= 0.0 && std::isfinite(steps) && steps == std::floor(steps), "steps", steps, "{0, 1, ...}");
  if (steps == 0.0) {
    return start;
  }
  // log(1 - r) = -inf at r = 1 gives the limit b by itself. At r T < 1e-20 the limit r = 0 is the nearest double.
  const double exponent = steps * std::log1p(-rate);
  const double summed = exponent > -1e-20 ? steps : -std::expm1(exponent) / rate;
  return std::exp(exponent) * start + offset * summed;
}

double log_mixture(double t, double x) {
  require_domain(t >= 0.0 && t <= 1.0, "t", t, "[0, 1]");
  require_domain(std::isfinite(x), "x", x, "(-inf, inf)");
  return log_of_mixture(t, 1.0 - t, x);  // the complement is only used where t > 1/2, where it is exact
}

Chord log_mixture_chord(double t, double a, double x) {
  require_domain(t > 0.0 && t <= 1.0, "t", t, "(0, 1]");
  require_positive(a, "a");
  require_domain(x >= -a && std::isfinite(x), "x", x, "[-a, inf)");
  Chord chord{.value = log_mixture(t, x), .slope = x >= 0.0 ? 1.0 : log_mixture(t, -a) / -a};
  chord.bound = chord.slope * x;
  return chord;
}

LossIncrement loss_increment(std::span<const double> probabilities, std::span<const double> changes, std::size_t label,
                             double lowest) {
  require_domain(probabilities.size() >= 2, "classes", static_cast<double>(probabilities.size()), "[2, inf)");
  require_domain(changes.size() == probabilities.size(), "number of changes", static_cast<double>(changes.size()),
                 "one per class");
  require_domain(label < probabilities.size(), "label", static_cast<double>(label), "[0, classes)");
  LossIncrement step;
  step.largest = -std::numeric_limits<double>::infinity();
  numerics::CompensatedSum weight;
  for (std::size_t j = 0; j < probabilities.size(); ++j) {
    require_domain(probabilities[j] >= 0.0 && probabilities[j] <= 1.0, "probability", probabilities[j], "[0, 1]");
    if (j != label) {
      const double difference = changes[j] - changes[label];
      require_domain(std::isfinite(difference), "change", difference, "(-inf, inf)");
      step.largest = std::max(step.largest, difference);
      weight += probabilities[j];
    }
  }
  require_domain(lowest > 0.0 && step.largest >= -lowest && std::isfinite(lowest), "lowest", lowest,
                 "(0, inf), at least minus the largest change");
  const double own = probabilities[label], others = std::min(1.0, weight.value());
  const double far = step.largest >= 700.0 ? step.largest : 0.0;  // taken out where exp would overflow
  numerics::CompensatedSum change, mixture;
  mixture += own * std::exp(-far);
  for (std::size_t j = 0; j < probabilities.size(); ++j) {
    if (j != label) {
      const double difference = changes[j] - changes[label];
      change += probabilities[j] * std::expm1(difference - far);
      mixture += probabilities[j] * std::exp(difference - far);
    }
  }
  step.exact = far > 0.0 || change.value() < -0.5 ? far + std::log(mixture.value()) : std::log1p(change.value());
  step.by_largest = log_of_mixture(others, own, step.largest);
  const double slope = step.largest >= 0.0 ? 1.0 : log_of_mixture(others, own, -lowest) / -lowest;
  step.chord = slope * step.largest;
  return step;
}

double other_class_signal_growth(double step_size, std::span<const double> noise_products) {
  require_positive(step_size, "step_size");
  require_domain(!noise_products.empty(), "filters", 0.0, "{1, 2, ...}");
  numerics::CompensatedSum sum;
  for (const double product : noise_products) {
    sum += std::max(0.0, product);
  }
  return step_size * sum.value() / static_cast<double>(noise_products.size());
}

double own_class_signal_growth(double step_size, std::span<const double> noise_products, double active,
                               double weighted_residuals, double batch, double signal_norm) {
  require_positive(step_size, "step_size");
  const auto filters = static_cast<double>(noise_products.size());
  require_domain(!noise_products.empty(), "filters", filters, "{1, 2, ...}");
  require_domain(active >= 0.0 && active <= filters, "active", active, "[0, filters]");
  require_nonnegative(weighted_residuals, "weighted_residuals");
  require_positive(batch, "batch");
  require_nonnegative(signal_norm, "signal_norm");
  numerics::CompensatedSum sum;
  for (const double product : noise_products) {
    sum += std::abs(product);
  }
  const double gain = active * weighted_residuals * signal_norm * signal_norm / (filters * batch);
  return step_size * (gain - sum.value()) / filters;
}

double mean_noise_product_radius(double private_noise, double signal_norm, double filters, double failure_probability) {
  require_nonnegative(private_noise, "private_noise");
  require_nonnegative(signal_norm, "signal_norm");
  require_count(filters, "filters");
  const double log_one = log_inverse(failure_probability, "failure_probability");
  return private_noise * signal_norm * (std::sqrt(2.0 * std::numbers::inv_pi) + std::sqrt(2.0 * log_one / filters));
}

}  // namespace dpcurves::bounds
