// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <optional>

#include <dpcurves/accounting/calibration.hpp>
#include <dpcurves/bounds/detail/checks.hpp>
#include <dpcurves/bounds/long_tail_privacy.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::bounds {

using namespace checks;

double noise_scale_order(double clip, double steps, double delta, double records, double epsilon, double constant) {
  require_positive(clip, "clip");
  require_count(steps, "steps");
  require_count(records, "records");
  require_positive(epsilon, "epsilon");
  require_positive(constant, "constant");
  return constant * clip * std::sqrt(steps * log_inverse(delta)) / (records * epsilon);
}

FullBatchNoise full_batch_noise(double epsilon, double delta, double steps) {
  require_nonnegative(epsilon, "epsilon");
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  require_count(steps, "steps");
  const double mu = tradeoff::mu_enclosure(epsilon, delta).lower;
  return {mu, next_up(next_up(std::sqrt(steps)) / mu)};
}

CalibratedNoise calibrated_noise(const PrivateRun& run, double epsilon, double delta, double tolerance) {
  require_count(run.records, "records");
  require_count(run.steps, "steps");
  require_nonnegative(epsilon, "epsilon");
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  require_domain(tolerance > 0.0 && tolerance < 1.0, "tolerance", tolerance, "(0, 1)");
  accounting::DpSgd dp_sgd{.sampling = run.sampling, .adjacency = run.adjacency};
  double rate = 1.0;
  if (run.sampling != mechanism::Sampler::none) {
    require_count(run.batch, "batch");
    require_domain(run.batch <= run.records, "batch", run.batch, "[1, records]");
    rate = accounting::sampling_rate_of(run.batch, run.records);
  }
  dp_sgd.phases = {{1.0, rate, run.steps}};
  require_theorem("long-tail-memorization/remark-4", accounting::violations(dp_sgd));
  const auto delta_at = [&](double noise_multiplier, double relative) -> std::optional<Enclosure> {
    auto trial = dp_sgd;
    trial.phases.front().noise_multiplier = noise_multiplier;
    accounting::Accuracy accuracy;
    accuracy.relative = std::max(relative, 1e-8);
    const auto guarantee = accounting::dp_sgd_guarantee(trial, accuracy);
    return guarantee.applies() ? std::optional(guarantee.curve->delta(epsilon).value) : std::nullopt;
  };
  accounting::CalibrationTarget target{.epsilon = epsilon, .delta = delta, .tolerance = tolerance};
  const double unsampled = full_batch_noise(epsilon, delta, run.steps).noise_multiplier;
  target.guess = unsampled * std::min(1.0, 2.0 * rate);
  accounting::Parameter parameter{.lowest = 1e-3, .highest = 1e9, .more_is_private = true};
  const auto found = accounting::calibrate(delta_at, parameter, target);
  require_domain(found.value.has_value(), "epsilon", epsilon, "those that noise multipliers up to 1e9 reach");
  dp_sgd.phases.front().noise_multiplier = *found.value;
  return {*found.value, *delta_at(*found.value, 1e-6), accounting::theorem(dp_sgd).id};
}

}  // namespace dpcurves::bounds
