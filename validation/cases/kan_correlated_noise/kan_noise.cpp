// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What correlation does to the noise: cumulative sums, quadratics, the training loss of a KAN.
#include <algorithm>
#include <array>
#include <cmath>

#include <dpcurves/bounds/correlated_quadratic.hpp>
#include <dpcurves/bounds/kan_optimisation.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/random/streams.hpp>

#include "validation/cases/kan_correlated_noise/kan_support.hpp"
#include "validation/cases/topics.hpp"
#include "validation/statistics.hpp"

namespace dpcurves::validation::kan_correlated_noise {
namespace {

void figure_1(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(setting.size(4000, 200000));
  const std::size_t paths = setting.size(4000, 200000);
  constexpr std::size_t last = 200;
  constexpr double correlation = 0.9;
  std::vector<double> sums(paths, 0.0), before(paths, 0.0), z(paths), square(paths);
  std::vector<double> at, measured, low, high;
  const std::uint64_t seed = seed_of(setting, "kan-correlated-noise/figure-1");
  for (std::size_t t = 1; t <= last; ++t) {
    random::normals(z, seed, random::Purpose::noise, static_cast<std::uint32_t>(t), 0);
    for (std::size_t i = 0; i < paths; ++i) {
      sums[i] += z[i] - correlation * before[i];
      square[i] = sums[i] * sums[i];
    }
    before = z;
    if (t % 20 == 0) {
      const inference::Moments found = inference::moments(square);
      const auto compared = [&](Trial& trial, double lambda, const std::string& what) {
        within_errors(trial, found.mean, found.mean_error,
                      bounds::cumulative_noise_variance(static_cast<double>(t), lambda),
                      "variance of the noise after " + std::to_string(t) + " steps" + what);
      };
      compared(outcome.claim, correlation, "");
      compared(outcome.control, 0.0, ", independent noise");
      at.push_back(static_cast<double>(t));
      measured.push_back(std::sqrt(found.mean));
      low.push_back(std::sqrt(std::max(0.0, found.mean - inference::standard_errors * found.mean_error)));
      high.push_back(std::sqrt(found.mean + inference::standard_errors * found.mean_error));
    }
  }
  std::vector<double> t, correlated, independent;
  for (std::size_t k = 1; k <= last; ++k) {
    t.push_back(static_cast<double>(k));
    correlated.push_back(std::sqrt(bounds::cumulative_noise_variance(t.back(), correlation)));
    independent.push_back(std::sqrt(bounds::cumulative_noise_variance(t.back(), 0.0)));
  }
  io::Plot plot{.title = "Cumulative noise with and without correlation",
                .x = {"step t", false, 0.0, 200.0},
                .y = {"standard deviation per coordinate, over kappa", false, 0.0, std::nullopt},
                .legend = io::Legend::top_left,
                .series = {io::line("independent, sqrt(t)", t, independent), io::line("lambda = 0.9", t, correlated),
                           io::points("simulation, lambda = 0.9", at, measured, low, high)}};
  outcome.figures.push_back({plot.title, plot});
}

void remark_4_2(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(setting.size(3000, 100000));
  // The stationary variance of quadratics.
  const std::size_t paths = setting.size(3000, 100000);
  const std::uint64_t seed = seed_of(setting, "kan-correlated-noise/remark-4.2");
  constexpr double a = 1.0, eta = 0.1;
  std::uint32_t stream = 0;
  for (const double lambda : {0.0, 0.5, 0.9}) {
    std::vector<double> x(paths, 0.0), before(paths, 0.0), z(paths);
    for (int t = 0; t < 80; ++t) {  // 0.9^160 is 5e-8
      random::normals(z, seed, random::Purpose::noise, stream++, 0);
      for (std::size_t i = 0; i < paths; ++i) {
        x[i] = (1.0 - eta * a) * x[i] - eta * (z[i] - lambda * before[i]);
      }
      before.swap(z);
    }
    const inference::Moments found = inference::moments(x);
    const auto compared = [&](Trial& trial, double exact, const std::string& what) {
      within_errors(trial, found.variance, found.variance_error, exact,
                    "variance at lambda = " + rounded(lambda, 2) + what);
    };
    compared(outcome.claim, bounds::stationary_variance({a, eta, lambda, 1.0}), "");
    // lambda -> -lambda
    compared(outcome.control,
             eta * eta * (1.0 + lambda * lambda + 2.0 * lambda * (1.0 - eta)) / (2.0 * eta - eta * eta),
             " with -lambda");
  }
  // Where the bound of Theorem 4.1 is least.
  outcome.claim.by_formula();
  const auto noise = [](double lambda) {
    return bounds::optimisation_rate({0.1, eta, 1000.0, 100.0, lambda, 1.0, 1000.0, 10.0}).noise;
  };
  const double best = bounds::best_correlation(eta);
  for (int i = 0; i <= 100; ++i) {
    const double lambda = 0.01 * i;
    outcome.claim.at_most(noise(best), noise(lambda),
                          "noise term at 1/(1 + eta) against lambda = " + rounded(lambda, 3));
    outcome.control.at_most(noise(1.0), noise(lambda),
                            "noise term at 1 (as printed) against lambda = " + rounded(lambda, 3));
  }
}

void theorem_4_1(const Setting& setting, Outcome& outcome) {
  // One network for every seed: noise may also lower the loss of a network whose mean curvature is negative.
  auto one = instance(40, 32, seed_of(Setting{}, "kan-correlated-noise/theorem-4.1"));
  constexpr double noise = 0.03;
  auto s = descent(40.0, 0.3, 100, noise, 0.0);
  const std::uint64_t seed = seed_of(setting, "kan-correlated-noise/theorem-4.1", 1);
  const auto mean_loss = [&](const simulate::NoiseRows& rows, std::uint32_t path) {
    auto used = s;
    used.noise_multiplier = rows ? s.noise_multiplier : 0.0;
    simulate::DpSgdRun run(used, one.losses, one.start, seed, path, rows);
    double total = 0.0;
    for (std::size_t t = 0; t < s.iterates; ++t) {
      total += models::mean_loss(one.losses, run.iterate()) / static_cast<double>(s.iterates);
      run.step();
    }
    return total;
  };
  const double quiet = mean_loss({}, 0);
  /// Rows of sign (Z_t - lambda Z_{t-1}), or independent rows of the same variance 1 + lambda^2.
  const auto rows = [&](double sign, double lambda, bool correlated, std::uint32_t path) -> simulate::NoiseRows {
    return [&, sign, lambda, correlated, path, before = std::vector<double>(one.start.size(), 0.0),
            now = std::vector<double>(one.start.size())](std::size_t t, std::span<double> row) mutable {
      random::normals(now, seed, random::Purpose::noise, path, (t - 1) * now.size());
      for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = sign * (correlated ? now[i] - lambda * before[i] : std::sqrt(1.0 + lambda * lambda) * now[i]);
      }
      before.swap(now);
    };
  };
  constexpr std::array<double, 3> lambdas{0.0, 0.5, 0.9};
  std::vector<double> kept, correlated, independent;
  const auto pairs = static_cast<std::uint32_t>(setting.size(40, 200));
  std::vector<double> free(pairs);  // excess at lambda = 0, of each pair
  for (const double lambda : lambdas) {
    kept.push_back(1.0 - lambda);
    for (const bool is_correlated : {true, false}) {
      if (lambda == 0.0 && !is_correlated) {
        independent.push_back(correlated.back());  // the same runs
        continue;
      }
      std::vector<double> excess(pairs);
      for (std::uint32_t path = 0; path < pairs; ++path) {
        for (const double sign : {1.0, -1.0}) {
          excess[path] += 0.5 * (mean_loss(rows(sign, lambda, is_correlated, path), path) - quiet);
        }
        if (lambda == 0.0) {
          free[path] = excess[path];
        }
      }
      (is_correlated ? correlated : independent).push_back(inference::moments(excess).mean);
      if (lambda > 0.0) {
        ratio_below(is_correlated ? outcome.claim : outcome.control, excess, free, 1.0 - lambda,
                    "excess at lambda = " + shortest(lambda) + " over that at 0" +
                        (is_correlated ? "" : ", independent noise of the same variance"));
      }
    }
  }
  io::Plot plot{.title = "Excess training loss that the noise causes, at a fixed noise multiplier",
                .x = {"1 - lambda", false, 0.0, 1.0},
                .y = {"mean loss above the run without noise", true, 1e-5, 1e-3},
                .legend = io::Legend::bottom_right,
                .series = {io::line("correlated noise", kept, correlated),
                           io::dashed("independent, same variance", kept, independent)}};
  outcome.figures.push_back({plot.title, plot});
}

}  // namespace

