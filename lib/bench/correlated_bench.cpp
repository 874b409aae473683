// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Subsampled matrix mechanisms: the forward recursion against the number of steps, and the certified bound.
#include <vector>

#include <benchmark/benchmark.h>

#include <dpcurves/correlated/likelihood.hpp>
#include <dpcurves/correlated/mixture_bound.hpp>

namespace {

using namespace dpcurves;
using models::StrategyMatrix;

void likelihood_ratio(benchmark::State& state) {
  const auto steps = static_cast<std::size_t>(state.range(0));
  const auto chain =
      correlated::participation_chain(StrategyMatrix::exponential(0.9, steps), correlated::Rounding::up, 0.01);
  const std::vector<double> z(steps, 1.0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(chain->log_ratio(z, 0.1, 74.0, 1.0));
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(likelihood_ratio)->RangeMultiplier(2)->Range(100, 1600)->Unit(benchmark::kMillisecond)->Complexity();

void renyi_bound(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        correlated::renyi_bound({1.0, 0.9}, static_cast<double>(state.range(0)), 0.1, 80.0, {1.0, 0.0}, 18.0));
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(renyi_bound)->RangeMultiplier(2)->Range(100, 1600)->Unit(benchmark::kMillisecond)->Complexity();

}  // namespace

BENCHMARK_MAIN();
