// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// One epoch of noisy cyclic gradient descent of softmax regression, 60,000 examples of 784 features in batches of 1500,
// every gradient clipped, beside the same epoch with all gradients of a batch formed. The argument is the percentage of
// features that are not zero; 19 is that of MNIST.
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include <dpcurves/models/softmax.hpp>
#include <dpcurves/random/streams.hpp>

namespace {

using namespace dpcurves;

constexpr std::size_t examples = 60000, batch = 1500, dimension = 784, classes = 10;
constexpr double clip = 5.0, step_size = 0.05, noise_scale = 0.01;

const models::SoftmaxRegression& model_of(std::int64_t percentage) {
  static std::int64_t made = -1;
  static std::optional<models::SoftmaxRegression> model;
  if (made != percentage) {
    models::LabelledData data;
    data.classes = classes;
    data.features.resize(dimension, examples);
    std::mt19937 words(1);
    for (double& x : data.features.reshaped()) {
      const bool zero = words() % 100U >= static_cast<std::uint32_t>(percentage);
      x = zero ? 0.0 : 0.8 * static_cast<double>(words()) * 0x1p-32;
    }
    for (std::size_t i = 0; i < examples; ++i) {
      data.labels.push_back(static_cast<std::uint32_t>(i % classes));
    }
    model.emplace(std::move(data), clip);
    made = percentage;
  }
  return *model;
}

template <class Gradient>
void epoch(benchmark::State& state, const Gradient& mean_gradient) {
  const auto& model = model_of(state.range(0));
  Eigen::MatrixXd parameters = Eigen::MatrixXd::Constant(classes, dimension, 0.01);
  Eigen::MatrixXd noise(classes, dimension);
  const auto size = static_cast<std::size_t>(noise.size());
  std::vector<std::uint32_t> records(batch);
  for (auto _ : state) {
    for (std::uint32_t begin = 0; begin < examples; begin += batch) {
      std::iota(records.begin(), records.end(), begin);
      random::normals({noise.data(), size}, 1, random::Purpose::noise, 0, begin / batch * size);
      parameters -= step_size * (mean_gradient(model, records, parameters) + noise_scale * noise);
    }
    benchmark::DoNotOptimize(parameters.data());
  }
}

void without_forming(benchmark::State& state) {
  epoch(state, [](const auto& model, const auto& records, const auto& parameters) {
    return model.mean_gradient(records, parameters);
  });
}

/// All gradients of the batch in one matrix, a column each, which is kept between steps.
void all_formed(benchmark::State& state) {
  Eigen::MatrixXd gradients(classes * dimension, batch);
  epoch(state, [&](const auto& model, const auto& records, const auto& parameters) {
    const auto& data = model.data();
    const auto features = data.features.middleCols(records.front(), batch);
    Eigen::MatrixXd residuals = parameters * features;
    for (Eigen::Index i = 0; i < residuals.cols(); ++i) {
      auto column = residuals.col(i);
      column = (column.array() - column.maxCoeff()).exp();
      column /= column.sum();
      column(data.labels[records[static_cast<std::size_t>(i)]]) -= 1.0;
      Eigen::Map<Eigen::MatrixXd>(gradients.col(i).data(), classes, dimension).noalias() =
          column * features.col(i).transpose();
    }
    const Eigen::VectorXd weights = (clip / gradients.colwise().norm().array()).min(1.0) / batch;
    const Eigen::VectorXd mean = gradients * weights;
    return Eigen::MatrixXd(Eigen::Map<const Eigen::MatrixXd>(mean.data(), classes, dimension));
  });
}

BENCHMARK(without_forming)->Arg(19)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK(all_formed)->Arg(19)->Arg(100)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