std::vector<Case> kan_noise_cases() {
  return {
      {"kan-correlated-noise/figure-1",
       "right panel: the sum of t steps of correlated noise has variance 1 + (t - 1)(1 - lambda)^2",
       "4000 coordinates (nightly 200,000) over 200 steps at lambda = 0.9, 6.5 standard errors; the left panel is "
       "'dpcurves reproduce kan-correlated-noise/figure-1'",
       "the variance of independent noise", figure_1},
      {"kan-correlated-noise/remark-4.2",
       "at fixed kappa the noise term is least at lambda = 1/(1 + eta), on a quadratic at 1 - eta a",
       "stationary variances of 3000 runs (nightly 100,000) at three lambda; the bound on a grid of 101 lambda",
       "-lambda for lambda; least at lambda = 1, as printed", remark_4_2},
      {"kan-correlated-noise/theorem-4.1",
       "the loss that noise adds falls with a power of 1 - lambda of at least 1 at fixed kappa",
       "full batches, 32 units, 100 steps, 40 antithetic pairs (nightly 200) with common random numbers at lambda = 0, "
       "0.5, 0.9: the excess is at most 1 - lambda of that at 0, Student intervals of the ratio",
       "independent noise of the same variance per step", theorem_4_1}};
}

}  // namespace dpcurves::validation::kan_correlated_noise
