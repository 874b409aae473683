// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Figure 1 of Wang et al., "Population Risk Bounds for KANs Trained by DP-SGD with Correlated Noise". The left panel
// shows a convolutional network on CIFAR-10 without numbers or hyper-parameters; a KAN on points of the ball stands in.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include <dpcurves/bounds/correlated_quadratic.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/models/detail/binary_images.hpp>
#include <dpcurves/queries/detail/image_files.hpp>
#include <dpcurves/simulate/dp_sgd.hpp>

#include "reproduce.hpp"
#include "reproduce/resume.hpp"
#include "support/means.hpp"

namespace dpcurves::tools::reproduce {
namespace {

constexpr double rate = 0.02;
constexpr std::size_t kan_steps = 400;

struct Budget {
  double epsilon = 1.0;
  std::vector<double> correlations, multipliers, errors;
};

/// What a privacy budget costs in noise at every correlation: the noise multipliers at which the dominating pair of
/// Theorem F.8 (Poisson at rate 0.02, 400 steps, zero-out) meets (epsilon, 1e-5). Composed exactly for independent
/// noise, estimated otherwise, with the standard error. They take minutes, so they are kept; each is the answer of
///   dpcurves calibrate correlated --solve-for noise-multiplier --steps 400 --lambda L --sampling-rate 0.02
///     --adjacency zero-out --method likelihood --epsilon E --delta 1e-5 --standard-error 0.05
/// (--method fft at lambda = 0). A test asks again.
const std::vector<Budget>& budgets() {
  static const std::vector<Budget> all{{8.0,
                                        {0.0, 0.25, 0.5, 0.75, 0.9, 0.95},
                                        {0.6344, 0.68773, 0.87457, 1.4917, 3.3805, 6.4475},
                                        {0.0, 0.0011, 0.0036, 0.0032, 0.0077, 0.012}},
                                       {1.0,
                                        {0.0, 0.25, 0.5, 0.75, 0.9, 0.95},
                                        {1.7246, 2.1905, 3.2161, 6.3323, 15.555, 30.492},
                                        {0.0, 0.0056, 0.0059, 0.01, 0.018, 0.035}}};
  return all;
}

constexpr std::uint32_t kan_seeds = 16;
constexpr double step_sizes[] = {8.0, 32.0};

models::BinaryData ball_records(std::size_t records, std::uint32_t path) {
  models::BallData law;
  law.records = records;
  law.margin = 0.0;  // no gap between the classes: accuracy does not saturate
  law.label_noise = 0.05;
  return models::ball_data(law, 1, path);
}

/// Records to train and to test on, of a path.
struct KanSource {
  std::function<models::BinaryData(bool test, std::uint32_t path)> data = [](bool test, std::uint32_t path) {
    return test ? ball_records(1000, 2 * path + 1) : ball_records(500, 2 * path);
  };
  std::size_t inputs = 4;
  std::vector<std::string> notes{};
  std::string name = "stand-in";
  OnData on{};  ///< repetitions, seed, threads, and what is kept
};

KanSource ball() {
  KanSource source;
  source.on.repetitions = kan_seeds;
  return source;
}

/// Test accuracies of one budget and step size, shape (correlations x seeds).
std::vector<std::vector<double>> accuracies(const Budget& budget, double step_size, const KanSource& source) {
  std::vector<std::vector<double>> result(budget.correlations.size(), std::vector<double>(source.on.repetitions));
  const auto train_all = [&](std::size_t seed) {
    const auto path = static_cast<std::uint32_t>(seed);
    const auto network =
        models::KanNetwork::draw({source.inputs, 64, 5, 3, models::Activation::tanh}, source.on.seed, path);
    models::KanLosses train(network, source.data(false, path)), test(network, source.data(true, path));
    for (std::size_t k = 0; k < result.size(); ++k) {
      simulate::DpSgd setting{.sampling = simulate::BatchSampling::poisson,
                              .batch_size = rate * static_cast<double>(train.records()),
                              .step_size = step_size,
                              .iterates = kan_steps + 1,
                              .clip = 0.2,
                              .noise_multiplier = budget.multipliers[k],
                              .correlation = budget.correlations[k]};
      result[k][seed] = simulate::train_kan(setting, train, test, source.on.seed, path).test_accuracy;
    }
  };
  const std::string name = "epsilon = " + shortest(budget.epsilon) + ", step size " + shortest(step_size);
  resumable_for(source.on.repetitions, source.on, name, train_all, [&](std::size_t seed, Archive& archive) {
    for (auto& accuracies_of : result) {
      archive(accuracies_of[seed]);
    }
  });
  return result;
}

std::string multiplier(const Budget& budget, std::size_t k) {
  return rounded(budget.multipliers[k], 5) +
         (budget.errors[k] > 0.0 ? " +- " + rounded(budget.errors[k], 1) : std::string(" (composed)"));
}

std::string with_error(const inference::Moments& found) {
  return (found.mean >= 0.0 ? "+" : "") + rounded(found.mean, 3) + " +- " + rounded(found.mean_error, 2);
}

Reproduced kan_figure_1(const KanSource& source) {
  Reproduced result{{"epsilon", "step size", "lambda", "kappa"}, {}, source.notes};
  const std::string own_note =
      "Stand-in: the paper gives no numbers for its left panel (CIFAR-10). A KAN with 64 units on 500 points of the "
      "unit ball without a gap, 5 % of the labels flipped; Poisson rate 0.02, 400 steps, clip 0.2, delta = 1e-5; test "
      "accuracy (at most 0.95) over 16 seeds with common data, start, batches and noise; differences to lambda = 0 are "
      "paired.";
  if (source.notes.empty()) {
    result.notes.push_back(own_note);
  }
  result.notes.emplace_back(
      "kappa: the noise multiplier at which the dominating pair of Theorem F.8 (Poisson, zero-out) meets the budget; "
      "at lambda = 0 composed exactly, else estimated by Monte Carlo, with its standard error. An estimate is no "
      "guarantee.");
  io::Plot plot{"Test accuracy against noise correlation at a fixed privacy budget (" + source.name +
                    ")\ndelta = 1e-5, 400 Poisson batches at rate 0.02, clip norm 0.2; paired, " +
                    std::to_string(source.on.repetitions) + " runs",
                {"lambda", false, -0.03, 1.0},
                {"accuracy, paired difference to lambda = 0"},
                io::Legend::bottom_left};
  double offset = -0.018;  // so that intervals do not hide each other
  for (const Budget& budget : budgets()) {
    for (const double step_size : step_sizes) {
      const auto found = accuracies(budget, step_size, source);
      const std::string epsilon = shortest(budget.epsilon), eta = shortest(step_size);
      io::Series drawn = io::points("epsilon = " + epsilon + ", step size " + eta, {}, {});
      double gain = -1.0, gain_error = 0.0, best = 0.0, reduction = 0.0;
      inference::Moments last;
      for (std::size_t k = 0; k < found.size(); ++k) {
        const auto accuracy = inference::moments(found[k]), difference = inference::paired(found[k], found[0]);
        result.add(
            {epsilon, eta, shortest(budget.correlations[k]), multiplier(budget, k)}, accuracy.mean,
            "+- " + rounded(accuracy.mean_error, 2) + (k == 0 ? "" : "; to lambda = 0: " + with_error(difference)));
        add_mean(drawn, budget.correlations[k] + offset, difference);
        if (k > 0 && difference.mean > gain) {
          gain = difference.mean;
          gain_error = difference.mean_error;
          best = budget.correlations[k];
          reduction = difference.mean / (1.0 - inference::moments(found[0]).mean);
        }
        last = difference;
      }
      plot.series.push_back(std::move(drawn));
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
  plot.series.push_back(io::dashed("", {0.0, 1.0}, {0.0, 0.0}));
  result.plot = std::move(plot);
  return result;
}

/// Images in place of points of the ball.
Reproduced kan_figure_1_on(const OnData& question) {
  constexpr std::size_t side = 4;  // more inputs saturate the units of the start
  const auto folder = queries::read_image_folder("--data", question.folder);
  const auto train = std::make_shared<const models::LabelledImages>(models::pooled(folder.train.images, side));
  const auto tests = std::make_shared<const models::LabelledImages>(models::pooled(folder.test.images, side));
  const std::size_t records = std::min<std::size_t>(5000, train->labels.size());
  KanSource source{
      .inputs = static_cast<std::size_t>(train->images.cols()), .name = "images of " + question.folder, .on = question};
  source.data = [train, tests, records](bool test, std::uint32_t path) {
    return test ? models::binary_images(*tests, 0, tests->labels.size())
                : models::binary_images(*train, path * records, records);
  };
  source.notes = {
      "stand-in for a convolutional network on CIFAR-10: a KAN with 64 units on " + std::to_string(records) +
      " images of " + question.folder +
      ", means over 4 x 4 blocks, odd against even classes, on the unit sphere; Poisson rate 0.02, 400 steps, clip "
      "0.2, delta = 1e-5; test accuracy over " +
      std::to_string(question.repetitions) +
      " seeds with common start, batches and noise; differences to lambda = 0 are paired. The paper gives no numbers."};
  return kan_figure_1(source);
}

/// The right panel: the standard deviation of the noise that has built up after t steps, exactly.
Reproduced run_cumulative_noise() {
  Reproduced result{{"lambda", "t"}};
  io::Plot plot{"Noise that has built up, in units of the noise of one step\nat one noise multiplier",
                {"t", false, 0.0, 200.0},
                {"standard deviation", false, 0.0},
                io::Legend::top_left};
  for (const double lambda : {0.0, 0.5, 0.75, 0.9}) {
    std::vector<double> x, y;
    for (int t = 1; t <= 200; ++t) {
      x.push_back(t);
      y.push_back(std::sqrt(bounds::cumulative_noise_variance(t, lambda)));
      if (t == 50 || t == 200) {
        result.add({shortest(lambda), std::to_string(t)}, y.back());
      }
    }
    plot.series.push_back(io::line(lambda == 0.0 ? "independent" : "lambda = " + shortest(lambda), x, y));
  }
  result.notes.emplace_back(
      "Exact: sqrt(1 + (t - 1)(1 - lambda)^2) against sqrt(t), at one noise multiplier. At a fixed privacy budget the "
      "noise multiplier grows with lambda: figure-1.");
  result.plot = std::move(plot);
  return result;
}

}  // namespace

std::vector<Reproduction> kan_figures() {
  return {
      {"kan-correlated-noise/figure-1", "accuracy against noise correlation", [] { return kan_figure_1(ball()); },
       kan_figure_1_on, " on a stand-in"},
      {"kan-correlated-noise/figure-1-right", "cumulative noise with and without correlation", run_cumulative_noise}};
}

}  // namespace dpcurves::tools::reproduce
