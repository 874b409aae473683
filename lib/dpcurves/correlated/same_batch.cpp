// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <boost/math/distributions/binomial.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/same_batch.hpp>
#include <dpcurves/numerics/roots.hpp>
#include <dpcurves/numerics/sums.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::correlated {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void require_rate(double rate) { require_domain(rate > 0.0 && rate <= 1.0, "sampling_rate", rate, "(0, 1]"); }
void require_noise(double noise) {
  require_domain(noise > 0.0 && std::isfinite(noise), "noise_multiplier", noise, "(0, inf)");
}
void require_epsilon(double epsilon) {
  require_domain(epsilon >= 0.0 && std::isfinite(epsilon), "epsilon", epsilon, "[0, inf)");
}

/// log of the binomial probabilities of 0, ..., steps. Boost's density near the mode, its neighbours by their ratios.
std::vector<double> log_binomial(std::size_t steps, double rate) {
  std::vector<double> logs(steps + 1, -infinity);
  if (rate == 1.0) {
    logs[steps] = 0.0;
    return logs;
  }
  const auto n = static_cast<double>(steps);
  const auto mode = static_cast<std::size_t>(std::min(n, std::floor((n + 1.0) * rate)));
  const boost::math::binomial_distribution<double> law(n, rate);
  logs[mode] = std::log(boost::math::pdf(law, static_cast<double>(mode)));
  const double odds = std::log(rate) - std::log1p(-rate);
  numerics::CompensatedSum up;
  for (std::size_t k = mode; k < steps; ++k) {
    up += std::log((n - static_cast<double>(k)) / static_cast<double>(k + 1)) + odds;
    logs[k + 1] = logs[mode] + up.value();
  }
  numerics::CompensatedSum down;
  for (std::size_t k = mode; k > 0; --k) {
    down += std::log(static_cast<double>(k) / (n - static_cast<double>(k - 1))) - odds;
    logs[k - 1] = logs[mode] + down.value();
  }
  return logs;
}

}  // namespace

SameBatch::SameBatch(const models::StrategyMatrix& strategy, double sampling_rate, double sensitivity) {
  require_rate(sampling_rate);
  require_domain(sensitivity > 0.0 && std::isfinite(sensitivity), "sensitivity", sensitivity, "(0, inf)");
  sensitivities_ = encoded_sensitivities(strategy);
  for (double& s : sensitivities_.values) {
    s *= sensitivity;
  }
  log_mass_ = log_binomial(strategy.steps(), sampling_rate);
}

Enclosure SameBatch::delta(double epsilon, double noise_multiplier) const {
  require_epsilon(epsilon);
  require_noise(noise_multiplier);
  constexpr double negligible = -700.0;  // log of a mass that is added to the upper end as it is
  numerics::CompensatedSum sum, neglected;
  for (std::size_t k = 1; k < log_mass_.size(); ++k) {
    if (log_mass_[k] < negligible) {
      neglected += std::exp(std::max(log_mass_[k], -745.0));
      continue;
    }
    sum += std::exp(log_mass_[k]) * tradeoff::delta_of_epsilon(epsilon, sensitivities_.values[k] / noise_multiplier);
  }
  // The sensitivities carry 1e-12; a relative change e of mu changes delta_G by at most e (1 + mu^2 + epsilon) delta_G,
  // far from where delta_G is negligible.
  constexpr double accuracy = 1e-11;
  Enclosure value = outward(exactly(sum.value()), accuracy);
  value.upper += neglected.value();
  if (!sensitivities_.exact) {
    value.lower = 0.0;
  }
  return clamp(value, 0.0, 1.0);
}

Enclosure SameBatch::noise_multiplier(double epsilon, double delta) const {
  require_epsilon(epsilon);
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  // All participations at once need s(T)/mu; fewer only less noise.
  const double mu = tradeoff::mu_of_epsilon_delta(epsilon, delta);
  const double high = std::log(sensitivities_.values.back() / mu) + 1e-9;
  const auto excess = [&](double log_noise) {
    const double value = this->delta(epsilon, std::exp(log_noise)).upper;
    return value > 0.0 ? std::log(value) - std::log(delta) : -1e3;
  };
  double low = high;
  do {
    low -= 1.0;
    if (low < high - 200.0) {
      return {0.0, std::exp(low)};  // the chance of any participation is below delta
    }
  } while (excess(low) <= 0.0);
  const Enclosure at = numerics::root(excess, low, high);
  return outward({std::exp(at.lower), std::exp(at.upper)}, 1e-10);
}

ParticipationSplit participation_split(double lambda, double sampling_rate, double steps, double epsilon,
                                       double delta) {
  require_rate(sampling_rate);
  require_epsilon(epsilon);
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  const auto strategy = models::StrategyMatrix::exponential(lambda, static_cast<std::size_t>(steps));
  const auto sensitivities = encoded_sensitivities(strategy).values;
  const boost::math::binomial_distribution<double> law(steps, sampling_rate);
  const double most_mu = tradeoff::mu_of_epsilon_delta(epsilon, delta);
  ParticipationSplit best{infinity, 0.0};
  for (std::size_t k = 0; k < sensitivities.size(); ++k) {
    const double at = static_cast<double>(k);
    const double above = k + 1 == sensitivities.size() ? 0.0 : boost::math::cdf(boost::math::complement(law, at));
    if (above >= delta) {
      continue;
    }
    if (sensitivities[k] / most_mu > best.noise_multiplier) {
      break;  // larger k need more even without the probability above
    }
    const double share = (delta - above) / (1.0 - above);
    const double noise = k == 0 ? 0.0 : sensitivities[k] / tradeoff::mu_of_epsilon_delta(epsilon, share);
    if (noise < best.noise_multiplier) {
      best = {noise, at};
    }
  }
  return best;
}

double enumerated_same_batch_delta(const models::StrategyMatrix& strategy, double sampling_rate,
                                   double noise_multiplier, double epsilon) {
  constexpr std::size_t most_steps = 24;
  const std::size_t steps = strategy.steps();
  require_domain(steps <= most_steps, "steps", static_cast<double>(steps), "[1, 24]");
  require_rate(sampling_rate);
  require_noise(noise_multiplier);
  require_epsilon(epsilon);
  const auto absolute = strategy.absolute();
  std::vector<double> encoded(steps);
  numerics::CompensatedSum mean;
  for (std::uint32_t y = 1; y < (std::uint32_t{1} << steps); ++y) {
    double weight = 1.0;
    for (std::size_t t = 0; t < steps; ++t) {
      const bool present = ((y >> t) & 1U) != 0;
      encoded[t] = present ? 1.0 : 0.0;
      weight *= present ? sampling_rate : 1.0 - sampling_rate;
    }
    absolute.multiply(encoded);
    double square = 0.0;
    for (const double x : encoded) {
      square += x * x;
    }
    mean += weight * tradeoff::delta_of_epsilon(epsilon, std::sqrt(square) / noise_multiplier);
  }
  return mean.value();
}

}  // namespace dpcurves::correlated
