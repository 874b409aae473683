// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The gradient of a Moreau envelope by a root and by the paper's inner loop, and a pass of phased SGD.
#include <chrono>
#include <cmath>
#include <functional>

#include <benchmark/benchmark.h>

#include <dpcurves/models/moreau.hpp>
#include <dpcurves/simulate/phased_sgd.hpp>

namespace {

using namespace dpcurves;

constexpr double points[] = {-2.0, -0.7, -0.05, 0.0, 0.3, 0.9, 1.7, 3.0};
constexpr double beta = 100.0, label = 1.0, records = 1e4;    // beta = sqrt(n) B/W^2
const double accuracy = 1.0 / (records * std::log(records));  // gamma = B/(n ln n)

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void root(benchmark::State& state) {
  const auto link = models::make_link(models::LinkKind::tanh, 20.0);
  for (auto _ : state) {
    for (const double m : points) {
      benchmark::DoNotOptimize(models::prox(link, label, beta, m));
    }
  }
  state.SetItemsProcessed(state.iterations() * 8);
}

/// Counters of one run: the steps that Lemma 6 asks for, extrapolated from 2e5 of them, over one root; and the fewest
/// steps (a power of 2) that in fact reach the accuracy at these points, over one root.
void literal(benchmark::State& state) {
  const auto link = models::make_link(models::LinkKind::tanh, 20.0);
  constexpr std::uint64_t sample = 200000;
  double by_root = 0.0, per_step = 0.0;
  for (auto _ : state) {
    by_root += seconds([&] {
                 for (int repeat = 0; repeat < 1000; ++repeat) {
                   for (const double m : points) {
                     benchmark::DoNotOptimize(models::prox(link, label, beta, m));
                   }
                 }
               }) /
               8000.0;
    per_step += seconds([&] { benchmark::DoNotOptimize(models::oracle_slope(link, label, 1.0, beta, 0.3, sample)); }) /
                static_cast<double>(sample);
  }
  std::uint64_t enough = 1;
  for (bool reached = false; !reached && enough < (1U << 24U);) {
    enough *= 2;
    reached = true;
    for (const double m : points) {
      reached = reached && std::abs(models::oracle_slope(link, label, 1.0, beta, m, enough) -
                                    models::prox(link, label, beta, m).slope) <= accuracy;
    }
  }
  const double steps = models::oracle_steps(1.0, accuracy);
  state.counters["prescribed_steps"] = steps;
  state.counters["prescribed_over_root"] = steps * per_step / by_root;
  state.counters["steps_that_reach_gamma"] = static_cast<double>(enough);
  state.counters["reaching_over_root"] = static_cast<double>(enough) * per_step / by_root;
}

simulate::GlmLaw law_of(std::size_t d) {
  simulate::GlmLaw law;
  law.dimension = d;
  law.link = models::make_link(models::LinkKind::tanh);
  law.parameter.assign(d, 1.0 / std::sqrt(static_cast<double>(d)));
  law.labels = simulate::LabelLaw::two_point;
  return law;
}

constexpr std::uint64_t pass = 1 << 17;

void phased_pass(benchmark::State& state) {
  simulate::DrawnRecords data(law_of(static_cast<std::size_t>(state.range(0))), pass, 1, 0);
  simulate::PhasedSgd run;
  run.link = models::make_link(models::LinkKind::tanh);
  run.noise_per_step = 1.0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(simulate::phased_sgd(run, data, 1, 0));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(pass));
}

/// What no pass avoids: drawing the records.
void reading(benchmark::State& state) {
  const auto d = static_cast<std::size_t>(state.range(0));
  simulate::DrawnRecords data(law_of(d), pass, 1, 0);
  std::vector<double> x(64 * d), y(64);
  for (auto _ : state) {
    for (std::uint64_t first = 0; first < pass; first += 64) {
      data.read(first, x, y);
    }
    benchmark::DoNotOptimize(x.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(pass));
}

}  // namespace

BENCHMARK(root);
BENCHMARK(literal)->Unit(benchmark::kMillisecond);
BENCHMARK(phased_pass)->Arg(5)->Arg(50)->Unit(benchmark::kMillisecond);
BENCHMARK(reading)->Arg(5)->Arg(50)->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
