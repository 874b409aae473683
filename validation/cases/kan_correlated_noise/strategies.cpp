// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Strategies whose records take part by a rule, or in turns, attacked by simulated runs.
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/share.hpp>
#include <dpcurves/correlated/strategy_comparison.hpp>
#include <dpcurves/inference/detail/binomial.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "validation/cases/topics.hpp"
#include "validation/draws.hpp"
#include "validation/runs.hpp"

namespace dpcurves::validation::kan_correlated_noise {
namespace {

using correlated::ParticipationPattern;
using correlated::ParticipationRule;
using correlated::Strategy;

/// A run against a record that takes part at some steps, each with a chance, by a gradient that the attacker chooses
/// after the releases so far; the others' gradients are 0, and so is the record's in the other run.
struct Run {
  Strategy strategy;
  std::vector<double> chance;  ///< of taking part, shape (steps)
  double noise = 1.0, epsilon = 1.0;
  std::function<double(std::size_t step, double last)> gradient;  ///< in [-1, 1]
};

/// Participations that are possible, with their probabilities.
std::vector<std::pair<double, std::vector<bool>>> sets(const Run& run) {
  std::vector<std::pair<double, std::vector<bool>>> list{{1.0, {}}};
  for (const double chance : run.chance) {
    std::vector<std::pair<double, std::vector<bool>>> longer;
    for (const auto& [weight, set] : list) {
      for (const bool present : {false, true}) {
        const double factor = present ? chance : 1.0 - chance;
        if (factor > 0.0) {
          longer.emplace_back(weight * factor, set);
          longer.back().second.push_back(present);
        }
      }
    }
    list = std::move(longer);
  }
  return list;
}

std::size_t runs(const Setting& setting) { return setting.size(100000, 4000000); }

/// How often the attack on simulated releases says "with": H_{e^epsilon}(with || without) times the runs. What is
/// released is C times the sums plus independent noise; the likelihood ratio adds up over the participations.
double hits_of(const Setting& setting, std::string_view id, std::uint64_t k, const Run& run) {
  const std::size_t count = runs(setting), steps = run.chance.size();
  const auto possible = sets(run);
  std::vector<double> normal(steps + steps % 2), uniform(steps + 1), release(steps), log_ratio(possible.size());
  const auto seed = seed_of(setting, id, k);
  const auto& c = run.strategy.matrix;
  std::uint64_t hits = 0;
  std::vector<double> gradients(steps);
  for (std::size_t i = 0; i < count; ++i) {
    random::normals(normal, seed, random::Purpose::noise, static_cast<std::uint32_t>(i), 0);
    random::uniforms(uniform, seed, random::Purpose::sampling, static_cast<std::uint32_t>(i), 0);
    std::fill(log_ratio.begin(), log_ratio.end(), 0.0);
    for (std::size_t t = 0; t < steps; ++t) {
      gradients[t] = run.gradient(t, t == 0 ? 0.0 : release[t - 1]);
      double mean = 0.0;
      for (std::size_t u = 0; u <= t; ++u) {
        mean += uniform[u] < run.chance[u] ? c(t, u) * gradients[u] : 0.0;
      }
      release[t] = mean + run.noise * normal[t];
      for (std::size_t s = 0; s < possible.size(); ++s) {
        double a = 0.0;
        for (std::size_t u = 0; u <= t; ++u) {
          a += possible[s].second[u] ? c(t, u) * gradients[u] : 0.0;
        }
        log_ratio[s] += a * (release[t] - 0.5 * a) / (run.noise * run.noise);
      }
    }
    double ratio = 0.0;
    for (std::size_t s = 0; s < possible.size(); ++s) {
      ratio += possible[s].first * std::exp(log_ratio[s]);
    }
    const double value = 1.0 - std::exp(run.epsilon) / ratio;
    hits += uniform[steps] < value ? 1U : 0U;  // a coin of that bias
  }
  return static_cast<double>(hits);
}

/// A run, the delta that is claimed of it and what the control claims.
struct Attack {
  Run run;
  double claimed, broken;
  std::string what, group = "claim";
};

/// Every attack against its claim and its broken claim, with exact intervals of what its simulated runs reach. A run
/// of a piece serves both.
void attacked(const Setting& setting, Outcome& outcome, const char* id, const std::vector<Attack>& attacks) {
  Sharing::next_loop_needs_no_stand_in();
  const auto hits = values_of_runs(attacks.size(), setting.threads,
                                   [&](std::size_t k) { return hits_of(setting, id, k, attacks[k].run); });
  Sharing::last_loop_done();
  for (std::size_t k = 0; k < attacks.size(); ++k) {
    const auto seen = inference::clopper_pearson(static_cast<std::uint64_t>(hits[k]), runs(setting), miss_per_interval);
    for (Trial* trial : {&outcome.claim, &outcome.control}) {
      trial->group(attacks[k].group);
      trial->at_most(seen.lower, trial == &outcome.claim ? attacks[k].claimed : attacks[k].broken, attacks[k].what);
      trial->used_intervals(2);
      trial->count_runs(runs(setting));
    }
  }
}

/// Certain participation at the steps of a set.
std::vector<double> certain(const std::vector<std::size_t>& set, std::size_t steps) {
  std::vector<double> chance(steps, 0.0);
  for (const std::size_t t : set) {
    chance[t] = 1.0;
  }
  return chance;
}

double gaussian(double sensitivity, double noise, double epsilon) {
  return tradeoff::delta_of_epsilon(epsilon, sensitivity / noise);
}

/// The noise of the running sums at one target, over the number of epochs; a strategy is a piece of a shared loop.
Figure noise_by_epochs() {
  io::Plot plot{.title = "Noise of the running sums of 256 steps at epsilon = 8, delta = 1e-6",
                .x = {"epochs", true, std::nullopt, std::nullopt},
                .y = {"root mean square deviation, in clipping norms", true, std::nullopt, std::nullopt}};
  static constexpr std::array names{"identity", "tree-honaker", "lambda", "blt", "bisr", "bsr", "band-mf"};
  static constexpr std::array<std::size_t, 6> epochs{1, 2, 4, 8, 16, 32};
  Sharing::next_loop_needs_no_stand_in();
  const auto noise = values_of_runs(names.size() * epochs.size(), 1, [](std::size_t i) {
    const std::size_t k = epochs[i % epochs.size()];
    correlated::StrategyQuestion question;
    question.search.steps = 256;
    question.search.buffers = 2;
    question.search.pattern = {ParticipationRule::cyclic, 256 / k, k};
    question.epsilon = 8.0;
    question.epochs = static_cast<double>(k);
    return correlated::compare(names[i / epochs.size()], question).error.mean;
  });
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto of_name = std::span(noise).subspan(i * epochs.size(), epochs.size());
    plot.series.push_back(io::line(names[i], {epochs.begin(), epochs.end()}, {of_name.begin(), of_name.end()}));
  }
  return {plot.title, plot};
}

/// The attacks on one strategy at its worst set; the control is the set without its last step.
void add_worst_sets(std::vector<Attack>& attacks, const Strategy& strategy) {
  for (const auto rule : {ParticipationRule::cyclic, ParticipationRule::min_separation}) {
    const ParticipationPattern pattern{rule, 3, 3};
    ParticipationPattern fewer = pattern;
    fewer.most = 2;
    const auto worst = correlated::pattern_sensitivity(strategy.matrix, pattern);
    const double without = correlated::pattern_sensitivity(strategy.matrix, fewer).value.upper;
    for (const bool turned : {false, true}) {
      const Run run{strategy, certain(worst.steps, 8), 2.0, 0.5,
                    [turned](std::size_t, double last) { return turned && last > 1.0 ? -1.0 : 1.0; }};
      attacks.push_back({run, gaussian(worst.value.upper, run.noise, run.epsilon),
                         gaussian(without, run.noise, run.epsilon),
                         std::string(correlated::name(strategy.kind)) + ", " + std::string(correlated::name(rule)) +
                             (turned ? ", turned by the last release" : ", constant")});
    }
  }
}

Case derived_5() {
  return {"kan-correlated-noise/derived-5",
          "A record that takes part by a rule is protected by the Gaussian profile of the largest sum of |G| over the "
          "sets that the rule allows.",
          "Runs of eight steps: band, square root and lambda-CGD against constant gradients at the worst set and "
          "against gradients turned by the last release; a matrix with negative coefficients against gradients of "
          "turning sign.",
          "the worst set without its last step; for negative coefficients the formula of monotone matrices",
          [](const Setting& setting, Outcome& outcome) {
            Figure figure = noise_by_epochs();
            std::vector<Attack> attacks;
            for (const Strategy& strategy : {correlated::bsr_strategy(8, 8), correlated::lambda_strategy(8, 0.8),
                                             correlated::banded_strategy(8, {1.0, 0.7, 0.3})}) {
              add_worst_sets(attacks, strategy);
            }
            Strategy signs = correlated::banded_strategy(8, {1.0, -0.5});
            const ParticipationPattern always{ParticipationRule::cyclic, 1, 8};
            std::vector<double> equal(8, 1.0);
            signs.matrix.multiply(equal);
            const double square = sum_over(equal, [&](double x) { return x * x; });
            const double claimed = correlated::pattern_sensitivity(signs.matrix, always).value.upper;
            const Run run{signs, std::vector<double>(8, 1.0), 3.0, 0.5,
                          [](std::size_t t, double) { return t % 2 == 0 ? 1.0 : -1.0; }};
            attacks.push_back({run, gaussian(claimed, run.noise, run.epsilon),
                               gaussian(std::sqrt(square), run.noise, run.epsilon), "turning signs",
                               "negative coefficients"});
            attacked(setting, outcome, "kan-correlated-noise/derived-5", attacks);
            outcome.figures.push_back(std::move(figure));
          }};
}

Case derived_6() {
  return {"kan-correlated-noise/derived-6",
          "A banded strategy whose groups take turns is as private as DP-SGD of one group's turns, the noise over the "
          "norm of a column.",
          "Runs of six steps, three bands, three groups: the first group's two turns at rates 0.3 and 0.6, constant "
          "gradients and gradients turned by the last release; likelihood ratios over all participations.",
          "the noise not divided by the norm", [](const Setting& setting, Outcome& outcome) {
            const auto strategy = correlated::banded_strategy(6, {1.0, 0.7, 0.5});
            std::vector<Attack> attacks;
            for (const double rate : {0.3, 0.6}) {
              for (const bool turned : {false, true}) {
                const Run run{strategy, {rate, 0.0, 0.0, rate, 0.0, 0.0}, 1.5, 0.5, [turned](std::size_t, double last) {
                                return turned && last > 1.0 ? -1.0 : 1.0;
                              }};
                const auto delta = [&](const Strategy& claimed) {
                  const auto claim = correlated::cyclic_poisson_guarantee(claimed, {3, rate}, run.noise,
                                                                          mechanism::Adjacency::remove, {1e-6, false});
                  return claim.curve->delta(run.epsilon).value.upper;
                };
                attacks.push_back({run, delta(strategy), delta(correlated::banded_strategy(6, {1.0})),
                                   "rate " + shortest(rate) + (turned ? ", turned" : ", constant")});
              }
            }
            attacked(setting, outcome, "kan-correlated-noise/derived-6", attacks);
          }};
}

}  // namespace

std::vector<Case> strategy_cases() { return {derived_5(), derived_6()}; }

}  // namespace dpcurves::validation::kan_correlated_noise
