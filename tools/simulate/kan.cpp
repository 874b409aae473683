// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate kan: what correlation of the noise is worth, over runs that share data, start, batches and noise.
#include <cmath>
#include <optional>
#include <span>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/io/plot.hpp>
#include <dpcurves/models/detail/correlated_noise.hpp>
#include <dpcurves/queries/detail/kan_problem.hpp>
#include <dpcurves/queries/detail/run_forms.hpp>
#include <dpcurves/queries/detail/strategy_file.hpp>
#include <dpcurves/simulate/dp_sgd.hpp>

#include "simulate/processes.hpp"
#include "support/means.hpp"
#include "support/simulation.hpp"

namespace dpcurves::tools {
namespace {

std::vector<Option> simulated_kan_options() {
  std::vector<Option> table{
      {"lambda", OptionKind::numbers, "[0, 1] = 0", "noise correlations to compare; differences are to the first"},
      {"strategy", OptionKind::text, "",
       "another noise to compare, after the lambda: CSV file with the coefficients of a banded Toeplitz matrix in one "
       "row, or a lower-triangular matrix with one row per noisy step"},
      {"noise-multiplier", OptionKind::numbers, "[0, inf) = 0",
       "noise over the clip norm, on the sum of gradients: one, or one for each that is compared"},
      {"batch-size", OptionKind::number, "(0, inf) = 10", "records per step B (Poisson: on average)"},
      {"sampling", OptionKind::text, "poisson|fixed-size = poisson", "how batches are drawn"},
      {"step-size", OptionKind::number, "(0, inf) = 8", "eta"},
      {"iterates", OptionKind::count, "[1, 100000000] = 401", "T, one more than the noisy steps"},
      {"clip", OptionKind::number, "(0, inf) = 0.2", "clip norm of gradients"},
      {"radius", OptionKind::number, "(0, inf] = inf", "radius of the projection around the start"}};
  const auto problem = kan_options();
  table.insert(table.end(), problem.begin(), problem.end());
  table.push_back({"paths", OptionKind::count, "[2, 1000000] = 12", "runs per lambda", run_group});
  table.push_back(queries::plot_option("draw", run_group));
  table.push_back(queries::run_option());
  return table;
}

simulate::DpSgd training_of(const Values& values, std::size_t records) {
  simulate::DpSgd setting{.sampling = values.text("sampling") == "poisson" ? simulate::BatchSampling::poisson
                                                                           : simulate::BatchSampling::fixed_size,
                          .batch_size = values.number("batch-size")};
  const std::string size = shortest(setting.batch_size);
  require_option(setting.batch_size <= static_cast<double>(records), "batch-size",
                 size + " is outside (0, " + std::to_string(records) + "], the number of records");
  require_option(
      setting.sampling != simulate::BatchSampling::fixed_size || setting.batch_size == std::floor(setting.batch_size),
      "batch-size", size + " is not a whole number");
  setting.step_size = values.number("step-size");
  setting.iterates = values.count("iterates");
  setting.clip = values.number("clip");
  setting.radius = values.number("radius");
  return setting;
}

/// The noise that --strategy or the coefficients of a run file say; empty: that of lambda alone.
std::optional<models::StrategyMatrix> strategy_of(const Values& values, std::size_t noisy_steps) {
  if (values.has(queries::coefficients_key)) {
    return models::StrategyMatrix::toeplitz(values.numbers(queries::coefficients_key), noisy_steps);
  }
  if (values.has("strategy")) {
    return read_strategy_file(values.text("strategy"), noisy_steps, "--iterates");
  }
  return std::nullopt;
}

struct ComparedNoise {
  std::optional<models::StrategyMatrix> strategy;  ///< empty: lambda-CGD
  double correlation = 0.0, noise_multiplier = 0.0;
  std::vector<simulate::KanOutcome> runs;

