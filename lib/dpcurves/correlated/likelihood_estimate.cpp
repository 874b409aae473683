// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "dpcurves/correlated/likelihood_estimate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/parallel.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/random/streams.hpp>

namespace dpcurves::correlated {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t block = 128;       // draws that are stratified together
constexpr std::size_t plain_draws = 13;  // of a block come from P itself
constexpr double defensive = static_cast<double>(plain_draws) / static_cast<double>(block);  // w

/// |C| 1, the direction of the shift.
std::vector<double> direction(const models::StrategyMatrix& strategy) {
  std::vector<double> all(strategy.steps(), 1.0);
  strategy.absolute().multiply(all);
  return all;
}

double squared_norm(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double v : x) {
    sum += v * v;
  }
  return sum;
}

/// One draw: what it contributes to delta, its score log P/Q, and what refits the proposal.
struct Draw {
  double weight = 0.0;  ///< P over the law that was drawn from
  double score = 0.0;   ///< log P/Q
  double rate = 0.0;    ///< share of steps with the record
  double shift = 0.0;   ///< the component of z - mean along |C| 1

  [[nodiscard]] double contribution(double epsilon) const {
    return score > epsilon ? -weight * std::expm1(epsilon - score) : 0.0;
  }
};

class Sampler {
 public:
  Sampler(const EstimatedPair& pair, const ParticipationChain& chain, const Proposal& proposal, std::uint64_t seed)
      : pair_(pair),
        chain_(chain),
        proposal_(proposal),
        seed_(seed),
        along_(direction(pair.strategy)),
        square_(squared_norm(along_)) {}

  /// A block of draws is stratified: the first few come from P, and of each kind the component of the noise along |C|
  /// 1, on which the score depends most, has one draw in every quantile.
  [[nodiscard]] Draw draw(std::size_t index) const {
    const std::size_t steps = along_.size(), place = index % block;
    const auto path = static_cast<std::uint32_t>(index);
    const double noise = pair_.noise_multiplier;
    std::vector<double> chance(steps + 2), z(steps), mean(steps);
    random::uniforms(chance, seed_, random::Purpose::sampling, path, 0);
    random::normals(z, seed_, random::Purpose::noise, path, 0);
    const bool plain = place < plain_draws;
    const double quantile = plain ? (static_cast<double>(place) + chance[steps]) / plain_draws
                                  : (static_cast<double>(place - plain_draws) + chance[steps]) / (block - plain_draws);
    double component = 0.0;
    for (std::size_t t = 0; t < steps; ++t) {
      component += z[t] * along_[t];
    }
    const double move = (numerics::normal_quantile(quantile) * std::sqrt(square_) - component) / square_;
    for (std::size_t t = 0; t < steps; ++t) {
      z[t] += move * along_[t];
    }
    const double rate = plain ? pair_.sampling_rate : proposal_.rate, shift = plain ? 0.0 : proposal_.shift;
    std::vector<std::uint8_t> participations(steps);
    Draw result;
    for (std::size_t t = 0; t < steps; ++t) {
      participations[t] = chance[t] < rate ? 1 : 0;
      result.rate += participations[t];
    }
    result.rate /= static_cast<double>(steps);
    chain_.means(participations, mean);
    double along = 0.0;
    for (std::size_t t = 0; t < steps; ++t) {
      const double error = shift * along_[t] + noise * z[t];
      along += error * along_[t];
      z[t] = pair_.multiples.first * mean[t] + error;
    }
    result.shift = along / square_;
    const double first = log_ratio(z, pair_.sampling_rate, pair_.multiples.first);
    result.score = first - log_ratio(z, pair_.sampling_rate, pair_.multiples.second);
    result.weight = 1.0 / (defensive + (1.0 - defensive) * std::exp(log_proposal(z) - first));
    return result;
  }

 private:
  [[nodiscard]] double log_ratio(const std::vector<double>& z, double rate, double multiple) const {
    return multiple == 0.0 ? 0.0 : chain_.log_ratio(z, rate, pair_.noise_multiplier, multiple);
  }

  /// log of the proposal's density over that of noise alone.
  [[nodiscard]] double log_proposal(const std::vector<double>& z) const {
    const double square = pair_.noise_multiplier * pair_.noise_multiplier, b = proposal_.shift;
    double product = 0.0;
    std::vector<double> shifted(z);
    for (std::size_t t = 0; t < z.size(); ++t) {
      product += along_[t] * z[t];
      shifted[t] -= b * along_[t];
    }
    const double moved = b * (product - 0.5 * b * square_) / square;
    return moved + (proposal_.rate == 0.0 ? 0.0 : log_ratio(shifted, proposal_.rate, pair_.multiples.first));
  }

  const EstimatedPair& pair_;
  const ParticipationChain& chain_;
  Proposal proposal_;
  std::uint64_t seed_;
  std::vector<double> along_;
  double square_;
};

/// Means of blocks, which are independent, and what their draws contributed.
class Moments {
 public:
  void add(std::span<const double> contributions) {
    double total = 0.0;
    for (const double x : contributions) {
      total += x;
      square_ += x * x;
    }
    sum_ += total;
    draws_ += contributions.size();
    ++blocks_;
    const double value = total / static_cast<double>(contributions.size()), step = value - mean_;
    mean_ += step / static_cast<double>(blocks_);
    spread_ += step * (value - mean_);
  }
  [[nodiscard]] std::size_t draws() const { return draws_; }
  [[nodiscard]] Estimate estimate() const {
    const auto n = static_cast<double>(blocks_);
    return {mean_, mean_ > 0.0 && blocks_ > 1 ? std::sqrt(spread_ / (n * (n - 1.0))) : infinity};
  }
  [[nodiscard]] double effective() const { return square_ > 0.0 ? sum_ * sum_ / square_ : 0.0; }

