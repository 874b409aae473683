// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The clipped gradient sum of a deep ReLU network: by structure, and forming the gradient of every example.
#include <cmath>
#include <vector>

#include <Eigen/Core>
#include <benchmark/benchmark.h>

#include <dpcurves/models/relu_network.hpp>

namespace {

using namespace dpcurves;

constexpr std::size_t width = 256, depth = 3, batch_size = 256, records = 1024;
constexpr double clip = 1.0;

models::NetworkLosses model_of(std::size_t inputs) {
  models::TeacherData law;
  law.inputs = inputs;
  law.records = records;
  return {{inputs, width, depth}, models::teacher_data(law, 1, 0)};
}

std::vector<std::uint32_t> batch_of() {
  std::vector<std::uint32_t> batch(batch_size);
  for (std::size_t i = 0; i < batch_size; ++i) {
    batch[i] = static_cast<std::uint32_t>((i * 37) % records);
  }
  return batch;
}

void sum_by_structure(benchmark::State& state) {
  auto model = model_of(static_cast<std::size_t>(state.range(0)));
  const auto w = models::initial_network(model.shape(), 1, 0);
  const auto batch = batch_of();
  std::vector<double> gradient(w.size());
  for (auto _ : state) {
    model.clipped_sum(batch, w, clip, gradient);
    benchmark::DoNotOptimize(gradient.data());
  }
}

/// Layers of one example and its gradient, formed.
struct Example {
  explicit Example(const models::NetworkShape& s)
      : shape(s), hidden(s.depth), derivative(Eigen::Index(s.width)), next(Eigen::Index(s.width)) {}

  void gradient(const Eigen::MatrixXd& inputs, std::uint32_t record, double y, std::span<const double> w,
                std::span<double> out) {
    hidden[0] = inputs.col(record);
    for (std::size_t l = 0; l + 1 < shape.depth; ++l) {
      hidden[l + 1].noalias() = models::layer_of(shape, w, l) * hidden[l];
      hidden[l + 1] = hidden[l + 1].cwiseMax(0.0);
    }
    const double root = std::sqrt(static_cast<double>(shape.width));
    const auto last = models::layer_of(shape, w, shape.depth - 1);
    const double f = root * (last * hidden.back()).value();
    const double slope = y * models::logistic_loss_slope(y * f);
    models::layer_of(shape, out, shape.depth - 1).noalias() = slope * root * hidden.back().transpose();
    derivative = slope * root * last.transpose();
    for (std::size_t l = shape.depth - 1; l-- > 0;) {
      derivative = (hidden[l + 1].array() > 0.0).select(derivative, 0.0);
      models::layer_of(shape, out, l).noalias() = derivative * hidden[l].transpose();
      if (l > 0) {
        next.noalias() = models::layer_of(shape, w, l).transpose() * derivative;
        derivative.swap(next);
      }
    }
  }

  models::NetworkShape shape;
  std::vector<Eigen::VectorXd> hidden;
  Eigen::VectorXd derivative, next;
};

double factor(double norm) { return norm > clip ? clip / norm : 1.0; }

/// One gradient at a time in one vector.
void sum_by_example(benchmark::State& state) {
  const auto model = model_of(static_cast<std::size_t>(state.range(0)));
  const auto w = models::initial_network(model.shape(), 1, 0);
  const auto batch = batch_of();
  const auto size = static_cast<Eigen::Index>(w.size());
  Eigen::VectorXd sum(size), one(size);
  Example example(model.shape());
  for (auto _ : state) {
    sum.setZero();
    for (const auto record : batch) {
      example.gradient(model.data().inputs, record, model.data().labels[record], w,
                       {one.data(), static_cast<std::size_t>(size)});
      sum += factor(one.norm()) * one;
    }
    benchmark::DoNotOptimize(sum.data());
  }
}

/// All gradients of the batch in one matrix, as frameworks of automatic differentiation do.
void sum_of_all_gradients(benchmark::State& state) {
  const auto model = model_of(static_cast<std::size_t>(state.range(0)));
  const auto w = models::initial_network(model.shape(), 1, 0);
  const auto batch = batch_of();
  const auto size = static_cast<Eigen::Index>(w.size());
  Eigen::MatrixXd gradients = Eigen::MatrixXd::Random(size, Eigen::Index{batch_size});  // memory that is there already
  Eigen::VectorXd sum(size), factors{Eigen::Index{batch_size}};
  Example example(model.shape());
  for (auto _ : state) {
    for (std::size_t i = 0; i < batch_size; ++i) {
      example.gradient(model.data().inputs, batch[i], model.data().labels[batch[i]], w,
                       {gradients.col(Eigen::Index(i)).data(), static_cast<std::size_t>(size)});
    }
    factors = gradients.colwise().norm().unaryExpr(&factor).transpose();
    sum.noalias() = gradients * factors;
    benchmark::DoNotOptimize(sum.data());
  }
}

/// The matrix products of the sum by structure alone: what no algorithm of this form avoids.
void products_of_the_sum(benchmark::State& state) {
  const Eigen::Index d = state.range(0), m = width, b = batch_size;
  const Eigen::MatrixXd first = Eigen::MatrixXd::Random(m, d), second = Eigen::MatrixXd::Random(m, m);
  const Eigen::MatrixXd x = Eigen::MatrixXd::Random(d, b);
  Eigen::MatrixXd h(m, b), g(m, b), a(m, d), c(m, m);
  for (auto _ : state) {
    h.noalias() = first * x;
    g.noalias() = second * h;
    h.noalias() = second.transpose() * g;
    a.noalias() = h * x.transpose();
    c.noalias() = g * h.transpose();
    benchmark::DoNotOptimize(a.data());
    benchmark::DoNotOptimize(c.data());
  }
}

}  // namespace

BENCHMARK(sum_by_structure)->Arg(20)->Arg(784)->Unit(benchmark::kMillisecond);
BENCHMARK(sum_by_example)->Arg(20)->Arg(784)->Unit(benchmark::kMillisecond);
BENCHMARK(sum_of_all_gradients)->Arg(20)->Arg(784)->Unit(benchmark::kMillisecond)->Iterations(20);
BENCHMARK(products_of_the_sum)->Arg(20)->Arg(784)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
