// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include <boost/math/distributions/binomial.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/same_batch.hpp>
#include <dpcurves/numerics/roots.hpp>
#include <dpcurves/numerics/sums.hpp>
#include <dpcurves/random/streams.hpp>
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

namespace {

/// log n! less Stirling's formula.
double stirling_error(double n) {
  if (n <= 15.0) {
    return std::lgamma(n + 1.0) - (n + 0.5) * std::log(n) + n - 0.5 * std::log(2.0 * std::numbers::pi);
  }
  const double square = n * n;
  return (1.0 / 12.0 -
          (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / 1188.0 / square) / square) / square) / square) /
         n;
}

/// x log(x/m) + m - x, without cancellation near x = m.
double deviance(double x, double m) {
  const double v = (x - m) / (x + m);
  if (std::abs(v) > 0.1) {
    return x * std::log(x / m) + m - x;
  }
  double sum = (x - m) * v, term = 2.0 * x * v;
  for (double j = 3.0; j < 40.0; j += 2.0) {
    term *= v * v;
    sum += term / j;
  }
  return sum;
}

/// log of the binomial probability of k by its saddle point.
double log_binomial(double n, double rate, double k) {
  if (k == 0.0) {
    return n * std::log1p(-rate);
  }
  if (k == n) {
    return n * std::log(rate);
  }
  return stirling_error(n) - stirling_error(k) - stirling_error(n - k) - deviance(k, n * rate) -
         deviance(n - k, n * (1.0 - rate)) - 0.5 * std::log(2.0 * std::numbers::pi * k * (1.0 - k / n));
}

}  // namespace

Enclosure long_same_batch_delta(double lambda, double sampling_rate, double steps, double sensitivity,
                                double noise_multiplier, double epsilon) {
  require_domain(lambda >= 0.0 && lambda < 1.0, "lambda", lambda, "[0, 1)");
  require_rate(sampling_rate);
  require_domain(steps >= 1.0 && steps <= 1e15 && steps == std::floor(steps), "steps", steps,
                 "the whole numbers in [1, 1e15]");
  require_domain(sensitivity > 0.0 && std::isfinite(sensitivity), "sensitivity", sensitivity, "(0, inf)");
  require_noise(noise_multiplier);
  require_epsilon(epsilon);
  const auto delta_of = [&](double k) {
    return tradeoff::delta_of_epsilon(epsilon, sensitivity * encoded_sensitivity(lambda, k, steps) / noise_multiplier);
  };
  constexpr double accuracy = 1e-9;
  if (sampling_rate == 1.0) {
    return clamp(outward(exactly(delta_of(steps)), accuracy), 0.0, 1.0);
  }
  // Probabilities fall to both sides of the mode.
  constexpr double negligible = -745.0;
  const double mode = std::min(steps, std::floor((steps + 1.0) * sampling_rate));
  const auto end = [&](double inside, double outside) {
    if (log_binomial(steps, sampling_rate, outside) > negligible) {
      return outside;
    }
    while (std::abs(outside - inside) > 1.0) {
      const double middle = std::floor(0.5 * (inside + outside));
      (log_binomial(steps, sampling_rate, middle) > negligible ? inside : outside) = middle;
    }
    return outside;
  };
  const double first = std::max(1.0, end(mode, 0.0)), last = end(mode, steps);
  const double deviation = std::sqrt(steps * sampling_rate * (1.0 - sampling_rate));
  const double stride = deviation > 1e4 ? std::floor(deviation / 8.0) : 1.0;
  numerics::CompensatedSum sum;
  for (double k = first; k <= last; k += stride) {
    sum += std::exp(log_binomial(steps, sampling_rate, k)) * delta_of(k);
  }
  Enclosure value = outward(exactly(stride * sum.value()), accuracy);
  value.upper += 1e-300;  // what is outside
  return clamp(value, 0.0, 1.0);
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

SameBatchEstimate estimate_same_batch_delta(const models::StrategyMatrix& strategy, double sampling_rate,
                                            double sensitivity, double noise_multiplier, double epsilon,
                                            double confidence, std::uint64_t seed) {
  require_domain(confidence > 0.0 && confidence < 1.0, "confidence", confidence, "(0, 1)");
  const SameBatch bound(strategy, sampling_rate, sensitivity);
  const Enclosure sum = bound.delta(epsilon, noise_multiplier);
  const auto& norms = bound.sensitivities().values;
  const std::size_t steps = strategy.steps();
  const auto delta_of = [&](double norm) { return tradeoff::delta_of_epsilon(epsilon, norm / noise_multiplier); };
  std::vector<double> terms(steps + 1, 0.0), cumulative(steps + 1, 0.0);
  for (std::size_t k = 1; k <= steps; ++k) {
    const double chance = std::exp(bound.log_probabilities()[k]);
    terms[k] = chance > 0.0 ? delta_of(norms[k]) : 0.0;
    cumulative[k] = cumulative[k - 1] + chance * terms[k];
  }
  if (!(cumulative[steps] > 0.0)) {
    return {0.0, sum, 0};
  }
  const bool recursive = strategy.form() == models::StrategyMatrix::Form::exponential;
  const double entries = static_cast<double>(steps) * (recursive ? 1.0 : static_cast<double>(strategy.bandwidth()));
  SameBatchEstimate result;
  result.draws = static_cast<std::size_t>(std::clamp(2e8 / entries, 100.0, 20000.0));
  const auto absolute = strategy.absolute();
  std::vector<double> chance(steps + 1), encoded(steps);
  numerics::CompensatedSum shares, squares;
  for (std::size_t i = 0; i < result.draws; ++i) {
    random::uniforms(chance, seed, random::Purpose::sampling, static_cast<std::uint32_t>(i), 0);
    const auto place =
        std::upper_bound(cumulative.begin(), cumulative.end(), chance[steps] * cumulative[steps]) - cumulative.begin();
    const auto k = std::clamp<std::size_t>(static_cast<std::size_t>(place), 1, steps);
    // A set of k steps, all equally likely.
    std::size_t left = k;
    double state = 0.0, square = 0.0;
    for (std::size_t t = 0; t < steps; ++t) {
      const bool present = chance[t] * static_cast<double>(steps - t) < static_cast<double>(left);
      left -= present ? 1 : 0;
      encoded[t] = present ? 1.0 : 0.0;
      state = recursive ? strategy.lambda() * state + encoded[t] : 0.0;
      square += state * state;
    }
    if (!recursive) {
      absolute.multiply(encoded);
      for (const double x : encoded) {
        square += x * x;
      }
    }
    const double share = std::min(1.0, delta_of(sensitivity * std::sqrt(square)) / terms[k]);
    shares += share;
    squares += share * share;
  }
  const auto n = static_cast<double>(result.draws);
  const double mean = shares.value() / n, variance = std::max(0.0, (squares.value() - n * mean * mean) / (n - 1.0));
  const double log_miss = std::log(4.0 / (1.0 - confidence));  // half of what may miss on either side
  const double spread = std::sqrt(2.0 * variance * log_miss / n) + 7.0 * log_miss / (3.0 * (n - 1.0));
  result.value = cumulative[steps] * mean;
  // The sum above rounds up what is not exact, so its upper end is that of the normalisation.
  result.interval = {cumulative[steps] * (1.0 - 1e-11) * std::max(0.0, mean - spread),
                     sum.upper * std::min(1.0, mean + spread)};
  return result;
}

}  // namespace dpcurves::correlated
