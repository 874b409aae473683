// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Noisy least squares on one core beside the arithmetic limit of the same run: the normals that its steps need.
#include <cmath>
#include <vector>

#include <benchmark/benchmark.h>

#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/hsgd.hpp>
#include <dpcurves/simulate/noisy_least_squares.hpp>

namespace {

using namespace dpcurves;

constexpr std::size_t steps = 1500;

models::LeastSquares problem_of(std::size_t d) {
  models::LeastSquares problem;
  const auto size = static_cast<Eigen::Index>(d);
  problem.spectrum = models::Spectrum::power_law(d, 1.0, 0.6);
  problem.x0 = Eigen::ArrayXd::Constant(size, 1.0 / std::sqrt(static_cast<double>(d)));
  problem.xtilde = Eigen::ArrayXd::Zero(size);
  problem.label_noise = 0.09;
  problem.regularisation = 0.1;
  problem.noise = 1.0;
  problem.dimension = static_cast<double>(d);
  problem.schedule = models::Schedule::constant(0.8);
  return problem;
}

std::vector<double> to_vector(const Eigen::ArrayXd& x) { return {x.data(), x.data() + x.size()}; }

simulate::NoisyLeastSquares setting_of(const models::LeastSquares& problem) {
  simulate::NoisyLeastSquares setting;
  setting.start = to_vector(problem.x0);
  setting.regularisation = problem.regularisation;
  setting.noise = problem.noise;
  setting.step_sizes.assign(steps, 0.8 / problem.dimension);
  setting.observed = {steps};
  return setting;
}

/// `per_step` vectors of normals of dimension d for each of the steps: nothing else.
void normals(benchmark::State& state, std::size_t per_step) {
  const auto d = static_cast<std::size_t>(state.range(0));
  std::vector<double> out(d);
  std::uint32_t path = 0;
  for (auto _ : state) {
    for (std::size_t k = 0; k < per_step * steps; ++k) {
      random::normals(out, 1, random::Purpose::noise, path, k * d);
      benchmark::DoNotOptimize(out.data());
      benchmark::ClobberMemory();
    }
    ++path;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(per_step * steps * d));
}

/// What a step of HSGD needs at least: a normal and a square root per coordinate.
void normals_and_roots(benchmark::State& state) {
  const auto size = static_cast<Eigen::Index>(state.range(0));
  const auto d = static_cast<std::size_t>(size);
  Eigen::ArrayXd out(size), roots = Eigen::ArrayXd::LinSpaced(size, 0.5, 2.0);
  std::uint32_t path = 0;
  for (auto _ : state) {
    for (std::size_t k = 0; k < steps; ++k) {
      random::normals({out.data(), d}, 1, random::Purpose::noise, path, k * d);
      out *= (roots + 0.1).sqrt();
      benchmark::DoNotOptimize(out.data());
      benchmark::ClobberMemory();
    }
    ++path;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(steps * d));
}

void fresh_records(benchmark::State& state) {
  const auto d = static_cast<std::size_t>(state.range(0));
  const auto problem = problem_of(d);
  const auto setting = setting_of(problem);
  const auto law = simulate::centred_records(simulate::Entries::gaussian, to_vector(problem.spectrum.eigenvalues()),
                                             to_vector(problem.xtilde), 0.3);
  std::uint32_t path = 0;
  for (auto _ : state) {
    simulate::noisy_sgd(setting, law, {1, 1, path++, 1}, [](const simulate::Observation&, std::span<const double> x) {
      benchmark::DoNotOptimize(x[0]);
    });
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(2 * steps * d));
}

void one_data_set(benchmark::State& state) {
  const auto d = static_cast<std::size_t>(state.range(0));
  const auto problem = problem_of(d);
  const auto setting = setting_of(problem);
  const auto law = simulate::centred_records(simulate::Entries::gaussian, to_vector(problem.spectrum.eigenvalues()),
                                             to_vector(problem.xtilde), 0.3);
  const auto records = simulate::draw_records(law, steps, 1);
  std::uint32_t path = 0;
  for (auto _ : state) {
    simulate::noisy_sgd(
        setting, records, {1, 1, path++, 1},
        [](const simulate::Observation&, std::span<const double> x) { benchmark::DoNotOptimize(x[0]); });
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(steps * d));
}

void diffusion(benchmark::State& state) {
  const auto problem = problem_of(static_cast<std::size_t>(state.range(0)));
  std::uint32_t path = 0;
  constexpr std::size_t paths = 16;
  for (auto _ : state) {
    simulate::hsgd(problem, static_cast<double>(steps) / problem.dimension, steps, {steps}, {paths, 1, path, 1},
                   [](const simulate::Observation&, std::span<const double> x) { benchmark::DoNotOptimize(x[0]); });
    path += paths;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(paths * steps) * state.range(0));
}

BENCHMARK_CAPTURE(normals, limit of SGD on fresh records, 2)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK(fresh_records)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(normals, limit of SGD on one data set, 1)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK(one_data_set)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK(normals_and_roots)
    ->Name("normals/limit of HSGD, with square roots")
    ->Arg(100)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(diffusion)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
