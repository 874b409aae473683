// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Composition of subsampled Gaussians: the contour, what questions share of it, and direct t-fold convolution.
#include <cmath>
#include <vector>

#include <benchmark/benchmark.h>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/detail/shared_contours.hpp>
#include <dpcurves/accounting/random_allocation.hpp>

namespace {

using namespace dpcurves::accounting;

/// Batches of a fixed size, a record replaced at noise multiplier 2.
Composition ordinary(benchmark::State& state) { return {0.0, {{0.01, 1.0, static_cast<double>(state.range(0))}}}; }

double threshold(const Composition& composition) { return 0.05 * std::sqrt(composition.components[0].count); }

void contour(benchmark::State& state, Pair pair) {
  Composition composition = ordinary(state);
  composition.components[0].pair = pair;
  for (auto _ : state) {
    benchmark::DoNotOptimize(delta_at(composition, threshold(composition)));
  }
}
BENCHMARK_CAPTURE(contour, poisson, Pair::poisson_remove)
    ->Arg(1000)
    ->Arg(10000)
    ->Arg(1000000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(contour, fixed_size, Pair::symmetrised)
    ->Arg(1000)
    ->Arg(10000)
    ->Arg(1000000)
    ->Unit(benchmark::kMillisecond);

// The same with the errors of the test at that threshold, which take twice the digits.
void contour_with_errors(benchmark::State& state) {
  const Composition composition = ordinary(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(profile_at(composition, threshold(composition)));
  }
}
BENCHMARK(contour_with_errors)->Arg(1000)->Arg(10000)->Arg(1000000)->Unit(benchmark::kMillisecond);

// What composing step by step costs: a law of 2^10 points, folded t times into a window of 2^12.
void direct_convolution(benchmark::State& state) {
  constexpr std::size_t step_points = 1024;
  constexpr std::size_t window = 4096;
  std::vector<double> step(step_points, 1.0 / step_points);
  for (auto _ : state) {
    std::vector<double> law(window, 0.0);
    law[window / 2] = 1.0;
    for (long t = 0; t < state.range(0); ++t) {
      std::vector<double> next(window, 0.0);
      for (std::size_t k = 0; k < step_points; ++k) {
        const std::size_t shift = (k + window - step_points / 2) % window;
        for (std::size_t i = 0; i < window; ++i) {
          next[(i + shift) % window] += step[k] * law[i];
        }
      }
      law = std::move(next);
    }
    benchmark::DoNotOptimize(law.data());
  }
}
BENCHMARK(direct_convolution)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond)->Iterations(1);

void tradeoff_of_1000_points(benchmark::State& state) {
  const Composition composition = ordinary(state);
  std::vector<double> errors;
  for (int i = 0; i < 1000; ++i) {
    errors.push_back(i / 999.0);
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(tradeoff(composition, errors));
  }
}
BENCHMARK(tradeoff_of_1000_points)->Arg(1000)->Arg(1000000)->Unit(benchmark::kMillisecond);

void epsilon_at_delta(benchmark::State& state) {
  const Composition composition = ordinary(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(epsilon_at(composition, 1e-5));
  }
}
BENCHMARK(epsilon_at_delta)->Arg(1000)->Arg(1000000)->Unit(benchmark::kMillisecond);

// Both directions of one epoch at delta = 1e-5, with the laws; arguments: steps, epochs, 10 x noise multiplier.
void random_allocation_epsilon(benchmark::State& state) {
  for (auto _ : state) {
    const auto curves =
        random_allocation_curves({0.1 * static_cast<double>(state.range(2)), static_cast<double>(state.range(0)), 1.0,
                                  static_cast<double>(state.range(1))});
    benchmark::DoNotOptimize(curves.remove->epsilon(1e-5));
    benchmark::DoNotOptimize(curves.add->epsilon(1e-5));
  }
}
BENCHMARK(random_allocation_epsilon)
    ->Args({16, 1, 10})
    ->Args({1000, 1, 10})
    ->Args({100000, 1, 10})
    ->Args({1000, 10, 20})
    ->Args({1000, 1, 3})
    ->Unit(benchmark::kMillisecond);

// One epsilon of DP-SGD with Z = 1, q = 0.01 (arguments: pair, steps): the time must not grow with the steps.
void dp_sgd_epsilon(benchmark::State& state) {
  const Composition steps{0.0, {{0.01, 1.0, static_cast<double>(state.range(1)), static_cast<Pair>(state.range(0))}}};
  EpsilonBound answer;
  for (auto _ : state) {
    answer = epsilon_at(steps, 1e-9);
    benchmark::DoNotOptimize(answer);
  }
  state.counters["epsilon"] = answer.epsilon.upper;
  state.counters["relative_width"] = answer.epsilon.relative_width();
}
BENCHMARK(dp_sgd_epsilon)
    ->ArgsProduct({{static_cast<long>(Pair::poisson_remove), static_cast<long>(Pair::poisson_add),
                    static_cast<long>(Pair::poisson_replace_one), static_cast<long>(Pair::fixed_size_remove)},
                   {1000, 1000000}})
    ->Unit(benchmark::kMillisecond);

// Epsilons of runs of 9,001 to 9,000 + n steps at delta 1e-5, by their contours alone or shared.
void epsilons_of_steps(benchmark::State& state, bool shared) {
  const auto count = static_cast<std::size_t>(state.range(0));
  std::vector<double> upper(count);
  const auto ask = [&](std::size_t i) {
    const double steps = 9001.0 + static_cast<double>(i);
    upper[i] = epsilon_at({0.0, {{0.01, 1.0, steps, Pair::poisson_remove}}}, 1e-5).epsilon.upper;
  };
  for (auto _ : state) {
    if (shared) {
      in_shared_pieces(count, 1, ask);
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        ask(i);
      }
    }
    benchmark::DoNotOptimize(upper);
  }
}
BENCHMARK_CAPTURE(epsilons_of_steps, alone, false)->Arg(1000)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(epsilons_of_steps, shared, true)->Arg(1000)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(epsilons_of_steps, shared, true)->Arg(10000)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
