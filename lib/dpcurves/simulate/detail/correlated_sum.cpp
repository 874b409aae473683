// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/parallel.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/detail/correlated_sum.hpp>

namespace dpcurves::simulate {
namespace {

using mechanism::Adjacency;
using mechanism::Participation;
using mechanism::Sampler;
using models::StrategyMatrix;

constexpr double most_steps = 1e5;  // of one path

/// Steps first, first + separation, ..., at most `most` of them.
std::vector<double> cycle(std::size_t steps, std::size_t first, std::size_t separation, double most, double rate) {
  std::vector<double> rates(steps, 0.0);
  double used = 0.0;
  for (std::size_t t = first; t < steps && used < most; t += separation, ++used) {
    rates[t] = rate;
  }
  return rates;
}

/// Of the cycles, the one that moves C x farthest.
std::vector<double> worst_cycle(const StrategyMatrix& strategy, std::size_t separation, double most, double rate) {
  constexpr std::size_t most_starts = 64;
  std::vector<double> worst;
  double farthest = -1.0;
  const std::size_t stride =
      strategy.monotone_toeplitz() ? separation : std::max<std::size_t>(1, separation / most_starts);
  for (std::size_t first = 0; first < separation; first += stride) {
    auto rates = cycle(strategy.steps(), first, separation, most, rate);
    auto moved = rates;
    strategy.multiply(moved);
    const double distance = std::inner_product(moved.begin(), moved.end(), moved.begin(), 0.0);
    if (distance > farthest) {
      farthest = distance;
      worst = std::move(rates);
    }
  }
  return worst;
}

std::vector<double> rates_of(const mechanism::Run& run, const StrategyMatrix& strategy) {
  const auto& phase = run.phases.front();
  const std::size_t steps = strategy.steps();
  if (const auto rule = run.noise.participation) {
    if (rule == Participation::single) {
      const auto norms = strategy.column_norms();
      const auto at = std::max_element(norms.begin(), norms.end()) - norms.begin();
      return cycle(steps, static_cast<std::size_t>(at), steps, 1.0, 1.0);
    }
    const auto separation = static_cast<std::size_t>(std::clamp(run.noise.separation.value_or(1.0), 1.0, most_steps));
    return worst_cycle(strategy, std::min(separation, steps), run.noise.participations.value_or(most_steps), 1.0);
  }
  const double rate = mechanism::sampling_rate(run, 0);
  switch (phase.sampler) {
    case Sampler::poisson:
    case Sampler::fixed_size:
      return std::vector<double>(steps, rate);
    case Sampler::cyclic_poisson: {
      const auto groups = static_cast<std::size_t>(std::clamp(phase.cycle.value_or(1.0), 1.0, most_steps));
      return worst_cycle(strategy, std::min(groups, steps), most_steps, rate);
    }
    default:
      throw DomainError("phases[0].sampler: \"" + std::string(mechanism::name(phase.sampler)) +
                        "\" has no simulation with correlated noise; \"poisson\", \"fixed-size\" and "
                        "\"cyclic-poisson\" have, and \"cyclic\" with noise.participation");
  }
}

/// log of the mean of e^w, w = 0 with chance 1 - q and `weight` else, and the chance of the latter given both.
std::pair<double, double> mixed(double q, double weight) {
  if (q == 0.0 || q == 1.0) {
    return {q * weight, q};
  }
  const double odds = std::log(q / (1.0 - q)) + weight;
  const double larger = std::max(odds, 0.0);
  const double total = larger + std::log(std::exp(-larger) + std::exp(odds - larger));
  return {std::log1p(-q) + total, std::exp(odds - total)};
}

/// What is known of (C x)_t from the mean uses of the steps before t, and their log-likelihood over that of no record.
double log_likelihood(const CorrelatedSum& sum, double gradient, const std::vector<double>& observed,
                      std::vector<double>& uses) {
  const double mu = gradient / sum.noise_multiplier;
  const StrategyMatrix& strategy = sum.strategy;
  const bool exponential = strategy.form() == StrategyMatrix::Form::exponential;
  const std::size_t band = strategy.bandwidth();
  double total = 0.0, carried = 0.0;
  for (std::size_t t = 0; t < observed.size(); ++t) {
    double before = exponential ? carried : 0.0;
    for (std::size_t s = exponential || t < band ? (exponential ? t : 0) : t - band + 1; s < t; ++s) {
      before += strategy(t, s) * uses[s];
    }
    const double without = mu * before, with = mu * (before + strategy(t, t));
    const auto weight = [&](double mean) { return mean * (observed[t] - 0.5 * mean); };
    const auto [more, used] = mixed(sum.rates[t], weight(with) - weight(without));
    total += weight(without) + more;
    uses[t] = used;
    carried = exponential ? strategy.lambda() * (carried + used) : 0.0;
  }
  return total;
}

void check(const CorrelatedSum& sum) {
  require_domain(sum.rates.size() == sum.strategy.steps(), "rates", static_cast<double>(sum.rates.size()),
                 "one per step");
  for (const double rate : sum.rates) {
    require_domain(rate >= 0.0 && rate <= 1.0, "rate", rate, "[0, 1]");
  }
  require_domain(sum.noise_multiplier > 0.0 && std::isfinite(sum.noise_multiplier), "noise_multiplier",
                 sum.noise_multiplier, "(0, inf)");
}

}  // namespace

CorrelatedSum correlated_sum(const mechanism::Run& run, StrategyMatrix strategy) {
  require_domain(run.phases.size() == 1, "phases", static_cast<double>(run.phases.size()),
                 "one, with correlated noise");
  const auto& phase = run.phases.front();
  require_domain(phase.steps >= 1.0 && phase.steps <= most_steps, "steps", phase.steps,
                 "[1, 1e5] for a simulation with correlated noise");
  require_domain(static_cast<double>(strategy.steps()) == phase.steps, "rows of the strategy",
                 static_cast<double>(strategy.steps()), "the steps of the run");
  CorrelatedSum sum{.rates = rates_of(run, strategy), .noise_multiplier = mechanism::noise_over_record(run, 0)};
  // Another record fills its place in a batch of a fixed size, with the opposite gradient.
  const bool fills = phase.sampler == Sampler::fixed_size;
  switch (run.privacy.adjacency) {
    case Adjacency::replace_one:
      sum.gradient = fills ? 2.0 : 1.0;
      sum.null_gradient = fills ? 0.0 : -1.0;
      break;
    case Adjacency::add:
      sum.gradient = 0.0;
      sum.null_gradient = 1.0;
      break;
    default:
      sum.gradient = fills ? 2.0 : 1.0;
      sum.null_gradient = fills ? 1.0 : 0.0;
      break;
  }
  sum.strategy = std::move(strategy);
  return sum;
}

std::vector<double> statistics(const CorrelatedSum& sum, bool null, std::size_t paths, std::uint64_t seed,
                               std::uint32_t first_path, unsigned threads) {
  check(sum);
  const std::size_t steps = sum.rates.size();
  const double drawn = (null ? sum.null_gradient : sum.gradient) / sum.noise_multiplier;
  std::vector<double> ratios(paths);
  constexpr std::size_t block = 64;
  parallel_for((paths + block - 1) / block, threads, [&](std::size_t part) {
    std::vector<double> noise(steps), used(steps), uses(steps);
    for (std::size_t i = part * block; i < std::min(paths, (part + 1) * block); ++i) {
      const auto path = first_path + static_cast<std::uint32_t>(i);
      random::normals(noise, seed, random::Purpose::noise, path, 0);
      random::uniforms(used, seed, random::Purpose::sampling, path, 0);
      for (std::size_t t = 0; t < steps; ++t) {
        used[t] = used[t] < sum.rates[t] ? drawn : 0.0;
      }
      sum.strategy.multiply(used);
      for (std::size_t t = 0; t < steps; ++t) {
        noise[t] += used[t];
      }
      ratios[i] = log_likelihood(sum, sum.gradient, noise, uses) - log_likelihood(sum, sum.null_gradient, noise, uses);
    }
  });
  return ratios;
}

}  // namespace dpcurves::simulate