  [[nodiscard]] std::string name() const { return strategy ? "strategy" : shortest(correlation); }
};

/// Without runs: each lambda, and the strategy if there is one.
std::vector<ComparedNoise> compared_of(const Values& values, std::size_t iterates, std::size_t paths) {
  auto multipliers = values.numbers("noise-multiplier");
  const bool by_matrix = values.has("strategy") || values.has(queries::coefficients_key);
  const auto correlations = values.has("lambda") || !by_matrix ? values.numbers("lambda") : std::vector<double>{};
  const std::size_t number_compared = correlations.size() + (by_matrix ? 1U : 0U);
  if (multipliers.size() == 1) {
    multipliers.resize(number_compared, multipliers.front());
  }
  require_option(multipliers.size() == number_compared, "noise-multiplier",
                 "give one, or one for each of the " + std::to_string(number_compared) + " that are compared");
  std::vector<ComparedNoise> compared;
  for (std::size_t k = 0; k < correlations.size(); ++k) {
    compared.push_back({std::nullopt, correlations[k], multipliers[k], std::vector<simulate::KanOutcome>(paths)});
  }
  if (by_matrix) {
    compared.push_back(
        {strategy_of(values, iterates - 1), 0.0, multipliers.back(), std::vector<simulate::KanOutcome>(paths)});
  }
  return compared;
}

Simulation simulate_kan(const Asked& asked) {
  const auto& [values, common, table] = asked;
  const auto probe = kan_training_data(values, common.seed, 0);
  const auto shape = kan_shape(values, static_cast<std::size_t>(probe.inputs.rows()));
  const auto base = training_of(values, probe.records());
  const auto paths = values.count("paths");
  auto compared = compared_of(values, base.iterates, paths);
  const bool by_matrix = compared.back().strategy.has_value();
  const bool tested = kan_test_data(values, common.seed, 0).records() > 0;
  last_loop(
      common, "training", paths,
      [&](std::size_t path) {
        const auto number = static_cast<std::uint32_t>(path);
        const auto network = models::KanNetwork::draw(shape, common.seed, number);
        models::KanLosses train(network, kan_training_data(values, common.seed, number));
        auto test_data = kan_test_data(values, common.seed, number);
        models::KanLosses test(network, tested ? std::move(test_data) : train.data());
        for (auto& one : compared) {
          auto setting = base;
          setting.correlation = one.correlation;
          setting.noise_multiplier = one.noise_multiplier;
          simulate::NoiseRows rows;
          if (one.strategy) {
            rows = [noise = models::CorrelatedNoise(*one.strategy, train.dimension()), seed = common.seed, number](
                       std::size_t, std::span<double> row) mutable { noise.draw(row, seed, number); };
          }
          one.runs[path] = simulate::train_kan(setting, train, test, common.seed, number, {}, rows);
        }
      },
      [&](std::size_t path, Archive& archive) {
        for (auto& one : compared) {
          archive(one.runs[path]);
        }
      });
  const auto measure = tested ? &simulate::KanOutcome::test_accuracy : &simulate::KanOutcome::train_accuracy;
  const std::string name = tested ? "test accuracy" : "training accuracy";
  Results results({{"", "", "lambda"},
                   {"lambda", "lambda", ""},
                   {"strategy"},
                   {"noise_multiplier", "noise_multiplier", "noise multiplier"},
                   {"accuracy", "accuracy", name, 4},
                   {"standard_error", "error", "+-", 2},
                   {"difference", "difference", "to the first", 3},
                   {"difference_standard_error", "difference_error", "+-", 2},
                   {"train_loss", "train_loss", "training loss", 4},
                   {"clipped_share", "clipped", "clipped", 3},
                   {"projected_steps", "projected", "projected", 4}});
  io::Plot plot{"DP-SGD with correlated noise on a KAN: " + std::to_string(paths) + " paired runs",
                {"lambda", false, -0.05, 1.0},
                {name + ", mean and 2 standard errors"},
                by_matrix ? io::Legend::bottom_left : io::Legend::none};
  io::Series drawn = io::points("lambda", {}, {});
  const auto first = all_of(compared.front().runs, measure);
  for (const auto& one : compared) {
    const auto accuracies = all_of(one.runs, measure);
    const auto accuracy = inference::moments(accuracies), difference = inference::paired(accuracies, first);
    const double loss = moments_of(one.runs, &simulate::KanOutcome::train_loss).mean;
    const double clipped = moments_of(one.runs, &simulate::KanOutcome::clipped).mean;
    const double projected = moments_of(one.runs, &simulate::KanOutcome::projected).mean;
    results.add({one.name(), one.strategy ? Json(nullptr) : Json(one.correlation),
                 one.strategy ? Json(values.text_or("strategy", "coefficients")) : Json(nullptr), one.noise_multiplier,
                 accuracy.mean, accuracy.mean_error, difference.mean, difference.mean_error, loss, clipped, projected});
    if (!one.strategy) {
      add_mean(drawn, one.correlation, accuracy);
      continue;
    }
    plot.series.push_back(io::dashed(values.has("strategy") ? "--strategy" : "the coefficients of --run", {0.0, 1.0},
                                     {accuracy.mean, accuracy.mean}));
  }
  if (!drawn.x.empty()) {
    plot.series.insert(plot.series.begin(), std::move(drawn));
  }
  Simulation found =
      results.found("kan, " + std::to_string(shape.units) + " units, " + std::to_string(shape.parameters()) +
                        " parameters, " + std::to_string(probe.records()) + " records, " + std::to_string(paths) +
                        " runs per lambda, seed " + std::to_string(common.seed),
                    {{"measured_on", tested ? "test" : "training"}});
  found.text += "runs of equal number share network, data, start, batches and white noise: differences are paired\n";
  found.text += "this command measures; what a noise multiplier is worth in privacy says dpcurves privacy correlated\n";
  found.plot = std::move(plot);
  return found;
}

}  // namespace

Leaf kan_simulation() {
  return simulation(
      "kan", "a two-layer KAN trained by clipped SGD with correlated noise, several lambda on paired runs",
      {"--lambda 0,0.5,0.75,0.95 --noise-multiplier 0.634,0.87,1.495,6.44 --step-size 32",
       "--data data/datasets/two-classes.csv --noise-multiplier 2 --lambda 0,0.5 --batch-size 20",
       "--lambda 0,0.5 --strategy data/examples/banded-toeplitz.csv --noise-multiplier 2",
       "--run data/examples/training-run.toml"},
      simulated_kan_options(),
      from_run({"kan",
                {{mechanism::Sampler::poisson, "poisson"}, {mechanism::Sampler::fixed_size, "fixed-size"}},
                true,
                true,
                true},
               simulate_kan));
}

}  // namespace dpcurves::tools
