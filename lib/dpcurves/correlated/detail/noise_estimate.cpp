// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/detail/noise_estimate.hpp>

namespace dpcurves::correlated {
NoiseEstimate estimate_noise_multiplier(EstimatedPair pair, std::span<const MeanMultiples> directions, double epsilon,
                                        double delta, Rounding rounding, double start, const EstimateBudget& budget,
                                        double resolution) {
  require_domain(!directions.empty(), "directions", 0.0, "at least one");
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  require_domain(start > 0.0 && std::isfinite(start), "start", start, "(0, inf)");
  const auto chain = participation_chain(pair.strategy, rounding, resolution);
  EstimateBudget rough = budget;
  rough.relative_error = 0.2;
  rough.least = 512;
  rough.most_work = 0.2 * budget.most_work;
  // The worse direction at a noise multiplier, with proposals of that place.
  struct Place {
    double log_noise = 0.0, excess = 0.0;
    DeltaEstimate estimate;
    MeanMultiples worse;
  };
  const auto look = [&](double log_noise) {
    Place place{log_noise, -infinity, {}, directions.front()};
    pair.noise_multiplier = std::exp(log_noise);
    for (const MeanMultiples multiples : directions) {
      pair.multiples = multiples;
      const auto found = estimate_delta(pair, *chain, find_proposal(pair, epsilon, budget), epsilon, rough);
      const double excess = found.delta.value > 0.0 ? std::log(found.delta.value / delta) : -50.0;
      if (excess > place.excess) {
        place = {log_noise, excess, found, multiples};
      }
    }
    return place;
  };
  Place low = look(std::log(start)), high = low;
  const double stride = 0.4;
  for (int i = 0; high.excess > 0.0; ++i) {
    low = high;
    high = look(low.log_noise + stride);
    if (i > 10) {
      throw ConvergenceError("estimate_noise_multiplier: nothing below 50 times the start meets the target");
    }
  }
  for (int i = 0; low.excess <= 0.0; ++i) {
    high = low;
    low = look(high.log_noise - stride);
    if (i > 10) {
      throw ConvergenceError("estimate_noise_multiplier: everything above a fiftieth of the start meets the target");
    }
  }
  for (int i = 0; i < 4 && high.log_noise - low.log_noise > 0.05; ++i) {
    const double share = std::clamp(low.excess / (low.excess - high.excess), 0.15, 0.85);
    const Place middle = look(low.log_noise + share * (high.log_noise - low.log_noise));
    (middle.excess > 0.0 ? low : high) = middle;
  }
  // Now fine: one direction, one proposal, one set of draws; secant steps on a smooth function.
  const double share = std::clamp(low.excess / (low.excess - high.excess), 0.0, 1.0);
  const Place& near = share < 0.5 ? low : high;
  pair.multiples = near.worse;
  double log_noise = low.log_noise + share * (high.log_noise - low.log_noise);
  double slope = (high.excess - low.excess) / (high.log_noise - low.log_noise);
  pair.noise_multiplier = std::exp(log_noise);
  const Proposal proposal = find_proposal(pair, epsilon, budget);
  NoiseEstimate answer;
  EstimateBudget same = budget;
  double last = 0.0, last_excess = 0.0;
  for (int i = 0; i < 6; ++i) {
    pair.noise_multiplier = std::exp(log_noise);
    answer.at = estimate_delta(pair, *chain, proposal, epsilon, same);
    require_spread(answer.at, pair.strategy, epsilon);
    same.least = same.most = answer.at.draws;
    same.most_work = infinity;
    const double excess = std::log(answer.at.delta.value / delta);
    if (i > 0 && log_noise != last) {
      slope = std::min(-0.5, (excess - last_excess) / (log_noise - last));
    }
    answer.noise_multiplier = {pair.noise_multiplier, pair.noise_multiplier * answer.at.delta.error /
                                                          (answer.at.delta.value * std::abs(slope))};
    if (std::abs(excess) < 1e-3) {
      break;
    }
    last = log_noise;
    last_excess = excess;
    log_noise -= excess / slope;
  }
  return answer;
}

}  // namespace dpcurves::correlated
