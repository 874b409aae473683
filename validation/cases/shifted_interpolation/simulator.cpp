// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <map>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/random/streams.hpp>

#include "validation/cases/shifted_interpolation/descent_support.hpp"
#include "validation/cases/topics.hpp"
#include "validation/statistics.hpp"

namespace dpcurves::validation::shifted_interpolation {
namespace {

using simulate::BatchRule;

const char* name_of(BatchRule rule) {
  return rule == BatchRule::full ? "full batches" : rule == BatchRule::cyclic ? "cyclic batches" : "random batches";
}

/// The mean gradient of a batch, and one step without noise.
Vector step(const simulate::NoisyDescent& process, const models::Losses& losses, std::span<const std::uint32_t> batch,
            const Vector& x) {
  Vector gradient(x.size());
  losses.gradient_sum(batch, x, gradient);
  return sum(x, -process.step_size / static_cast<double>(batch.size()), gradient);
}

/// One run by the recursion X_{k+1} = projection of phi_{k+1}(X_k) + Z_{k+1}, from the noise of the path and the
/// batch of step k + `delay`.
Vector replay(const simulate::NoisyDescent& process, const models::Losses& losses, std::uint64_t seed,
              std::uint32_t path, std::size_t delay) {
  const std::size_t d = losses.dimension();
  Vector noise(process.steps * d);
  random::normals(noise, seed, random::Purpose::noise, path, 0);
  simulate::BatchSequence batches(process.rule, process.batch_size, losses.records());
  Vector x = process.start.empty() ? Vector(d, 0.0) : process.start;
  for (std::size_t k = 0; k < process.steps; ++k) {
    x = step(process, losses, batches.batch(k + delay, seed, path), x);
    for (std::size_t j = 0; j < d; ++j) {
      x[j] -= process.step_size * process.noise * noise[k * d + j];
    }
    process.projection.apply(x);
  }
  return x;
}

double replay_error(const simulate::NoisyDescent& process, const models::Losses& losses, std::uint64_t seed,
                    std::size_t paths, std::size_t delay) {
  const std::size_t d = losses.dimension();
  const auto iterates = simulate::final_iterates(process, losses, paths, seed, 0, 1);
  double largest = 0.0;
  for (std::size_t path = 0; path < paths; ++path) {
    const Vector x = replay(process, losses, seed, static_cast<std::uint32_t>(path), delay);
    for (std::size_t j = 0; j < d; ++j) {
      largest = std::max(largest, std::abs(x[j] - iterates[path * d + j]));
    }
  }
  return largest;
}

/// Regularised logistic losses with random features in three dimensions.
models::LogisticLosses logistic_losses(Draws& draws, std::size_t records) {
  Vector features = draws.normals(3 * records), labels(records);
  for (double& label : labels) {
    label = draws.uniform() < 0.5 ? -1.0 : 1.0;
  }
  return {3, features, labels, 1.5, 0.3};
}

simulate::NoisyDescent process_of(BatchRule rule, std::size_t batch_size, std::size_t steps) {
  return simulate::NoisyDescent{.rule = rule,
                                .batch_size = batch_size,
                                .step_size = 0.4,
                                .noise = 0.7,
                                .steps = steps,
                                .start = {1.0, -0.5, 0.25},
                                .projection = models::Projection::ball(2.0)};
}

void contractive_iteration(const Setting& setting, Outcome& outcome) {
  const std::string id = "shifted-interpolation/definition-c.1";
  Draws draws(setting, id);
  outcome.claim.count_runs(300);
  outcome.claim.by_exact_law();  // of every path: none may differ
  const auto losses = logistic_losses(draws, 12);
  const auto gathers = [&](Trial& trial, double step_size) {
    for (const auto& [rule, bend] : {std::pair{BatchRule::full, 1.2},
                                     {BatchRule::full, 0.0},
                                     {BatchRule::cyclic, 1.2},
                                     {BatchRule::cyclic, 0.0},
                                     {BatchRule::subset, 1.2},
                                     {BatchRule::subset, 0.0}}) {
      const models::SeparableLosses flat(1.5 - bend, bend, 3, Vector(36, 0.1));
      auto process = process_of(rule, 4, 7);
      process.projection = models::Projection::none();
      process.step_size = step_size;
      const std::uint64_t seed = seed_of(setting, id, 1);
      const auto near = simulate::final_iterates(process, flat, 200, seed, 0, 1);
      const Vector first = process.start;
      process.start = {1.0, 30.0, -8.0};
      const auto far = simulate::final_iterates(process, flat, 200, seed, 0, 1);
      const double c = std::max(std::abs(1.0 - (1.5 - bend) * step_size), std::abs(1.0 - 1.5 * step_size));
      double largest = 0.0;
      for (std::size_t i = 0; i < near.size(); i += 3) {
        const auto at = static_cast<std::ptrdiff_t>(i);
        largest = std::max(largest, distance(Vector(near.begin() + at, near.begin() + at + 3),
                                             Vector(far.begin() + at, far.begin() + at + 3)));
      }
      trial.at_most(largest, std::min(1.0, std::pow(c, 7.0)) * distance(first, process.start) * (1.0 + 1e-12),
                    std::string(name_of(rule)) + ", gradient " + shortest(1.5 - bend) + " x + " + shortest(bend) +
                        " tanh x, eta = " + shortest(step_size) + ", distance after 7 steps with the same noise");
    }
  };
  const auto noise_scale = [&](Trial& trial, double claimed) {
    const models::SeparableLosses zero(0.0, 0.0, 1, {0.0});
    auto process = process_of(BatchRule::full, 0, 1);
    process.start.clear();
    process.projection = models::Projection::none();
    const std::size_t paths = setting.size(100000, 1000000);
    const auto x = simulate::final_iterates(process, zero, paths, seed_of(setting, id, 2), 0, 1);
    const auto inside = static_cast<std::uint64_t>(
        std::count_if(x.begin(), x.end(), [&](double value) { return std::abs(value) <= claimed; }));
    frequency_is(trial, inside, paths, numerics::normal_central_mass(1.0),
                 "one step of noise: mass within " + shortest(claimed) + ", claimed one standard deviation");
  };
  for (const BatchRule rule : {BatchRule::full, BatchRule::cyclic, BatchRule::subset}) {
    outcome.claim.at_most(replay_error(process_of(rule, 4, 25), losses, seed_of(setting, id), 300, 0), 1e-12,
                          std::string(name_of(rule)) + ", 300 runs of 25 steps against the recursion, largest error");
  }
  gathers(outcome.claim, 0.4);
  noise_scale(outcome.claim, 0.4 * 0.7);
  gathers(outcome.control, 2.1 / 1.5 + 0.8);
  noise_scale(outcome.control, 0.7);
}

void cyclic_iteration(const Setting& setting, Outcome& outcome) {
  const std::string id = "shifted-interpolation/proposition-c.9";
  Draws draws(setting, id);
  outcome.claim.count_runs(200);
  outcome.claim.by_exact_law();  // of every path: none may differ
  const std::size_t records = 12, batch_size = 3, batches = records / batch_size, special = 7;
  const auto losses = logistic_losses(draws, records);
  const auto process = process_of(BatchRule::cyclic, batch_size, 22);
  const auto compare = [&](Trial& trial, std::size_t delay) {
    trial.identical(replay_error(process, losses, seed_of(setting, id), 200, delay), 2.0, 1e-12,
                    "200 runs of 22 steps and the recursion with the batch of step k + " + std::to_string(delay));
  };
  compare(outcome.claim, 0);
  compare(outcome.control, 1);
  simulate::BatchSequence sequence(BatchRule::cyclic, batch_size, records);
  bool in_order = true, where_expected = true;
  for (std::size_t k = 0; k < 5 * batches; ++k) {
    const std::size_t r = k - batches * (k / batches);  // the printed r = k + 1 - l floor(k/l), counted from 0
    const auto batch = sequence.batch(k, setting.seed, 0);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      in_order = in_order && batch[i] == r * batch_size + i;
    }
    const bool has_special = std::find(batch.begin(), batch.end(), special) != batch.end();
    where_expected = where_expected && has_special == (r == special / batch_size);
  }
  outcome.claim.require(in_order, "step k + 1 uses batch k + 1 - l floor(k/l) in each of 5 epochs");
  outcome.claim.require(where_expected, "the differing record is met in the same step of every epoch and in no other");
}

void template_algorithm(const Setting& setting, Outcome& outcome) {
  const std::string id = "shifted-interpolation/algorithm-1";
  outcome.claim.by_simulation(setting.size(200000, 2000000));
  const std::size_t paths = setting.size(200000, 2000000);
  // Quadratics in one dimension, four records of which the first has gradient 0.5 x - 1.
  const models::SeparableLosses losses(0.5, 0.0, 1, {-1.0, 0.0, 0.0, 0.0});
  simulate::NoisyDescent process{.step_size = 0.3, .noise = 0.8, .steps = 10};
  const auto law_at = [&](BatchRule rule, double iterate_noise) {
    simulate::ChainPair chains;
    chains.noise = iterate_noise;
    const Loss loss{0.5, 0.0};
    chains.kernels = {{{1.0, gradient_step(loss, 0.3)}},
                      {{1.0, gradient_step(loss, 0.3, 0.3 / 4.0)}},
                      {{1.0, gradient_step(loss, 0.3, 0.3 / 2.0)}},
                      {{0.5, gradient_step(loss, 0.3)}, {0.5, gradient_step(loss, 0.3, 0.3 / 2.0)}}};
    if (rule == BatchRule::full) {
      chains.first = {1};
    } else if (rule == BatchRule::cyclic) {
      chains.first = {2, 0};
    } else {
      chains.first = {3};
    }
    chains.second = chains.first;
    return exact_laws(chains, 10);
  };
  for (const BatchRule rule : {BatchRule::full, BatchRule::cyclic, BatchRule::subset}) {
    process.rule = rule;
    process.batch_size = 2;
    const auto x = simulate::final_iterates(process, losses, paths, seed_of(setting, id), 0, 1);
    const auto compare = [&](Trial& trial, double iterate_noise) {
      const auto law = law_at(rule, iterate_noise);
      for (const double threshold : {-0.4, 0.1, 0.3, 0.5, 1.0}) {
        const auto below = static_cast<std::uint64_t>(
            std::count_if(x.begin(), x.end(), [&](double value) { return value <= threshold; }));
        frequency_is(trial, below, paths, law.lower_tail_first(threshold),
                     std::string(name_of(rule)) + ", P(X <= " + shortest(threshold) + ")");
      }
    };
    compare(outcome.claim, 0.3 * 0.8);
    compare(outcome.control, 0.8);
  }
  // Batches of two of five records: each subset with probability 1/10, drawn directly or around a special record.
  const std::size_t draws = setting.size(100000, 1000000);
  simulate::BatchSequence sequence(BatchRule::subset, 2, 5);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> direct, separated;
  const auto count = [](auto& table, std::uint32_t a, std::uint32_t b) { ++table[{std::min(a, b), std::max(a, b)}]; };
  for (std::size_t i = 0; i < draws; ++i) {
    const auto batch = sequence.batch(i, seed_of(setting, id, 3), 0);
    count(direct, batch[0], batch[1]);
    random::Words words(seed_of(setting, id, 4), random::Purpose::sampling, 0, static_cast<std::uint64_t>(i) << 32U);
    const auto parts = simulate::separated_batch(5, 2, 1, words);
    count(separated, parts.common.front(), parts.has_special ? 1U : parts.replacement);
  }
  for (const auto& [table, how] : {std::pair{&direct, "drawn directly"}, std::pair{&separated, "as R, C and V"}}) {
    outcome.claim.require(table->size() == 10, std::string("batches of 2 of 5 records ") + how + ": all 10 occur");
    for (const auto& [batch, times] : *table) {
      frequency_is(outcome.claim, times, draws, 0.1,
                   std::string(how) + ", frequency of {" + std::to_string(batch.first) + ", " +
                       std::to_string(batch.second) + "}");
    }
  }
}

}  // namespace

