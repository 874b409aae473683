// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <vector>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/share.hpp>
#include <dpcurves/correlated/detail/confidence_limit.hpp>
#include <dpcurves/numerics/special.hpp>
#include <dpcurves/random/streams.hpp>

namespace dpcurves::correlated {

DeltaLimit delta_confidence_limit(const EstimatedPair& pair, double epsilon, double confidence, std::size_t most_draws,
                                  std::uint64_t seed, unsigned threads) {
  const double noise = pair.noise_multiplier;
  require_domain(pair.sampling_rate > 0.0 && pair.sampling_rate <= 1.0, "sampling_rate", pair.sampling_rate, "(0, 1]");
  require_domain(noise > 0.0 && std::isfinite(noise), "noise_multiplier", noise, "(0, inf)");
  require_domain(epsilon >= 0.0 && std::isfinite(epsilon), "epsilon", epsilon, "[0, inf)");
  require_domain(confidence > 0.0 && confidence < 1.0, "confidence", confidence, "(0, 1)");
  require_domain(most_draws >= 1, "most_draws", static_cast<double>(most_draws), "[1, inf)");
  constexpr double most_cost = 3e6, least_noise = 0.02;
  const auto chain = participation_chain(pair.strategy, Rounding::up, std::clamp(0.02 * noise, 4e-4, 0.01));
  const std::size_t steps = pair.strategy.steps();
  const double cost = static_cast<double>(steps) * static_cast<double>(chain->states());
  if (cost > most_cost || (!chain->exact() && noise < least_noise)) {
    throw ConvergenceError("delta_confidence_limit: " + shortest(static_cast<double>(steps)) + " steps with " +
                           shortest(static_cast<double>(chain->states())) +
                           " states each are too many for Monte Carlo; ask for the certified bounds");
  }
  DeltaLimit limit;
  limit.draws = std::min(most_draws, static_cast<std::size_t>(std::max(300.0, 2.5e8 / cost)));
  std::vector<std::uint8_t> hits(limit.draws, 0);
  const auto draw = [&](std::size_t i) {
    std::vector<double> chance(steps + 2), z(steps), mean(steps);
    std::vector<std::uint8_t> participations(steps);
    // Not the draws of the estimate.
    const std::uint64_t own = seed + 0xD1B54A32D192ED03U;
    random::uniforms(chance, own, random::Purpose::sampling, static_cast<std::uint32_t>(i), 0);
    random::normals(z, own, random::Purpose::noise, static_cast<std::uint32_t>(i), 0);
    for (std::size_t t = 0; t < steps; ++t) {
      participations[t] = chance[t] < pair.sampling_rate ? 1 : 0;
    }
    chain->means(participations, mean);
    for (std::size_t t = 0; t < steps; ++t) {
      z[t] = pair.multiples.first * mean[t] + noise * z[t];
    }
    const auto log_ratio = [&](double multiple) {
      return multiple == 0.0 ? 0.0 : chain->log_ratio(z, pair.sampling_rate, noise, multiple);
    };
    constexpr double accuracy = 2e-7;  // of two log ratios
    const double score = log_ratio(pair.multiples.first) - log_ratio(pair.multiples.second) + accuracy;
    hits[i] = score > epsilon && chance[steps] < -std::expm1(epsilon - score) ? 1 : 0;
  };
  shared_for(limit.draws, threads, draw, [&](std::size_t i, Archive& archive) { archive(hits[i]); });
  const auto count = static_cast<double>(std::count(hits.begin(), hits.end(), std::uint8_t{1}));
  const auto n = static_cast<double>(limit.draws);
  limit.upper = count == n ? 1.0 : numerics::beta_below_inverse(count + 1.0, n - count, confidence);
  limit.least_possible = -std::expm1(std::log1p(-confidence) / n);
  return limit;
}

}  // namespace dpcurves::correlated
