// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The risk of noisy least squares by every solver in one run: cost against the number of eigenvalues and of steps. The
// counter `error` is relative to a finer solution.
#include <cmath>
#include <vector>

#include <benchmark/benchmark.h>

#include <dpcurves/homogenized/gradient_flow.hpp>
#include <dpcurves/homogenized/risk_secular.hpp>
#include <dpcurves/homogenized/risk_trajectory.hpp>
#include <dpcurves/homogenized/variance_ode.hpp>
#include <dpcurves/numerics/volterra.hpp>

using namespace dpcurves;
using models::LeastSquares;

namespace {

constexpr double horizon = 3.0;

LeastSquares power_law(Eigen::Index size) {
  LeastSquares problem;
  const auto d = static_cast<double>(size);
  problem.spectrum = models::Spectrum::power_law(static_cast<std::size_t>(size), 2.0, 0.6);
  problem.x0 = Eigen::ArrayXd::Constant(size, 1.0 / std::sqrt(d));
  problem.xtilde = 1.2 / std::sqrt(d) * Eigen::ArrayXd::LinSpaced(size, 1.0, d).cos();
  problem.label_noise = 0.05;
  problem.regularisation = 0.02;
  problem.noise = 0.7;
  problem.dimension = d;
  problem.schedule = models::Schedule::constant(1.0);
  return problem;
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
  show_error(state, risk, homogenized::RiskTrajectory(problem, horizon).population_risk(horizon).value);
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

void runge_kutta(benchmark::State& state) {
  const LeastSquares problem = power_law(state.range(0));
  const std::vector<double> times{horizon};
  double risk = 0.0;
  for (auto _ : state) {
    risk = homogenized::population_risk_by_ode(problem, times, 1e-11)[0];
  }
  show_error(state, risk, homogenized::RiskTrajectory(problem, horizon).population_risk(horizon).value);
}
BENCHMARK(runge_kutta)->RangeMultiplier(10)->Range(10, 10'000)->Unit(benchmark::kMillisecond);

void secular_equation(benchmark::State& state) {
  const LeastSquares problem = power_law(state.range(0));
  double risk = 0.0;
  for (auto _ : state) {
    risk = homogenized::SecularRisk(problem, 1.0).population_risk(horizon);
  }
  show_error(state, risk, homogenized::RiskTrajectory(problem, horizon).population_risk(horizon).value);
}
BENCHMARK(secular_equation)->RangeMultiplier(10)->Range(10, 1000)->Unit(benchmark::kMillisecond);

/// Trapezoids of range(1) steps with the kernel summed over range(0) eigenvalues, the naive method.
void trapezoid(benchmark::State& state) {
  LeastSquares problem = power_law(state.range(0));
  problem.noise = 0.0;
  const homogenized::GradientFlow flow(problem);
  const Eigen::ArrayXd weights = problem.spectrum.eigenvalues().square() / problem.dimension;
  const auto kernel = [&](double t, double s) { return (weights * (-2.0 * flow.rates() * (t - s)).exp()).sum(); };
  const auto forcing = [&](double t) { return flow.population_risk(t); };
  std::vector<double> grid;
  for (int k = 0; k <= state.range(1); ++k) {
    grid.push_back(horizon * k / static_cast<double>(state.range(1)));
  }
  double risk = 0.0;
  for (auto _ : state) {
    risk = numerics::volterra_trapezoid(forcing, kernel, grid).back();
  }
  show_error(state, risk, homogenized::RiskTrajectory(problem, horizon).population_risk(horizon).value);
}
BENCHMARK(trapezoid)
    ->Args({100, 100})
    ->Args({1000, 100})
    ->Args({1000, 200})
    ->Args({1000, 400})
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
