// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The experiment of Section 5: d = 1000, n = 1500, features uniform on (0, 1/sqrt d), eta = 0.05, delta = 0.1.
#include <algorithm>
#include <cmath>
#include <limits>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/divergence/renyi.hpp>
#include <dpcurves/homogenized/contractive_pass.hpp>
#include <dpcurves/homogenized/risk_trajectory.hpp>

#include "validation/cases/noisy_hsgd/least_squares_support.hpp"
#include "validation/cases/noisy_hsgd/section_5_support.hpp"
#include "validation/cases/topics.hpp"

namespace dpcurves::validation::noisy_hsgd {
namespace {

constexpr std::size_t dimension = section_5_dimension, steps = section_5_steps;

void figure_2a(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(3);
  std::vector<std::size_t> shown{0, 1, 3, 10, 30, 100, 200, 300, 500, 700, 1000, 1500};
  io::Plot plot{.title = "Section 5: single runs (points) over the Volterra curves",
                .x = {"iteration", true, std::nullopt, std::nullopt},
                .y = {"population risk, Sigma = I/(12 d)", true, std::nullopt, std::nullopt},
                .legend = io::Legend::bottom_left};
  int colour = 0;
  for (const double noise : {1.0, 1.25, 1.5}) {
    auto experiment = section_5(2.0, noise, seed_of(setting, "noisy-hsgd/figure-2a"));
    experiment.descent.observed = shown;
    const auto risk = isotropic_risk(experiment);
    std::vector<double> found(shown.size());
    simulate::noisy_sgd(experiment.descent, experiment.law, {1, seed_of(setting, "noisy-hsgd/figure-2a", 1), 0, 1, {}},
                        [&](const simulate::Observation& at, std::span<const double> x) { found[at.index] = risk(x); });
    const auto follows = [&](Trial& trial, const models::LeastSquares& problem, const std::string& metric) {
      const double horizon = static_cast<double>(steps) / dimension;
      const homogenized::RiskTrajectory trajectory(problem, horizon);
      std::vector<double> curve;
      std::size_t worst = 0;
      const auto off = [&](std::size_t j) { return std::abs(found[j] / curve[j] - 1.0); };
      for (std::size_t j = 0; j < shown.size(); ++j) {
        const double k = static_cast<double>(shown[j]);
        curve.push_back(trajectory.population_risk(std::min(horizon, k / dimension)).value);
        worst = off(j) > off(worst) ? j : worst;
      }
      constexpr double fluctuation = 0.2;  // a run is off by 1 to 5 %, on some draws by 14 %
      trial.close(found[worst], curve[worst], fluctuation,
                  "sigma = " + shortest(noise) + ", " + metric +
                      ", single run, farthest off at k = " + std::to_string(shown[worst]));
      return curve;
    };
    const auto curve = follows(outcome.claim, experiment.isotropic, "Sigma = I/(12 d)");
    follows(outcome.control, experiment.second_moment, "Sigma = E[a a']");
    std::vector<double> k(shown.begin() + 1, shown.end());
    plot.series.push_back(io::line("sigma = " + shortest(noise), k, {curve.begin() + 1, curve.end()}));
    plot.series.back().colour = colour;
    plot.series.push_back(io::points("", k, {found.begin() + 1, found.end()}));
    plot.series.back().colour = colour++;
  }
  outcome.figures.push_back({plot.title, plot});
}

void figure_3a(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(1);
  const std::string id = "noisy-hsgd/figure-3a";
  std::vector<std::size_t> shown{1, 3, 10, 30, 60, 100, 150, 200, 300, 500, 700, 1000, 1500};
  const auto reproduces = [&](Trial& trial, double start_deviation) {
    auto experiment = section_5(start_deviation, 1.5, seed_of(setting, id));
    experiment.descent.clip_norms = {3.0, 5.0, 7.0, std::numeric_limits<double>::infinity()};
    experiment.descent.observed = shown;
    const auto risk = isotropic_risk(experiment);
    std::vector<std::vector<double>> found(4, std::vector<double>(shown.size()));
    const auto clipping = simulate::noisy_sgd(
        experiment.descent, experiment.law, {1, seed_of(setting, id, 1), 0, 1, {}},
        [&](const simulate::Observation& at, std::span<const double> x) { found[at.clip][at.index] = risk(x); });
    const std::string start = "start of deviation " + shortest(start_deviation) + ", ";
    const auto between = [&](double value, double low, double high, const std::string& what) {
      trial.require(value >= low && value <= high,
                    start + what + ": " + rounded(value, 6) + " in [" + shortest(low) + ", " + shortest(high) + "]");
    };
    between(clipping[3].largest_norm, 5.0, 8.0, "largest gradient (published draw 6.19)");
    between(static_cast<double>(clipping[0].clipped), 330.0, 500.0, "steps clipped at 3 (published draw 410)");
    between(static_cast<double>(clipping[1].clipped), 20.0, 130.0, "steps clipped at 5 (published draw 59)");
    between(static_cast<double>(clipping[2].clipped), 0.0, 3.0, "steps clipped at 7 (published draw 0)");
    between(found[0][5] / found[3][5], 1.35, 1.75,
            "risks at k = 100, clipped at 3 over not clipped (published draw 1.53)");
    between(found[1][5] / found[3][5], 1.0, 1.12,
            "risks at k = 100, clipped at 5 over not clipped (published draw 1.05)");
    between(found[0].back() / found[3].back(), 0.95, 1.05, "risks at k = 1500, clipped at 3 over not clipped");
    return found;
  };
  const auto found = reproduces(outcome.claim, 2.0);
  reproduces(outcome.control, 1.0);
  io::Plot plot{.title = "Section 5: noisy SGD with and without clipping, same data and noise",
                .x = {"iteration", true, std::nullopt, std::nullopt},
                .y = {"population risk", true, 0.01, std::nullopt},
                .legend = io::Legend::bottom_left};
  const std::vector<double> k(shown.begin(), shown.end());
  plot.series = {io::line("clip norm 3", k, found[0]), io::line("clip norm 5", k, found[1]),
                 io::dashed("clip norm 7", k, found[2]), io::points("no clipping", k, found[3])};
  outcome.figures.push_back({plot.title, plot});
}

void figure_1b(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_exact_law();
  const std::string id = "noisy-hsgd/figure-1b";
  const auto scores = pair_scores(seed_of(setting, id), setting.size(40, 400));
  const auto follows = [&](Trial& trial, const std::vector<double>& x, const std::string& name) {
    const double found = log_correlation(x, scores.figure_units);
    trial.require(found >= 0.99, name + ": log-log correlation with the loss in plotted units " + rounded(found, 4) +
                                     " >= 0.99 (in consistent units " + rounded(log_correlation(x, scores.loss), 3) +
                                     ")");
  };
  follows(outcome.claim, scores.score, "score at x0, regulariser dropped");
  follows(outcome.control, scores.printed_score, "score as printed");
  outcome.figures.push_back({"Renyi loss against the score of the pair", pair_score_plot(scores)});
}

void figure_2b(const Setting& /*setting*/, Outcome& outcome) {
  outcome.claim.by_exact_law();
  const auto iterations = loss_iterations();
  for (const double noise : {1.0, 1.25, 1.5}) {
    const auto result = homogenized::isotropic_losses(published_pass(noise), 2.0, iterations);
    const auto falls = [&](Trial& trial, const std::vector<double>& loss, const std::string& units) {
      const auto peak = std::max_element(loss.begin(), loss.end());
      const double at = iterations[static_cast<std::size_t>(peak - loss.begin())];
      const std::string name = "sigma = " + shortest(noise) + ", " + units + ", ";
      trial.require(at >= 5.0 && at <= 20.0, name + "peak at k = " + shortest(at) + " in [5, 20]");
      trial.require(*peak / loss.back() > 15.0,
                    name + "peak over the value at k = 1500: " + rounded(*peak / loss.back(), 4) + " > 15");
    };
    falls(outcome.claim, result.backward, "consistent units");
    falls(outcome.control, result.figure_units, "plotted units");
  }
  outcome.figures.push_back({"Renyi loss along the iterations", loss_plot()});
}

void figure_3b(const Setting& /*setting*/, Outcome& outcome) {
  outcome.claim.by_exact_law();
  for (const double clip : {3.0, 5.0, 7.0}) {
    const homogenized::ContractivePass pass{0.05, 0.1, 2.0 * clip, 1.5, 1500.0};
    for (const double k : {1.0, 10.0, 300.0}) {
      // x -> r x + eta sigma Z, the first step shifted by eta S: variance by summation.
      const double r = 1.0 - 0.05 * 0.1, shift = 0.05 * pass.sensitivity * std::pow(r, k - 1.0);
      double variance = 0.0;
      for (double step = 0.0; step < k; ++step) {
        variance = r * r * variance + std::pow(0.05 * 1.5, 2.0);
      }
      const double exact = divergence::gaussian_renyi(2.0, shift / std::sqrt(variance));
      const std::string name = "clip norm " + shortest(clip) + ", " + shortest(k) + " steps after the record";
      const double claimed = homogenized::position_renyi(pass, 2.0, k);
      outcome.claim.close(claimed, exact, 1e-11, name);
      outcome.control.close(0.5 * 0.05 * claimed, exact, 1e-11, name + ", as plotted (alpha eta S^2/(4 sigma^2))");
    }
  }
}

}  // namespace

std::vector<Case> section_5_cases() {
  return {
      {"noisy-hsgd/figure-2a",
       "a single run of the experiment of Section 5 stays within a few percent of the Volterra curve, in the metric "
       "Sigma = I/(12 d) of the figure",
       "one run of 1500 steps at d = 1000 for each of three noises, start of deviation 2: the farthest of twelve "
       "iterations within 20 %",
       "the second moment E[a a'], whose spike the run does not average out", figure_2a},
      {"noisy-hsgd/figure-3a",
       "clipping at 3, 5 and 7 with shared noise acts on about 410, 59 and 0 of 1500 steps and leaves the plateau",
       "one run with four clip norms at d = 1000, start of deviation 2: counts, largest gradient, risks at k = 100 "
       "and 1500 in bands around the published draw",
       "a start of deviation 1, as printed: clipping hardly acts", figure_3a},
      {"noisy-hsgd/figure-1b", "the loss of a pair grows with its score, in the units of the figure",
       "40 pairs (nightly 400) of one data set at t = T/2: log-log correlation of the loss in plotted units with the "
       "score at x0, the regulariser dropped",
       "the score as printed, with the vector of ones and the regulariser", figure_1b},
      {"noisy-hsgd/figure-2b", "in consistent units the loss peaks near k = 10 and then falls by a factor above 15",
       "the pair of the published figure at three noises, order 2",
       "the units in which the figure was plotted: it rises to a plateau", figure_2b},
      {"noisy-hsgd/figure-3b", "the clipped baseline is the exact loss of a linear contraction",
       "three clip norms at three distances from the record, variance by summation, to 1e-11",
       "the plotted curve, smaller by eta/2", figure_3b}};
}

}  // namespace dpcurves::validation::noisy_hsgd
