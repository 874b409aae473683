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

/// What the units make of W h, by the library's own loop. Cells (units x batch) become slopes; returns outputs.
struct Responses {
  std::vector<double> parts, squares, outputs;

  void of(const models::KanNetwork& network, Eigen::MatrixXd& cells) {
    using namespace models::kernels;
    const auto count = static_cast<std::size_t>(cells.cols()), stride = static_cast<std::size_t>(cells.rows());
    parts.assign(count * sums, 0.0);
    squares.assign(count * sums, 0.0);
    outputs.resize(count);
    for (std::size_t block = 0; block < blocks(stride); ++block) {
      models::kernels::respond(network.kernel(), block, count, cells.data() + block * lanes, stride, parts.data(),
                               squares.data());
    }
    for (std::size_t i = 0; i < count; ++i) {
      outputs[i] = std::accumulate(parts.data() + i * sums, parts.data() + (i + 1) * sums, 0.0);
    }
  }
};

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
  Responses responses;
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
    responses.of(network, hidden);
    sum.setZero();
    const auto form = [&](Eigen::Index i, auto&& out) {
      const double f = responses.outputs[static_cast<std::size_t>(i)] / std::sqrt(static_cast<double>(m));
      slopes = hidden.col(i) / std::sqrt(static_cast<double>(m * inputs));
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
  Eigen::MatrixXd cells(static_cast<Eigen::Index>(m), static_cast<Eigen::Index>(batch_size));
  random::normals({cells.data(), m * batch_size}, 2, random::Purpose::data, 0, 0);
  Responses responses;
  for (auto _ : state) {
    responses.of(network, cells);  // the slopes are the next inputs: the cost does not depend on values
    benchmark::DoNotOptimize(responses.outputs.data());
  }
}

}  // namespace

BENCHMARK(step_by_structure)->Arg(64)->Arg(units)->Unit(benchmark::kMillisecond);
BENCHMARK(step_by_example<Formed::one_by_one>)->Arg(64)->Arg(units)->Unit(benchmark::kMillisecond);
BENCHMARK(step_by_example<Formed::all>)->Arg(64)->Arg(units)->Unit(benchmark::kMillisecond);
BENCHMARK(normals_of_a_step)->Arg(units)->Unit(benchmark::kMillisecond);
BENCHMARK(activations_of_a_step)->Arg(units)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