std::vector<Case> simulator_cases() {
  return {
      {"shifted-interpolation/definition-c.1",
       "Noisy GD, cyclic GD and SGD are contractive noisy iterations X <- Proj(phi(X) + Z): phi contracts by c, and "
       "the noise of the iterate is eta sigma.",
       "300 runs of 25 steps of each on logistic losses in a ball against the recursion; 200 pairs of runs with the "
       "same "
       "noise from two starts; the mass of 100,000 one-step noises (nightly 1,000,000) within one standard deviation.",
       "Step size 2.2, above 2/M; and sigma as the noise of the iterate.", contractive_iteration},
      {"shifted-interpolation/proposition-c.9",
       "Noisy cyclic GD is a contractive noisy iteration whose step k + 1 uses batch k + 1 - l floor(k/l), so that one "
       "step of each epoch differs.",
       "200 runs of 22 steps on logistic losses of 12 records in batches of 3 against the recursion, and the batches "
       "of 5 epochs.",
       "The batch of the next step.", cyclic_iteration},
      {"shifted-interpolation/algorithm-1",
       "The simulator of the three algorithms has the laws of template (2.1), and noisy SGD draws every batch of b of "
       "n records with the same probability.",
       "200,000 runs (nightly 2,000,000) of 10 steps on quadratics: exact intervals at five thresholds against exact "
       "laws; 100,000 batches (nightly 1,000,000) of 2 of 5 records, drawn directly and as R, C and V.",
       "The noise of the iterate is sigma instead of eta sigma.", template_algorithm},
  };
}

}  // namespace dpcurves::validation::shifted_interpolation
