// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numbers>

#include <dpcurves/bounds/glm_privacy.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/roots.hpp>
#include <dpcurves/numerics/special.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::bounds {
namespace {

using std::numbers::ln2;

void check(double epsilon, double delta) {
  require_domain(epsilon > 0.0 && std::isfinite(epsilon), "epsilon", epsilon, "(0, inf)");
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
}

bool has_event(GlmMechanism mechanism) {
  return mechanism == GlmMechanism::algorithm_3 || mechanism == GlmMechanism::algorithm_6 ||
         mechanism == GlmMechanism::algorithm_7;
}

// mu = epsilon times this.
double mu_per_epsilon(GlmMechanism mechanism, double delta) {
  const double log_inverse = -std::log(delta);
  switch (mechanism) {
    case GlmMechanism::algorithm_2:
    case GlmMechanism::algorithm_5:
      return 0.5 / std::sqrt(log_inverse);
    case GlmMechanism::algorithm_3:
    case GlmMechanism::algorithm_6:
      return 0.5 / std::sqrt(ln2 + log_inverse);
    case GlmMechanism::algorithm_7:
      return 1.0 / std::sqrt(2.0 * (ln2 + log_inverse));
    case GlmMechanism::classic:
      break;
  }
  return 1.0 / std::sqrt(2.0 * (std::log(1.25) + log_inverse));
}

// Stirling's series of lgamma(a) - (a - 1/2) ln a + a - ln(2 pi)/2; the next term is below 1e-15 from a = 15 on.
double stirling_rest(double a) {
  const double r = 1.0 / (a * a);
  return (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r * (1.0 / 1680.0 - r / 1188.0)))) / a;
}

// Q(a, x) Gamma(a + 1)/(x^a e^-x) for x = 4a by Lentz's form of the continued fraction; converges like 3^-j.
double tail_fraction(double a) {
  const double x = 4.0 * a;
  double b = x + 1.0 - a, c = 1e300, d = 1.0 / b, product = d;
  for (int j = 1; j < 300; ++j) {
    const double numerator = -j * (j - a);
    b += 2.0;
    d = 1.0 / (numerator * d + b);
    c = b + numerator / c;
    const double factor = c * d;
    product *= factor;
    if (std::abs(factor - 1.0) < 1e-16) {
      break;
    }
  }
  return a * product;
}

}  // namespace

double printed_mu(GlmMechanism mechanism, double epsilon, double delta) {
  check(epsilon, delta);
  return epsilon * mu_per_epsilon(mechanism, delta);
}

double delta_target(GlmMechanism mechanism, double delta) { return has_event(mechanism) ? 0.5 * delta : delta; }

GlmPrivacy printed_privacy(GlmMechanism mechanism, double epsilon, double delta) {
  GlmPrivacy privacy{.mu = printed_mu(mechanism, epsilon, delta), .delta_target = delta_target(mechanism, delta)};
  privacy.delta_at_epsilon = tradeoff::delta_of_epsilon(epsilon, privacy.mu);
  privacy.log_delta_at_epsilon = tradeoff::log_delta_of_epsilon(epsilon, privacy.mu);
  privacy.epsilon_at_target = tradeoff::epsilon_of_delta(privacy.delta_target, privacy.mu);
  privacy.noise_excess = tradeoff::mu_of_epsilon_delta(epsilon, privacy.delta_target) / privacy.mu;
  return privacy;
}

Enclosure promised_epsilon(GlmMechanism mechanism, double epsilon, double delta) {
  const Enclosure mu = outward(exactly(printed_mu(mechanism, epsilon, delta)), 1e-15);
  return tradeoff::epsilon_enclosure(delta_target(mechanism, delta), mu);
}

double largest_valid_epsilon(GlmMechanism mechanism, double delta) {
  require_domain(delta > 0.0 && delta <= 0.5, "delta", delta, "(0, 0.5]");
  const double rate = mu_per_epsilon(mechanism, delta);
  const double log_target = std::log(delta_target(mechanism, delta));
  const auto excess = [&](double epsilon) {
    return tradeoff::log_delta_of_epsilon(epsilon, epsilon * rate) - log_target;
  };
  double upper = 2.0;
  while (excess(upper) <= 0.0) {
    upper *= 2.0;
  }
  return numerics::root(excess, 0.5 * upper, upper).middle();
}

