// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/attack/calibration.hpp>
#include <dpcurves/attack/gaussian.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::attack {
namespace {

using numerics::normal_quantile;

/// The power at which the precision at a false positive rate is `most`.
double power_of_precision(const Limit& limit, double most) {
  return most * limit.at * (1.0 - limit.prior) / (limit.prior * (1.0 - most));
}

double mu_of_power(double rate, double power) {
  return power >= 1.0 ? HUGE_VAL : std::max(0.0, normal_quantile(power) - normal_quantile(rate));
}

/// The mu of the Gaussian mechanism with this value of the measure; infinite or 0 beyond its range.
double mu_of(const Limit& limit, double value) {
  switch (limit.measure) {
    case Measure::advantage:
      return value >= 1.0 ? HUGE_VAL : 2.0 * numerics::normal_central_quantile(std::max(0.0, value));
    case Measure::power:
    case Measure::reconstruction:
      return mu_of_power(limit.at, value);
    case Measure::precision:
      return value >= 1.0 ? HUGE_VAL : mu_of_power(limit.at, std::min(1.0, power_of_precision(limit, value)));
    case Measure::bayes_accuracy: {
      const double rare = std::min(limit.prior, 1.0 - limit.prior), delta = (value - (1.0 - rare)) / rare;
      return delta <= 0.0   ? 0.0
             : delta >= 1.0 ? HUGE_VAL
                            : tradeoff::mu_of_epsilon_delta(std::log((1.0 - rare) / rare), delta);
    }
    case Measure::area:
      return value >= 1.0 ? HUGE_VAL : std::numbers::sqrt2 * std::max(0.0, normal_quantile(value));
    case Measure::gdp_parameter:
      return value;
  }
  return value;
}

void check(const Limit& limit) {
  const auto needs = [&](double lowest, const char* range) {
    require_domain(limit.most > lowest && limit.most < 1.0, "target", limit.most, range);
  };
  const bool rated = limit.measure == Measure::power || limit.measure == Measure::precision ||
                     limit.measure == Measure::reconstruction || limit.measure == Measure::gdp_parameter;
  require_domain(!rated || (limit.at > 0.0 && limit.at < 1.0), "at", limit.at, "(0, 1)");
  require_domain(limit.prior > 0.0 && limit.prior < 1.0, "prior", limit.prior, "(0, 1)");
  switch (limit.measure) {
    case Measure::advantage:
      return needs(0.0, "(0, 1)");
    case Measure::power:
      return needs(limit.at, "(the false positive rate, 1): a coin reaches that rate");
    case Measure::reconstruction:
      return needs(limit.at, "(the baseline, 1): a guess without the run reaches the baseline");
    case Measure::precision:
      needs(limit.prior, "(the prior, 1): a coin reaches the prior");
      require_domain(power_of_precision(limit, limit.most) < 1.0, "target", limit.most,
                     "precisions below that of power 1 at this rate");
      return;
    case Measure::bayes_accuracy:
      return needs(std::max(limit.prior, 1.0 - limit.prior), "(max(prior, 1 - prior), 1): a blind guess reaches that");
    case Measure::area:
      return needs(0.5, "(1/2, 1)");
    case Measure::gdp_parameter:
      require_domain(limit.most > 0.0 && std::isfinite(limit.most), "target", limit.most, "(0, inf)");
      return;
  }
}

}  // namespace

Enclosure value(Attack& attack, const Limit& limit, double relative) {
  check(limit);
  switch (limit.measure) {
    case Measure::power:
      return attack.power(limit.at, relative).value.power;
    case Measure::reconstruction:
      return attack.reconstruction(limit.at, relative).value.power;
    case Measure::precision:
      return attack.precision_at_rate(limit.prior, limit.at).value.precision;
    case Measure::bayes_accuracy:
      return attack.bayes_error(limit.prior).value.accuracy;
    case Measure::area:
      return attack.area().value;
    case Measure::gdp_parameter:
      return attack.gdp_parameter_above(limit.at);
    case Measure::advantage:
      break;
  }
  return attack.advantage().value.advantage;
}

double gaussian_mu(const Limit& limit) {
  check(limit);
  return mu_of(limit, limit.most);
}

accounting::Calibration calibrate(const Trial& trial, const accounting::Parameter& parameter, const Limit& limit,
                                  const accounting::CalibrationTarget& target) {
  check(limit);
  // The search knows deltas: that at epsilon 0 of the Gaussian mechanism with the same measure.
  const auto delta = [&](double v) { return numerics::normal_central_mass(0.5 * mu_of(limit, v)); };
  accounting::CalibrationTarget scaled = target;
  scaled.epsilon = 0.0;
  scaled.delta = delta(limit.most);
  const accounting::TrialDelta measured = [&](double at, double relative) -> std::optional<Enclosure> {
    auto attack = trial(at, relative);
    if (!attack) {
      return std::nullopt;
    }
    const Enclosure v = value(*attack, limit, std::max(relative, 1e-12));
    // Rounding must not decide: safe is what the measure itself says.
    const double upper = delta(v.upper);
    return Enclosure{delta(v.lower),
                     v.upper <= limit.most ? std::min(upper, scaled.delta) : std::max(upper, next_up(scaled.delta))};
  };
  return accounting::calibrate(measured, parameter, scaled);
}

}  // namespace dpcurves::attack
