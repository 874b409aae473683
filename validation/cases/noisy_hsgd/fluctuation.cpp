// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The laws of noisy SGD, HSGD and its linearisation: equal means and covariances, different fluctuations of the risk.
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/homogenized/risk_fluctuation.hpp>
#include <dpcurves/homogenized/risk_trajectory.hpp>
#include <dpcurves/inference/detail/mahalanobis.hpp>
#include <dpcurves/simulate/least_squares_data.hpp>
#include <dpcurves/simulate/least_squares_law.hpp>

#include "validation/cases/noisy_hsgd/least_squares_support.hpp"
#include "validation/cases/noisy_hsgd/section_5_support.hpp"
#include "validation/cases/topics.hpp"

namespace dpcurves::validation::noisy_hsgd {
namespace {

constexpr double horizon = 1.5;

/// Which process ends where.
enum class Ends { descent, diffusion, linear };

/// Of SGD, up to the horizon.
std::size_t steps_of(const models::LeastSquares& problem) {
  return static_cast<std::size_t>(std::lround(horizon * problem.dimension));
}

/// A statistic of the state at the horizon for each run.
std::vector<double> at_horizon(const models::LeastSquares& problem, Ends ends, std::size_t runs, std::uint64_t seed,
                               const std::function<double(std::span<const double>)>& statistic) {
  std::vector<double> values(runs);
  const auto observe = [&](const simulate::Observation& at, std::span<const double> x) {
    values[at.path] = statistic(x);
  };
  const auto kept = [&](std::size_t path, Archive& archive) { archive(values[path]); };
  const simulate::Paths paths{runs, seed, 0, 1, {}, kept};
  const std::size_t steps = steps_of(problem);
  switch (ends) {
    case Ends::descent:
      simulate::noisy_sgd(descent_of(problem, steps, Observed::last_step), simulate::records_of(problem), paths,
                          observe);
      break;
    case Ends::diffusion: {
      constexpr std::size_t refinement = 4;  // leaves a bias of the variance below 2 %
      simulate::hsgd(problem, horizon, refinement * steps, {refinement * steps}, paths, observe);
      break;
    }
    case Ends::linear:
      simulate::linear_hsgd(linear_law(problem, {horizon}), std::nullopt, paths, observe);
      break;
  }
  return values;
}

/// The measured mean and variance of the risk against claimed ones.
void fluctuates(Trial& trial, const inference::Moments& found, double mean, double variance, double allowance,
                const std::string& what) {
  trial.by_simulation(found.count);
  within_errors(trial, found.mean, found.mean_error, mean, what + ", mean risk", allowance * mean);
  within_errors(trial, found.variance * 1e4, found.variance_error * 1e4, variance * 1e4, what + ", 10^4 x variance",
                allowance * variance * 1e4);
}

void conjecture_3_1(const Setting& setting, Outcome& outcome) {
  const std::string id = "noisy-hsgd/conjecture-3.1";
  const std::size_t d = 50, runs = setting.size(2000, 20000);
  for (const auto& [gamma, noise] : {std::pair{0.8, 0.0}, {1.0, 1.0}}) {
    const auto problem = isotropic_model(d, gamma, 0.25, noise);
    const auto claimed = homogenized::risk_fluctuation({1.0, gamma, 0.25, noise, 1.0, static_cast<double>(d)}, horizon);
    const auto risk = simulate::population_risk(problem);
    const std::string name = ", gamma = " + shortest(gamma) + ", sigma = " + shortest(noise);
    const auto seed = seed_of(setting, id, static_cast<std::uint64_t>(10.0 * gamma));
    const inference::Moments descent = inference::moments(at_horizon(problem, Ends::descent, runs, seed, risk));
    const inference::Moments diffusion = inference::moments(at_horizon(problem, Ends::diffusion, runs, seed + 1, risk));
    const inference::Moments linear = inference::moments(at_horizon(problem, Ends::linear, runs, seed + 2, risk));
    constexpr double grid = 0.02, exact = 0.0;
    const double leading = 5.0 / static_cast<double>(d);
    fluctuates(outcome.claim, diffusion, claimed.mean, claimed.variance_hsgd, grid, "HSGD" + name);
    fluctuates(outcome.claim, linear, claimed.mean, claimed.variance_linear, exact, "linearised HSGD" + name);
    fluctuates(outcome.claim, descent, claimed.mean, claimed.variance_sgd, leading, "SGD" + name);
    // The conjecture read as equality of the laws, of which the risk is a function.
    fluctuates(outcome.control, diffusion, claimed.mean, claimed.variance_linear, grid, "HSGD as (9)" + name);
    fluctuates(outcome.control, descent, claimed.mean, claimed.variance_hsgd, leading, "SGD as HSGD" + name);
  }
}

/// Squared Mahalanobis distances from the law (10), sorted.
std::vector<double> distances(const models::LeastSquares& problem, const models::LeastSquares& claimed, Ends ends,
                              std::size_t runs, std::uint64_t seed) {
  const auto law = linear_law(claimed, {horizon});
  auto values = at_horizon(problem, ends, runs, seed, [&](std::span<const double> x) {
    return inference::squared_mahalanobis(x, law.means[0], law.variances[0]);
  });
  std::sort(values.begin(), values.end());
  return values;
}

void equation_10(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(setting.size(4000, 40000));
  const std::string id = "noisy-hsgd/equation-10";
  const auto problem = base_model(8);
  const std::size_t runs = setting.size(4000, 40000);
  const auto law = linear_law(problem, {horizon});
  // Mean, variance and covariance with the state half way, of a few coordinates.
  const auto compare = [&](Trial& trial, const std::string& name, std::size_t coordinate, const auto& run,
                           double factor) {
    const double mean = law.means[0][coordinate], variance = factor * law.variances[0][coordinate];
    std::vector<double> value(runs), square(runs);
    run([&](std::size_t path, std::span<const double> x) {
      value[path] = x[coordinate];
      square[path] = (x[coordinate] - mean) * (x[coordinate] - mean);
    });
    const inference::Moments first = inference::moments(value), second = inference::moments(square);
    const std::string what = name + ", coordinate " + std::to_string(coordinate + 1);
    within_errors(trial, first.mean, first.mean_error, mean, what + ", mean");
    within_errors(trial, second.mean, second.mean_error, variance, what + ", variance", 0.02 * variance);
  };
  const simulate::Paths paths{runs, seed_of(setting, id), 0, 1, {}};
  const auto equation = [&](const auto& keep) {
    simulate::hsgd(problem, horizon, 100, {100}, paths,
                   [&](const simulate::Observation& at, std::span<const double> x) { keep(at.path, x); });
  };
  const auto transitions = [&](const auto& keep) {
    simulate::linear_hsgd(linear_law(problem, {horizon / 3.0, horizon * 2.0 / 3.0, horizon}), std::nullopt, paths,
                          [&](const simulate::Observation& at, std::span<const double> x) {
                            if (at.index == 2) {
                              keep(at.path, x);
                            }
                          });
  };
  for (const std::size_t coordinate : std::vector<std::size_t>{0, 7}) {
    compare(outcome.claim, "HSGD (1)", coordinate, equation, 1.0);
    compare(outcome.claim, "linearised, three exact transitions", coordinate, transitions, 1.0);
    compare(outcome.control, "linearised, half the variance", coordinate, transitions, 0.5);
  }
  // The law itself: squared distances are chi-squared for (9), and wider for (1).
  const auto wide = isotropic_model(50, 0.8, 0.25, 0.0);
  const std::size_t sample = setting.size(2000, 20000);
  const auto chi_squared = [&](Trial& trial, Ends ends, const std::string& name) {
    const inference::Moments found = inference::moments(distances(wide, wide, ends, sample, seed_of(setting, id, 1)));
    within_errors(trial, found.variance / 100.0, found.variance_error / 100.0, 1.0,
                  name + ", d = 50, variance of the squared distance over 2 d");
  };
  chi_squared(outcome.claim, Ends::linear, "linearised");
  chi_squared(outcome.control, Ends::diffusion, "HSGD (1)");
}

/// E |x - mean|^2 of SGD over the trace, mean and trace of the claimed (10): exactly, by second moments. Both
/// isotropic.
double exact_distance(const models::LeastSquares& problem, const models::LeastSquares& claimed) {
  const auto law = linear_law(claimed, {horizon});
  const std::size_t steps = steps_of(problem);
  const double kurtosis = simulate::kurtosis(simulate::Entries::gaussian);
  const double square = 2.0 * simulate::exact_mean_risks(problem, kurtosis, steps).back() - problem.label_noise;
  const double shrinks = std::pow(1.0 - problem.schedule.rate(0.0) / problem.dimension, static_cast<double>(steps));
  const double mean = law.means[0][0];  // coordinates are alike
  return (square / problem.dimension - 2.0 * shrinks * problem.x0[0] * mean + mean * mean) / law.variances[0][0];
}

void figure_1a(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(setting.size(1000, 10000));
  const std::string id = "noisy-hsgd/figure-1a";
  const std::size_t d = 50, runs = setting.size(1000, 10000);
  constexpr double noise = 0.5, less = 0.8 * noise;
  const auto model = [](std::size_t dimension, double sigma) { return isotropic_model(dimension, 0.8, 0.25, sigma); };
  const auto loud = model(d, noise), quiet = model(d, less);
  const auto centred = [&](Trial& trial, const models::LeastSquares& claimed, Ends ends, const std::string& name) {
    const auto sample = distances(loud, claimed, ends, runs, seed_of(setting, id));
    const inference::Moments found = inference::moments(sample);
    const double size = static_cast<double>(d);
    constexpr double grid = 0.02;
    within_errors(
        trial, found.mean / size, found.mean_error / size,
        ends == Ends::descent ? exact_distance(claimed, claimed) : 1.0,
        name + ", mean squared distance over d (variance over 2 d: " + rounded(found.variance / (2.0 * size), 3) + ")",
        ends == Ends::diffusion ? grid : 0.0);
    return sample;
  };
  const auto descent = centred(outcome.claim, loud, Ends::descent, "SGD");
  const auto diffusion = centred(outcome.claim, loud, Ends::diffusion, "HSGD (1)");
  const auto linear = centred(outcome.claim, loud, Ends::linear, "linearised HSGD");
  centred(outcome.control, quiet, Ends::descent, "SGD against 0.8 times the noise");
  const auto tends_to_one = [&](Trial& trial, double claimed, const std::string& name) {
    std::vector<double> dimensions, off;
    for (std::size_t size = 25; size <= setting.size(200, 800); size *= 2) {
      dimensions.push_back(static_cast<double>(size));
      off.push_back(exact_distance(model(size, noise), model(size, claimed)) - 1.0);
    }
    slope_within(trial, dimensions, off, -1.1, -0.9, name + ", exact mean squared distance over d less 1");
  };
  tends_to_one(outcome.claim, noise, "SGD");
  tends_to_one(outcome.control, less, "SGD against 0.8 times the noise");
  const auto against = [&](const std::vector<double>& sample) {
    constexpr std::size_t shown = 60;
    return mapped(shown, [&](std::size_t i) { return sample[(2 * i + 1) * sample.size() / (2 * shown)]; });
  };
  std::vector<double> quantiles = mapped(60, [&](std::size_t i) {
    return inference::chi_squared_quantile(static_cast<double>(d), (2.0 * static_cast<double>(i) + 1.0) / 120.0);
  });
  io::Plot plot = quantile_plot("Squared Mahalanobis distance from (10), d = 50, sigma = 0.5", quantiles);
  for (const auto& [name, sample] :
       {std::pair{"noisy SGD", &descent}, {"HSGD (1)", &diffusion}, {"linearised HSGD (9)", &linear}}) {
    plot.series.push_back(io::points(name, quantiles, against(*sample)));
  }
  outcome.figures.push_back({plot.title, plot});
}

}  // namespace

std::vector<Case> fluctuation_cases() {
  return {
      {"noisy-hsgd/conjecture-3.1",
       "mean risks of SGD, (1) and (9) agree, and their variances are those of three different moment equations: the "
       "laws differ at the first random order",
       "2000 runs (nightly 20,000) of each at d = 50, two settings: mean and variance of the risk within 6.5 standard "
       "errors, 2 % for the grid of the equation, 5/d for SGD",
       "equal laws: the variance of (9) for (1), and that of (1) for SGD", conjecture_3_1},
      {"noisy-hsgd/equation-10", "(10) is the law of the linearised equation, and gives mean and variance of (1)",
       "4000 runs (nightly 40,000) of both at d = 8: means and variances; variance of the squared Mahalanobis distance "
       "at d = 50 against that of chi-squared",
       "half the variance; chi-squared distances for (1), whose law has heavier tails", equation_10},
      {"noisy-hsgd/figure-1a",
       "the last iterate of noisy SGD lies at squared Mahalanobis distance d from (10) on average",
       "1000 runs (nightly 10,000) at d = 50 of SGD, (1) and (9): mean over d is 1, for SGD 1.032 by its exact second "
       "moments, which tends to 1 like 1/d; within 6.5 standard errors, and 2 % for the grid of (1)",
       "the law of 0.8 times the noise", figure_1a}};
}

}  // namespace dpcurves::validation::noisy_hsgd
