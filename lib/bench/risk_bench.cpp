// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The risk of noisy least squares by every solver in one run: cost against the number of eigenvalues and of steps. The
// counter `error` is relative to a finer solution.
#include <cmath>
#include <vector>

#include <benchmark/benchmark.h>

#include <dpcurves/homogenized/detail/variance_ode.hpp>
#include <dpcurves/homogenized/gradient_flow.hpp>
#include <dpcurves/homogenized/risk_trajectory.hpp>

#include "homogenized/problems.hpp"
#include "homogenized/risk_secular.hpp"
#include "homogenized/volterra.hpp"

using namespace dpcurves;
using models::LeastSquares;

namespace {

constexpr double horizon = 3.0;

LeastSquares power_law(Eigen::Index size, double exponent = 0.6, double rate = 1.0) {
  return test::power_law(size, exponent, models::Schedule::constant(rate));
}

/// The fastest direction contracts by exp(-600) over the run.
LeastSquares stiff() { return power_law(1000, 1.0, 100.0); }

double accurate(const LeastSquares& problem) {
  return homogenized::RiskTrajectory(problem, horizon).population_risk(horizon).value;
}

void show_error(benchmark::State& state, double got, double exact) {
  state.counters["error"] = std::abs(got / exact - 1.0);
}

/// The default: compressed spectrum, steps chosen by the error estimate.
void collocation(benchmark::State& state) {
  const LeastSquares problem = power_law(state.range(0));
  double risk = 0.0;
  for (auto _ : state) {
    risk = homogenized::RiskTrajectory(problem, horizon).population_risk(horizon).value;
  }
  homogenized::TrajectoryOptions fine;
  fine.nodes = 6;
  fine.resolution = 64;
  show_error(state, risk, homogenized::RiskTrajectory(problem, horizon, fine).population_risk(horizon).value);
}
BENCHMARK(collocation)->RangeMultiplier(10)->Range(10, 1'000'000)->Unit(benchmark::kMillisecond);

/// A fixed grid of 4 range(0) steps.
void collocation_steps(benchmark::State& state) {
  const LeastSquares problem = power_law(1000);
  homogenized::TrajectoryOptions options;
  options.resolution = static_cast<int>(state.range(0));
  options.most_resolution = options.resolution;
  double risk = 0.0;
  for (auto _ : state) {
    risk = homogenized::RiskTrajectory(problem, horizon, options).population_risk(horizon).value;
  }
  show_error(state, risk, accurate(problem));
}
BENCHMARK(collocation_steps)->Arg(2)->Arg(4)->Arg(8)->Arg(25)->Arg(100)->Unit(benchmark::kMillisecond);

/// Variances of every eigenvalue, too.
void collocation_with_variances(benchmark::State& state) {
  const LeastSquares problem = power_law(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(homogenized::RiskTrajectory(problem, horizon).variance(horizon).sum());
  }
}
BENCHMARK(collocation_with_variances)->Arg(1000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void runge_kutta_on(benchmark::State& state, const LeastSquares& problem, double tolerance) {
  const std::vector<double> times{horizon};
  double risk = 0.0;
  for (auto _ : state) {
    risk = homogenized::population_risk_by_ode(problem, times, tolerance)[0];
  }
  show_error(state, risk, accurate(problem));
}

void runge_kutta(benchmark::State& state) { runge_kutta_on(state, power_law(state.range(0)), 1e-11); }
BENCHMARK(runge_kutta)->RangeMultiplier(10)->Range(10, 10'000)->Unit(benchmark::kMillisecond);

/// More steps by a tolerance of 10^-range(0).
void runge_kutta_steps(benchmark::State& state) {
  runge_kutta_on(state, power_law(1000), std::pow(10.0, -static_cast<double>(state.range(0))));
}
BENCHMARK(runge_kutta_steps)->Arg(4)->Arg(8)->Arg(11)->Unit(benchmark::kMillisecond);

void secular_equation(benchmark::State& state) {
  const LeastSquares problem = power_law(state.range(0));
  double risk = 0.0;
  for (auto _ : state) {
    risk = test::SecularRisk(problem, 1.0).population_risk(horizon);
  }
  show_error(state, risk, accurate(problem));
}
BENCHMARK(secular_equation)->RangeMultiplier(10)->Range(10, 1000)->Unit(benchmark::kMillisecond);

/// Trapezoids of `steps` steps with the kernel summed over all eigenvalues, the naive method.
void trapezoid_on(benchmark::State& state, LeastSquares problem, double rate, std::int64_t steps) {
  problem.noise = 0.0;
  const homogenized::GradientFlow flow(problem);
  const Eigen::ArrayXd weights = rate * rate * problem.spectrum.eigenvalues().square() / problem.dimension;
  const auto kernel = [&](double t, double s) {
    return (weights * (-2.0 * rate * flow.rates() * (t - s)).exp()).sum();
  };
  const auto forcing = [&](double t) { return flow.population_risk(rate * t); };
  std::vector<double> grid;
  for (std::int64_t k = 0; k <= steps; ++k) {
    grid.push_back(horizon * static_cast<double>(k) / static_cast<double>(steps));
  }
  double risk = 0.0;
  for (auto _ : state) {
    risk = test::volterra_trapezoid(forcing, kernel, grid).back();
  }
  show_error(state, risk, accurate(problem));
}

void trapezoid(benchmark::State& state) { trapezoid_on(state, power_law(state.range(0)), 1.0, state.range(1)); }
BENCHMARK(trapezoid)
    ->Args({100, 100})
    ->Args({1000, 100})
    ->Args({1000, 200})
    ->Args({1000, 400})
    ->Unit(benchmark::kMillisecond);

void stiff_collocation(benchmark::State& state) {
  const LeastSquares problem = stiff();
  double risk = 0.0;
  for (auto _ : state) {
    risk = accurate(problem);
  }
  show_error(state, risk, test::SecularRisk(problem, 100.0).population_risk(horizon));
}
BENCHMARK(stiff_collocation)->Unit(benchmark::kMillisecond);

void stiff_runge_kutta(benchmark::State& state) {
  runge_kutta_on(state, stiff(), std::pow(10.0, -static_cast<double>(state.range(0))));
}
BENCHMARK(stiff_runge_kutta)->Arg(4)->Arg(8)->Arg(11)->Unit(benchmark::kMillisecond);

void stiff_trapezoid(benchmark::State& state) { trapezoid_on(state, stiff(), 100.0, state.range(0)); }
BENCHMARK(stiff_trapezoid)->Arg(200)->Arg(400)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
