// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Renyi losses of noisy HSGD: one pair by its low-rank form beside dense matrices, and whole curves.
#include <cmath>
#include <vector>

#include <Eigen/Cholesky>
#include <benchmark/benchmark.h>

#include <dpcurves/homogenized/detail/data_set_pairs.hpp>
#include <dpcurves/homogenized/hsgd_law.hpp>
#include <dpcurves/homogenized/renyi_loss.hpp>

using namespace dpcurves;
using namespace dpcurves::homogenized;
using Eigen::ArrayXd;

namespace {

models::LeastSquares problem_of(Eigen::Index d) {
  models::LeastSquares problem;
  problem.spectrum = models::Spectrum::power_law(static_cast<std::size_t>(d), 1.0, 0.5);
  const ArrayXd i = ArrayXd::LinSpaced(d, 1.0, static_cast<double>(d));
  problem.x0 = ArrayXd::Constant(d, 1.0 / std::sqrt(static_cast<double>(d)));
  problem.xtilde = i.cos() / std::sqrt(static_cast<double>(d));
  problem.label_noise = 0.09;
  problem.regularisation = 0.1;
  problem.noise = 1.5;
  problem.dimension = static_cast<double>(d);
  problem.schedule = models::Schedule::constant(0.7);
  return problem;
}

models::Record record_of(const models::LeastSquares& problem, double phase) {
  const ArrayXd i = ArrayXd::LinSpaced(problem.spectrum.size(), 1.0, static_cast<double>(problem.spectrum.size()));
  const ArrayXd a = (1.3 * i + phase).sin() * problem.spectrum.eigenvalues().sqrt();
  return {a, (a * problem.xtilde).sum() + 0.1 * phase};
}

models::RecordPair pair_of(const models::LeastSquares& problem) {
  return {record_of(problem, 0.0), record_of(problem, 2.0)};
}

/// One pair, record used at s = 0.7, last iterate at t = 1.6, order 2: weights, sums and the 4 x 4 problem.
void one_pair_low_rank(benchmark::State& state) {
  const auto problem = problem_of(state.range(0));
  const HsgdLaw law(problem, 1.6);
  const Release release(problem, ReleaseKind::last_iterate, {law.state(1.6)});
  const auto products = pair_products(problem, pair_of(problem));
  const auto before = law.state(0.7);
  double value = 0.0;
  for (auto _ : state) {
    const auto weights = release.weights(before);
    value = NeighbouringLaws(weights, pair_sums(weights, products)).renyi(2.0, Direction::first_to_second);
    benchmark::DoNotOptimize(value);
  }
  state.counters["divergence"] = value;
}
BENCHMARK(one_pair_low_rank)->Arg(100)->Arg(500)->Arg(1000)->Unit(benchmark::kMicrosecond);

double log_det(const Eigen::LLT<Eigen::MatrixXd>& factor) {
  return 2.0 * factor.matrixL().toDenseMatrix().diagonal().array().log().sum();
}

/// The same number from d x d covariances.
void one_pair_dense(benchmark::State& state) {
  const auto problem = problem_of(state.range(0));
  const HsgdLaw law(problem, 1.6);
  const auto before = law.state(0.7), after = law.state(1.6);
  const auto pair = pair_of(problem);
  const ArrayXd rate = problem.spectrum.eigenvalues() + problem.regularisation;
  const ArrayXd phi = (-rate * (after.integral - before.integral)).exp();
  const ArrayXd tail = after.variance - phi.square() * before.variance;
  const ArrayXd mean = law.trajectory()->mean(0.7);
  const double eta = before.step_size;
  double value = 0.0;
  for (auto _ : state) {
    Eigen::MatrixXd covariance[2];
    Eigen::VectorXd centre[2];
    for (int i = 0; i < 2; ++i) {
      const auto& record = i == 0 ? pair.first : pair.second;
      const Eigen::VectorXd a = record.features.matrix();
      const Eigen::Index d = a.size();
      const Eigen::MatrixXd jump =
          (1.0 - eta * problem.regularisation) * Eigen::MatrixXd::Identity(d, d) - eta * a * a.transpose();
      Eigen::MatrixXd v = jump * before.variance.matrix().asDiagonal() * jump.transpose();
      v.diagonal().array() += eta * eta * problem.noise * problem.noise;
      v = phi.matrix().asDiagonal() * v * phi.matrix().asDiagonal();
      v.diagonal() += tail.matrix();
      covariance[i] = std::move(v);
      centre[i] = -eta * (a.dot(mean.matrix()) - record.label) * (phi * record.features).matrix();
    }
    constexpr double order = 2.0;
    const Eigen::LLT<Eigen::MatrixXd> mixed(order * covariance[1] + (1.0 - order) * covariance[0]);
    const Eigen::VectorXd gap = centre[0] - centre[1];
    value = 0.5 * order * gap.dot(mixed.solve(gap)) +
            ((1.0 - order) * log_det(Eigen::LLT<Eigen::MatrixXd>(covariance[0])) +
             order * log_det(Eigen::LLT<Eigen::MatrixXd>(covariance[1])) - log_det(mixed)) /
                (2.0 * (order - 1.0));
    benchmark::DoNotOptimize(value);
  }
  state.counters["divergence"] = value;
}
BENCHMARK(one_pair_dense)->Arg(100)->Arg(500)->Arg(1000)->Unit(benchmark::kMicrosecond);

/// Three releases, 10 orders, 50 release times, one pair, d distinct eigenvalues, one thread.
void whole_loss_curve(benchmark::State& state) {
  const auto problem = problem_of(state.range(0));
  const auto family = listed_pairs({pair_products(problem, pair_of(problem))});
  std::vector<double> times;
  for (int k = 1; k <= 50; ++k) {
    times.push_back(1.5 * k / 50.0);
  }
  LossQuery query;
  query.orders = {1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0};
  query.horizon = 1.5;
  query.relative_accuracy = 1e-6;
  for (auto _ : state) {
    const HsgdLaw law(problem, 1.5);
    double total = 0.0;
    for (const auto kind : {ReleaseKind::last_iterate, ReleaseKind::joint, ReleaseKind::average}) {
      const LossCurve curve(law, kind, times, family);
      for (std::size_t k = 1; k <= times.size(); ++k) {
        total += curve.loss(k, query).forward[2].value;
      }
    }
    benchmark::DoNotOptimize(total);
  }
}
BENCHMARK(whole_loss_curve)->Arg(1000)->Unit(benchmark::kMillisecond)->Iterations(1);

/// The worst of all pairs of a data set at one s.
void worst_pair(benchmark::State& state) {
  const auto problem = problem_of(1000);
  std::vector<models::Record> records;
  for (int k = 0; k < state.range(0); ++k) {
    records.push_back(record_of(problem, 0.37 * k));
  }
  const HsgdLaw law(problem, 1.6);
  const Release release(problem, ReleaseKind::last_iterate, {law.state(1.6)});
  const DataSetPairs pairs(problem, records);
  const auto weights = release.weights(law.state(0.7));
  const std::vector<double> orders{2.0, 4.0};
  for (auto _ : state) {
    benchmark::DoNotOptimize(pairs(weights, orders).forward[0]);
  }
}
BENCHMARK(worst_pair)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
