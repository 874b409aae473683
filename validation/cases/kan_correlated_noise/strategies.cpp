// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Strategies whose records take part by a rule, or in turns, attacked by simulated runs.
#include <cmath>
#include <functional>
#include <vector>

#include <dpcurves/core/format.hpp>
#include <dpcurves/correlated/strategy_comparison.hpp>
#include <dpcurves/inference/binomial.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "validation/cases/kan_correlated_noise/comparison.hpp"
#include "validation/cases/kan_correlated_noise/topics.hpp"
#include "validation/draws.hpp"

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

std::size_t runs(const Setting& setting) { return setting.size(100000, 1000000); }

/// The exact interval of H_{e^epsilon}(with || without) from simulated releases. What is released is C times the sums
/// plus independent noise; the likelihood ratio adds up over the participations.
Enclosure attacked(const Setting& setting, std::string_view id, std::uint64_t k, const Run& run) {
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
  return inference::clopper_pearson(hits, count, miss_per_interval);
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

/// The noise of the running sums at one target, over the number of epochs.
Figure noise_by_epochs() {
  io::Plot plot;
  plot.title = "Noise of the running sums of 256 steps at epsilon = 8, delta = 1e-6";
  plot.x = {"epochs", true, std::nullopt, std::nullopt};
  plot.y = {"root mean square deviation, in clipping norms", true, std::nullopt, std::nullopt};
  for (const char* name : {"identity", "tree-honaker", "lambda", "blt", "bisr", "bsr", "band-mf"}) {
    std::vector<double> epochs, noise;
    for (std::size_t k = 1; k <= 32; k *= 2) {
      correlated::StrategyQuestion question;
      question.search.steps = 256;
      question.search.buffers = 2;
      question.search.pattern = {ParticipationRule::cyclic, 256 / k, k};
      question.epsilon = 8.0;
      question.epochs = static_cast<double>(k);
      epochs.push_back(question.epochs);
      noise.push_back(correlated::compare(name, question).error.mean);
    }
    plot.series.push_back(io::line(name, epochs, noise));
  }
  return {plot.title, plot};
}

Case derived_5() {
  Case one = compared(
      "derived-5",
      "A record that takes part by a rule is protected by the Gaussian profile of the largest sum of |G| over the sets "
      "that the rule allows.",
      "Runs of eight steps: band, square root and lambda-CGD against constant gradients at the worst set and against "
      "gradients turned by the last release; a matrix with negative coefficients against gradients of turning sign.",
      "the worst set without its last step; for negative coefficients the formula of monotone matrices",
      [](const Setting& setting, Trial& trial, bool broken) {
        const char* id = "kan-correlated-noise/derived-5";
        std::uint64_t k = 0;
        const auto constant = [](std::size_t, double) { return 1.0; };
        const auto turned = [](std::size_t, double last) { return last > 1.0 ? -1.0 : 1.0; };
        for (const Strategy& strategy : {correlated::bsr_strategy(8, 8), correlated::lambda_strategy(8, 0.8),
                                         correlated::banded_strategy(8, {1.0, 0.7, 0.3})}) {
          for (const auto rule : {ParticipationRule::cyclic, ParticipationRule::min_separation}) {
            const ParticipationPattern pattern{rule, 3, 3};
            ParticipationPattern fewer = pattern;
            fewer.most = 2;
            const auto worst = correlated::pattern_sensitivity(strategy.matrix, pattern);
            const double claimed =
                broken ? correlated::pattern_sensitivity(strategy.matrix, fewer).value.upper : worst.value.upper;
            for (const auto& [name, gradient] :
                 std::vector<std::pair<std::string, std::function<double(std::size_t, double)>>>{
                     {"constant", constant}, {"turned by the last release", turned}}) {
              const Run run{strategy, certain(worst.steps, 8), 2.0, 0.5, gradient};
              trial.at_most(attacked(setting, id, k++, run).lower, gaussian(claimed, run.noise, run.epsilon),
                            std::string(correlated::name(strategy.kind)) + ", " + std::string(correlated::name(rule)) +
                                ", " + name);
              trial.used_intervals(2);
              trial.count_runs(runs(setting));
            }
          }
        }
        trial.group("negative coefficients");
        Strategy signs = correlated::banded_strategy(8, {1.0, -0.5});
        const ParticipationPattern always{ParticipationRule::cyclic, 1, 8};
        const std::vector<std::size_t> all{0, 1, 2, 3, 4, 5, 6, 7};
        std::vector<double> equal(8, 1.0);
        signs.matrix.multiply(equal);
        double square = 0.0;
        for (const double x : equal) {
          square += x * x;
        }
        const double claimed =
            broken ? std::sqrt(square) : correlated::pattern_sensitivity(signs.matrix, always).value.upper;
        const Run run{signs, certain(all, 8), 3.0, 0.5, [](std::size_t t, double) { return t % 2 == 0 ? 1.0 : -1.0; }};
        trial.at_most(attacked(setting, id, k, run).lower, gaussian(claimed, run.noise, run.epsilon), "turning signs");
        trial.used_intervals(2);
        trial.count_runs(runs(setting));
      });
  const auto run = one.run;
  one.run = [run](const Setting& setting) {
    Outcome outcome = run(setting);
    outcome.figures.push_back(noise_by_epochs());
    return outcome;
  };
  return one;
}

Case derived_6() {
  return compared(
      "derived-6",
      "A banded strategy whose groups take turns is as private as DP-SGD of one group's turns, the noise over the norm "
      "of a column.",
      "Runs of six steps, three bands, three groups: the first group's two turns at rates 0.3 and 0.6, constant "
      "gradients and gradients turned by the last release; likelihood ratios over all participations.",
      "the noise not divided by the norm", [](const Setting& setting, Trial& trial, bool broken) {
        const char* id = "kan-correlated-noise/derived-6";
        std::uint64_t k = 0;
        const auto strategy = correlated::banded_strategy(6, {1.0, 0.7, 0.5});
        for (const double rate : {0.3, 0.6}) {
          for (const bool turned : {false, true}) {
            const Run run{strategy, {rate, 0.0, 0.0, rate, 0.0, 0.0}, 1.5, 0.5, [turned](std::size_t, double last) {
                            return turned && last > 1.0 ? -1.0 : 1.0;
                          }};
            const auto claim =
                correlated::cyclic_poisson_guarantee(broken ? correlated::banded_strategy(6, {1.0}) : strategy,
                                                     {3, rate}, run.noise, mechanism::Adjacency::remove, {1e-6, false});
            trial.at_most(attacked(setting, id, k++, run).lower, claim.curve->delta(run.epsilon).value.upper,
                          "rate " + shortest(rate) + (turned ? ", turned" : ", constant"));
            trial.used_intervals(2);
            trial.count_runs(runs(setting));
          }
        }
      });
}

}  // namespace

std::vector<Case> strategy_cases() { return {derived_5(), derived_6()}; }

}  // namespace dpcurves::validation::kan_correlated_noise
