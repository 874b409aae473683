// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// DP-SGD of the two-layer network on patches: runs of the reduced and the full-size experiment, steps that form every
// gradient, and training in the span of the data.
#include <array>
#include <cmath>
#include <vector>

#include <Eigen/Core>
#include <benchmark/benchmark.h>

#include <dpcurves/models/detail/product_kernel.hpp>
#include <dpcurves/simulate/detail/patch_span.hpp>
#include <dpcurves/simulate/patch_experiment.hpp>

namespace {

using namespace dpcurves;

models::PatchLaw law_of(double dimension) {
  models::PatchLaw law{{5.0, dimension, 0.5, 0.5}, 1.0, models::NoiseLaw::gaussian};
  law.noise.spike = models::spike_of_ratio(10.0, law.noise);
  return law;
}

simulate::PatchSgd private_sgd() { return simulate::in_mode({}, simulate::PatchMode::dp, 1.0, 2.9997); }

/// K = 5, d = 200, m = 20, n = 100, B = 50, T = 80.
void reduced_run(benchmark::State& state) {
  models::PatchCnn model(models::draw_patches(law_of(200), 100, 1, 0, models::DataPart::train), 20);
  const auto start = simulate::uniform_start(model, 1, 0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(simulate::train_patches(private_sgd(), model, start, 1, 0));
  }
}

/// The same run with every example's gradient formed and measured.
void reduced_run_forming_gradients(benchmark::State& state) {
  models::PatchCnn model(models::draw_patches(law_of(200), 100, 1, 0, models::DataPart::train), 20);
  const auto start = simulate::uniform_start(model, 1, 0);
  const auto setting = private_sgd();
  std::vector<double> one(start.size()), sum(start.size());
  for (auto _ : state) {
    simulate::PatchRun run(setting, model, start, 1, 0);  // batches and noise; its own step is the smaller part
    for (std::size_t t = 0; t < setting.steps; ++t) {
      run.step();
      std::fill(sum.begin(), sum.end(), 0.0);
      for (const std::uint32_t i : run.batch()) {
        model.clipped_sum(std::array{i}, run.weights(), std::numeric_limits<double>::infinity(), one);
        Eigen::Map<Eigen::VectorXd> gradient(one.data(), static_cast<Eigen::Index>(one.size()));
        Eigen::Map<Eigen::VectorXd>(sum.data(), static_cast<Eigen::Index>(sum.size())) +=
            gradient / std::max(1.0, gradient.norm());
      }
      benchmark::DoNotOptimize(sum.data());
    }
  }
}

/// One mode of one cell of the heat map at the paper's sizes: d = 1000, m = 100, n = 500, B = 256, T = 40.
void full_size_run(benchmark::State& state) {
  models::PatchCnn model(models::draw_patches(law_of(1000), 500, 1, 0, models::DataPart::train), 100);
  auto setting = private_sgd();
  setting.batch_size = 256;
  setting.steps = 40;
  const auto start = simulate::uniform_start(model, 1, 0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(simulate::train_patches(setting, model, start, 1, 0));
  }
}

void wide_run(benchmark::State& state, bool in_span) {
  models::PatchCnn model(models::draw_patches(law_of(10000), 100, 1, 0, models::DataPart::train), 20);
  const auto start = simulate::uniform_start(model, 1, 0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(in_span ? simulate::train_in_span(private_sgd(), model, start, 1, 0)
                                     : simulate::train_patches(private_sgd(), model, start, 1, 0));
  }
}

void product(benchmark::State& state, bool own) {
  const models::RowMatrix a = models::RowMatrix::Random(256, 1000), b = models::RowMatrix::Random(1000, 500);
  models::RowMatrix c(256, 500);
  for (auto _ : state) {
    if (own) {
      models::kernels::multiply({a.data(), 1000, 1}, {b.data(), 500, 1}, 256, 1000, 500, c.data());
    } else {
      c.noalias() = a * b;
    }
    benchmark::DoNotOptimize(c.data());
  }
}

}  // namespace

BENCHMARK(reduced_run)->Unit(benchmark::kMillisecond);
BENCHMARK(reduced_run_forming_gradients)->Unit(benchmark::kMillisecond);
BENCHMARK(full_size_run)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(wide_run, step_by_step, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(wide_run, in_the_span, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(product, eigen_baseline, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(product, own, true)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
