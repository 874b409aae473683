// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Figure 1 of Wang et al., "Population Risk Bounds for KANs Trained by DP-SGD with Correlated Noise". The left panel
// shows a convolutional network on CIFAR-10 without numbers or hyper-parameters; a KAN on points of the ball stands in.
#include <algorithm>
#include <cmath>
#include <string>

#include <dpcurves/bounds/correlated_quadratic.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/core/parallel.hpp>
#include <dpcurves/simulate/dp_sgd.hpp>

#include "reproduce.hpp"
#include "validation/statistics.hpp"

namespace dpcurves::tools::reproduce {
namespace {

/// Noise multipliers that give (epsilon, 1e-5) at Poisson rate 0.02 over 400 steps, by the dominating pair of Theorem
/// F.8 (numerical; see docs/theory/kan-correlated-noise/training.md).
struct Budget {
  double epsilon;
  std::vector<double> correlations, multipliers;
};

const std::vector<Budget>& budgets() {
  static const std::vector<Budget> all{{8.0, {0.0, 0.5, 0.75, 0.9, 0.95}, {0.634, 0.87, 1.495, 3.38, 6.44}},
                                       {1.0, {0.0, 0.25, 0.5, 0.75}, {1.725, 2.18, 3.21, 6.32}}};
  return all;
}

constexpr std::uint32_t seeds = 16;
constexpr double step_sizes[] = {8.0, 32.0};

models::BinaryData draw(std::size_t records, std::uint32_t path) {
  models::BallData law;
  law.records = records;
  law.margin = 0.0;  // no gap between the classes: accuracy does not saturate
  law.label_noise = 0.05;
  return models::ball_data(law, 1, path);
}

/// Test accuracies of one budget and step size, shape (correlations x seeds).
std::vector<std::vector<double>> accuracies(const Budget& budget, double step_size) {
  std::vector<std::vector<double>> result(budget.correlations.size(), std::vector<double>(seeds));
  parallel_for(seeds, 0, [&](std::size_t seed) {
    const auto path = static_cast<std::uint32_t>(seed);
    const auto network = models::KanNetwork::draw({4, 64, 5, 3, models::Activation::tanh}, 1, path);
    models::KanLosses train(network, draw(500, 2 * path)), test(network, draw(1000, 2 * path + 1));
    for (std::size_t k = 0; k < result.size(); ++k) {
      simulate::DpSgd setting;
      setting.sampling = simulate::BatchSampling::poisson;
      setting.batch_size = 10.0;
      setting.step_size = step_size;
      setting.iterates = 401;
      setting.clip = 0.2;
      setting.correlation = budget.correlations[k];
      setting.noise_multiplier = budget.multipliers[k];
      result[k][seed] = simulate::train_kan(setting, train, test, 1, path).test_accuracy;
    }
  });
  return result;
}

std::string with_error(const validation::Moments& found) {
  return (found.mean >= 0.0 ? "+" : "") + rounded(found.mean, 3) + " +- " + rounded(found.mean_error, 2);
}

Reproduced run_figure_1() {
  Reproduced result{{"epsilon", "step size", "lambda"}, {}, {}, std::nullopt};
  result.notes.emplace_back(
      "Stand-in: the paper gives no numbers for its left panel (CIFAR-10). A KAN with 64 units on 500 points of the "
      "unit "
      "ball without a gap, 5 % of the labels flipped; Poisson rate 0.02, 400 steps, clip 0.2, delta = 1e-5; test "
      "accuracy (at most 0.95) over 16 seeds with common data, start, batches and noise; differences to lambda = 0 are "
      "paired.");
  io::Plot plot;
  plot.title = "Test accuracy against noise correlation at a fixed privacy budget (stand-in)";
  plot.x = {"lambda", false, -0.03, 1.0};
  plot.y = {"accuracy, paired difference to lambda = 0", false, std::nullopt, std::nullopt};
  plot.legend = io::Legend::bottom_left;
  double offset = -0.018;  // so that intervals do not hide each other
  for (const Budget& budget : budgets()) {
    for (const double step_size : step_sizes) {
      const auto found = accuracies(budget, step_size);
      const std::string epsilon = shortest(budget.epsilon), eta = shortest(step_size);
      std::vector<double> x, y, low, high;
      double gain = -1.0, gain_error = 0.0, best = 0.0, reduction = 0.0;
      validation::Moments last;
      for (std::size_t k = 0; k < found.size(); ++k) {
        const auto accuracy = validation::moments(found[k]), difference = validation::paired(found[k], found[0]);
        result.entries.push_back(
            {{epsilon, eta, shortest(budget.correlations[k])},
             accuracy.mean,
             std::nullopt,
             3,
             "+- " + rounded(accuracy.mean_error, 2) + (k == 0 ? "" : "; to lambda = 0: " + with_error(difference))});
        x.push_back(budget.correlations[k] + offset);
        y.push_back(difference.mean);
        low.push_back(difference.mean - 2.0 * difference.mean_error);
        high.push_back(difference.mean + 2.0 * difference.mean_error);
        if (k > 0 && difference.mean > gain) {
          gain = difference.mean;
          gain_error = difference.mean_error;
          best = budget.correlations[k];
          reduction = difference.mean / (1.0 - validation::moments(found[0]).mean);
        }
        last = difference;
      }
      plot.series.push_back(io::points("epsilon = " + epsilon + ", step size " + eta, x, y, low, high));
      offset += 0.012;
      const auto resolved = [](double value, double error) {
        return std::abs(value) > 2.0 * error ? "resolved at 2 standard errors" : "not resolved";
      };
      result.notes.push_back("epsilon = " + epsilon + ", step size " + eta + ": best at lambda = " + shortest(best) +
                             ", " + with_error({gain, gain_error, 0.0, 0.0}) + " (" + resolved(gain, gain_error) +
                             "), " + rounded(100.0 * reduction, 2) +
                             " % of the error; at lambda = " + shortest(budget.correlations.back()) + ": " +
                             with_error(last) + " (" + resolved(last.mean, last.mean_error) + ")");
    }
  }
  result.notes.emplace_back(
      "Right panel, exact: the standard deviation of the cumulative noise after 200 steps at lambda = 0.9 is " +
      rounded(std::sqrt(bounds::cumulative_noise_variance(200.0, 0.9)), 5) + " kappa, against " +
      rounded(std::sqrt(200.0), 5) + " kappa of independent noise.");
  plot.series.push_back(io::dashed("", {0.0, 1.0}, {0.0, 0.0}));
  result.plot = std::move(plot);
  return result;
}

}  // namespace

std::vector<Reproduction> kan_figures() {
  return {{"kan-correlated-noise/figure-1", "accuracy against noise correlation on a stand-in, and cumulative noise",
           run_figure_1}};
}

}  // namespace dpcurves::tools::reproduce