double algorithm_8_printed_mu(double dimension, double epsilon, double delta) {
  require_domain(dimension >= 1.0 && std::isfinite(dimension), "dimension", dimension, "[1, inf)");
  return std::sqrt(dimension) * printed_mu(GlmMechanism::classic, epsilon, delta);
}

double printed_batch_noise_variance(const BatchNoiseSetting& setting) {
  check(setting.epsilon, setting.delta);
  require_domain(setting.label_bound > 0.0 && std::isfinite(setting.label_bound), "label_bound", setting.label_bound,
                 "(0, inf)");
  require_domain(setting.feature_bound > 0.0 && std::isfinite(setting.feature_bound), "feature_bound",
                 setting.feature_bound, "(0, inf)");
  require_domain(setting.parameter_norm >= 0.0 && std::isfinite(setting.parameter_norm), "parameter_norm",
                 setting.parameter_norm, "[0, inf)");
  require_domain(setting.batch >= 1.0, "batch", setting.batch, "[1, inf)");
  const double slope = setting.feature_bound * setting.parameter_norm + setting.label_bound;
  const double per_sample = slope / setting.batch / setting.epsilon;
  return 8.0 * per_sample * per_sample * (std::log(1.25) - std::log(setting.delta));
}

double batch_noise_variance(const BatchNoiseSetting& setting) {
  return setting.feature_bound * setting.feature_bound * printed_batch_noise_variance(setting);
}

double projected_descent_variance(double label_bound, double radius, double steps, double records, double epsilon,
                                  double delta) {
  check(epsilon, delta);
  require_domain(label_bound > 0.0 && std::isfinite(label_bound), "label_bound", label_bound, "(0, inf)");
  require_domain(radius >= 0.0 && std::isfinite(radius), "radius", radius, "[0, inf)");
  require_domain(steps >= 1.0, "steps", steps, "[1, inf)");
  require_domain(records >= 1.0, "records", records, "[1, inf)");
  const double ratio = (4.0 * radius + label_bound) / records / epsilon;
  return 32.0 * ratio * ratio * steps * (ln2 - std::log(delta));
}

double phase_sensitivity(double label_bound, double step_size, std::uint64_t phase_records) {
  require_domain(phase_records >= 1, "phase_records", static_cast<double>(phase_records), "[1, 2^64)");
  const auto n = static_cast<double>(phase_records);
  return 4.0 * label_bound * step_size * ((n - 1.0) / n);
}

double log_projection_failure(double projected_dimension) {
  const double m = projected_dimension;
  require_domain(m >= 1.0 && std::isfinite(m), "projected_dimension", m, "[1, inf)");
  const double a = 0.5 * m;
  if (a < 15.0) {
    return std::log(numerics::gamma_above(a, 4.0 * a));
  }
  // x^a e^-x/Gamma(a + 1) at x = 4a is exp(-a (3 - ln 4)) up to Stirling's terms.
  return -a * (3.0 - 2.0 * ln2) - 0.5 * std::log(2.0 * std::numbers::pi * a) - stirling_rest(a) +
         std::log(tail_fraction(a));
}

ProjectionEvent johnson_lindenstrauss_event(double projected_dimension, double records, double delta) {
  require_domain(records >= 1.0 && std::isfinite(records), "records", records, "[1, inf)");
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  const double log_records = std::log1p(records), log_half = std::log(delta) - ln2;
  const auto log_failure = [&](double m) { return log_records + log_projection_failure(m); };
  ProjectionEvent event;
  event.log_union_failure = log_failure(projected_dimension);
  event.enough = event.log_union_failure <= log_half;
  event.chernoff_dimension = std::fmax(1.0, std::ceil(2.0 * (log_records - log_half) / (3.0 - 2.0 * ln2)));
  while (log_failure(event.least_dimension) > log_half) {
    event.least_dimension += 1.0;
  }
  return event;
}

}  // namespace dpcurves::bounds
