// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// A training step of a KAN with per-example clipping: without forming gradients, and forming each of them.
#include <cmath>
#include <numeric>
#include <vector>

#include <Eigen/Core>
#include <benchmark/benchmark.h>

#include <dpcurves/models/kan_kernels.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/dp_sgd.hpp>

namespace {

using namespace dpcurves;

constexpr std::size_t inputs = 16, units = 512, splines = 8, batch_size = 256, records = 1024;

models::KanLosses model_of(std::size_t m) {
  models::BallData law;
  law.inputs = inputs;
  law.records = records;
  return {models::KanNetwork::draw({inputs, m, splines, 3, models::Activation::tanh}, 1, 0),
          models::ball_data(law, 1, 0)};
}

simulate::DpSgd setting_of() {
  simulate::DpSgd setting;
  setting.batch_size = batch_size;
  setting.step_size = 0.5;
  setting.clip = 0.2;
  setting.noise_multiplier = 1.0;
  setting.correlation = 0.5;
  return setting;
}

void step_by_structure(benchmark::State& state) {
  auto model = model_of(static_cast<std::size_t>(state.range(0)));
  const auto start = models::draw_first_layer(model.network().shape(), 1, 0);
  simulate::DpSgdRun run(setting_of(), model, start, 1, 0);
  run.step();
  for (auto _ : state) {
    run.step();
    benchmark::DoNotOptimize(run.iterate().data());
  }
}

/// What the units make of W h for one example, by the library's own loop: the sum of outputs, and the slopes.
double respond(const models::KanNetwork& network, double* hidden, Eigen::VectorXd& slopes) {
  using models::kernels::lanes;
  const models::kernels::Units kernel{network.pieces().data(),
                                      network.splines().spans(),
                                      4,
                                      true,
                                      1.0 / std::sqrt(static_cast<double>(inputs)),
                                      network.splines().inverse_spacing()};
  double sum = 0.0;
  double values[lanes];
  for (std::size_t j = 0; j < network.shape().units; j += lanes) {
    models::kernels::respond(kernel, j, lanes, hidden + j, values);
    sum = std::accumulate(values, values + lanes, sum);
  }
  std::copy_n(hidden, network.shape().units, slopes.data());
  return sum;
}

/// The same step with dense features and gradients formed by example: one after the other in one matrix, or all of the
/// batch at once, as frameworks of automatic differentiation do.
enum class Formed { one_by_one, all };

template <Formed formed>
void step_by_example(benchmark::State& state) {
  const auto m = static_cast<std::size_t>(state.range(0));
  const auto model = model_of(m);
  const auto& network = model.network();
  const auto setting = setting_of();
  const auto start = models::draw_first_layer(network.shape(), 1, 0);
  const auto rows = static_cast<Eigen::Index>(m), columns = static_cast<Eigen::Index>(inputs * splines);
  Eigen::MatrixXd w = Eigen::Map<const Eigen::MatrixXd>(start.data(), rows, columns);
  Eigen::MatrixXd features(columns, static_cast<Eigen::Index>(records));
  for (std::uint32_t r = 0; r < records; ++r) {
    features.col(r) = model.features(r);
  }
  simulate::SharedRandomness random(setting, records, static_cast<std::size_t>(w.size()), 1, 0);
  Eigen::MatrixXd sum(rows, columns), gradient(rows, columns), noise(rows, columns), before(rows, columns);
  Eigen::MatrixXd gathered(columns, static_cast<Eigen::Index>(batch_size)), hidden(rows, gathered.cols());
  Eigen::VectorXd slopes(rows), factors(gathered.cols());
  Eigen::MatrixXd gradients(formed == Formed::all ? w.size() : 0, gathered.cols());
  before.setZero();
  std::size_t t = 0;
  for (auto _ : state) {
    ++t;
    const auto batch = random.batch(t);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      gathered.col(static_cast<Eigen::Index>(i)) = features.col(batch[i]);
    }
    hidden.noalias() = w * gathered;
    sum.setZero();
    const auto form = [&](Eigen::Index i, auto&& out) {
      const double f = respond(network, hidden.col(i).data(), slopes) / std::sqrt(static_cast<double>(m));
      slopes /= std::sqrt(static_cast<double>(m * inputs));
      const double y = model.data().labels[batch[static_cast<std::size_t>(i)]];
      slopes *= models::logistic_loss_slope(y * f) * y;
      out.noalias() = slopes * gathered.col(i).transpose();
    };
    const auto factor = [&](double norm) { return norm > setting.clip ? setting.clip / norm : 1.0; };
    if constexpr (formed == Formed::one_by_one) {
      for (Eigen::Index i = 0; i < hidden.cols(); ++i) {
        form(i, gradient);
        sum += factor(gradient.norm()) * gradient;
      }
    } else {
      for (Eigen::Index i = 0; i < hidden.cols(); ++i) {
        form(i, Eigen::Map<Eigen::MatrixXd>(gradients.col(i).data(), rows, columns));
      }
      factors = gradients.colwise().norm().unaryExpr(factor).transpose();
      Eigen::Map<Eigen::VectorXd>(sum.data(), sum.size()).noalias() = gradients * factors;
    }
    random.white_noise(t, {noise.data(), static_cast<std::size_t>(noise.size())});
    w -= setting.step_size *
         (sum / setting.batch_size + setting.private_noise() * (noise - setting.correlation * before));
    before.swap(noise);
    benchmark::DoNotOptimize(w.data());
  }
}

/// The parts of the step by structure that no algorithm avoids: the normals, and the activations of the batch.
void normals_of_a_step(benchmark::State& state) {
  std::vector<double> z(static_cast<std::size_t>(state.range(0)) * inputs * splines);
  std::uint64_t t = 0;
  for (auto _ : state) {
    random::normals(z, 1, random::Purpose::noise, 0, t++ * z.size());
    benchmark::DoNotOptimize(z.data());
  }
}

void activations_of_a_step(benchmark::State& state) {
  const auto m = static_cast<std::size_t>(state.range(0));
  const auto network = models::KanNetwork::draw({inputs, m, splines, 3, models::Activation::tanh}, 1, 0);
  std::vector<double> a(m * batch_size), cells(a.size());
  random::normals(a, 2, random::Purpose::data, 0, 0);
  Eigen::VectorXd slopes(static_cast<Eigen::Index>(m));
  for (auto _ : state) {
    cells = a;
    for (std::size_t i = 0; i < batch_size; ++i) {
      double sum = respond(network, cells.data() + i * m, slopes);
      benchmark::DoNotOptimize(sum);
    }
  }
}

}  // namespace

BENCHMARK(step_by_structure)->Arg(64)->Arg(units)->Unit(benchmark::kMillisecond);
BENCHMARK(step_by_example<Formed::one_by_one>)->Arg(64)->Arg(units)->Unit(benchmark::kMillisecond);
BENCHMARK(step_by_example<Formed::all>)->Arg(64)->Arg(units)->Unit(benchmark::kMillisecond);
BENCHMARK(normals_of_a_step)->Arg(units)->Unit(benchmark::kMillisecond);
BENCHMARK(activations_of_a_step)->Arg(units)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