 private:
  std::size_t blocks_ = 0, draws_ = 0;
  double mean_ = 0.0, spread_ = 0.0, sum_ = 0.0, square_ = 0.0;
};

void check(const EstimatedPair& pair, double epsilon) {
  require_domain(pair.sampling_rate > 0.0 && pair.sampling_rate <= 1.0, "sampling_rate", pair.sampling_rate, "(0, 1]");
  require_domain(pair.noise_multiplier > 0.0 && std::isfinite(pair.noise_multiplier), "noise_multiplier",
                 pair.noise_multiplier, "(0, inf)");
  require_domain(epsilon >= 0.0 && std::isfinite(epsilon), "epsilon", epsilon, "[0, inf)");
  require_domain(pair.multiples.first * pair.multiples.second <= 0.0 && !(pair.multiples == MeanMultiples{0.0, 0.0}),
                 "multiples", pair.multiples.first * pair.multiples.second, "opposite signs, or one of them 0");
}

}  // namespace

Proposal find_proposal(const EstimatedPair& pair, double epsilon, std::uint64_t seed) {
  check(pair, epsilon);
  constexpr std::size_t draws = 2 * block;
  constexpr double coarse = 0.08;
  const auto chain = participation_chain(pair.strategy, Rounding::nearest, coarse);
  const bool no_participation = pair.multiples.first == 0.0;
  Proposal proposal{no_participation ? 0.0 : pair.sampling_rate, 0.0};
  int refinements = 0;
  for (int round = 0; round < 40 && refinements < 3; ++round) {
    // Numbers of its own for every round: those of the estimate start at path 0.
    const Sampler sampler(pair, *chain, proposal, seed + 0x9E3779B97F4A7C15U * static_cast<std::uint64_t>(round + 1));
    std::vector<Draw> list(draws);
    std::vector<double> scores(draws);
    for (std::size_t i = 0; i < draws; ++i) {
      list[i] = sampler.draw(i);
      scores[i] = list[i].score;
    }
    constexpr std::size_t top_tenth = draws / 10;
    std::nth_element(scores.begin(), scores.begin() + top_tenth, scores.end(), std::greater<>());
    const bool arrived = scores[top_tenth] >= epsilon;
    const double level = std::min(epsilon, scores[top_tenth]);
    double total = 0.0, rate = 0.0, shift = 0.0;
    for (const Draw& one : list) {
      const double w = arrived ? one.contribution(epsilon) : one.score >= level ? one.weight : 0.0;
      total += w;
      rate += w * one.rate;
      shift += w * one.shift;
    }
    if (total > 0.0) {
      proposal.rate = no_participation ? 0.0 : std::clamp(rate / total, 0.5 * pair.sampling_rate, 1.0);
      proposal.shift = shift / total;
    }
    refinements += arrived ? 1 : 0;
  }
  return proposal;
}

DeltaEstimate estimate_delta(const EstimatedPair& pair, const ParticipationChain& chain, const Proposal& proposal,
                             double epsilon, const EstimateBudget& budget) {
  check(pair, epsilon);
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const Sampler sampler(pair, chain, proposal, budget.seed);
  Moments moments;
  std::vector<double> contributions(block);
  while (moments.draws() < budget.most) {
    const std::size_t first = moments.draws();
    parallel_for(block, budget.threads,
                 [&](std::size_t i) { contributions[i] = sampler.draw(first + i).contribution(epsilon); });
    moments.add(contributions);
    const Estimate estimate = moments.estimate();
    if ((moments.draws() >= budget.least && estimate.error <= budget.relative_error * estimate.value) ||
        seconds() > budget.time_limit_seconds) {
      break;
    }
  }
  return {moments.estimate(), moments.effective(), moments.draws(), proposal};
}

DeltaEstimate estimate_delta(const EstimatedPair& pair, double epsilon, const EstimateBudget& budget,
                             double resolution) {
  const auto chain = participation_chain(pair.strategy, Rounding::nearest, resolution);
  return estimate_delta(pair, *chain, find_proposal(pair, epsilon, budget.seed), epsilon, budget);
}

DeltaBracket bracket_delta(const EstimatedPair& pair, double epsilon, const EstimateBudget& budget, double resolution,
                           bool enumerate) {
  const Proposal proposal = find_proposal(pair, epsilon, budget.seed);
  const auto down = participation_chain(pair.strategy, Rounding::down, resolution, enumerate);
  const auto up = participation_chain(pair.strategy, Rounding::up, resolution, enumerate);
  DeltaBracket bracket;
  bracket.down = estimate_delta(pair, *down, proposal, epsilon, budget);
  EstimateBudget same = budget;  // as many draws as the first took
  same.least = same.most = bracket.down.draws;
  same.time_limit_seconds = infinity;
  bracket.up = estimate_delta(pair, *up, proposal, epsilon, same);
  return bracket;
}

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
  rough.time_limit_seconds = 0.2 * budget.time_limit_seconds;
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
      const auto found = estimate_delta(pair, *chain, find_proposal(pair, epsilon, budget.seed), epsilon, rough);
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
  const Proposal proposal = find_proposal(pair, epsilon, budget.seed);
  NoiseEstimate answer;
  EstimateBudget same = budget;
  double last = 0.0, last_excess = 0.0;
  for (int i = 0; i < 6; ++i) {
    pair.noise_multiplier = std::exp(log_noise);
    answer.at = estimate_delta(pair, *chain, proposal, epsilon, same);
    if (!(answer.at.delta.value > 0.0)) {
      throw ConvergenceError("estimate_noise_multiplier: no draw contributed");
    }
    same.least = same.most = answer.at.draws;
    same.time_limit_seconds = infinity;
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
