// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/cases/noisy_hsgd/least_squares_support.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/homogenized/risk_trajectory.hpp>

namespace dpcurves::validation::noisy_hsgd {

models::LeastSquares base_model(std::size_t dimension) {
  models::LeastSquares problem;
  const auto d = static_cast<double>(dimension);
  std::vector<double> eigenvalues(dimension);
  problem.x0.resize(static_cast<Eigen::Index>(dimension));
  problem.xtilde.resize(problem.x0.size());
  for (std::size_t i = 0; i < dimension; ++i) {
    const auto number = static_cast<double>(i + 1);
    eigenvalues[i] = 2.0 * (number / d + 0.05);
    problem.x0[static_cast<Eigen::Index>(i)] = 1.0 / std::sqrt(d);
    problem.xtilde[static_cast<Eigen::Index>(i)] = 1.2 * std::cos(number) / std::sqrt(d);
  }
  problem.spectrum = models::Spectrum::list(eigenvalues);
  problem.label_noise = 0.09;
  problem.regularisation = 0.1;
  problem.noise = 0.5;
  problem.dimension = d;
  problem.schedule = models::Schedule::constant(0.8);
  return problem;
}

models::LeastSquares isotropic_model(std::size_t dimension, double gamma, double label_noise, double noise) {
  models::LeastSquares problem;
  const auto d = static_cast<double>(dimension);
  const auto size = static_cast<Eigen::Index>(dimension);
  problem.spectrum = models::Spectrum::list(std::vector<double>(dimension, 1.0));
  problem.x0 = Eigen::ArrayXd::Constant(size, 1.0 / std::sqrt(d));
  problem.xtilde = Eigen::ArrayXd::Zero(size);
  problem.label_noise = label_noise;
  problem.noise = noise;
  problem.dimension = d;
  problem.schedule = models::Schedule::constant(gamma);
  return problem;
}

simulate::NoisyLeastSquares descent_of(const models::LeastSquares& problem, std::size_t steps, Observed observed) {
  simulate::NoisyLeastSquares setting = simulate::one_pass(problem, steps);
  if (observed == Observed::every_step) {
    setting.observed.resize(steps + 1);
    std::iota(setting.observed.begin(), setting.observed.end(), std::size_t{0});
  }
  return setting;
}

std::vector<std::vector<double>> risk_paths(const models::LeastSquares& problem, Process process, std::size_t steps,
                                            std::size_t runs, std::uint64_t seed) {
  std::vector<std::vector<double>> risks(runs, std::vector<double>(steps + 1));
  const auto risk = simulate::population_risk(problem);
  const auto observe = [&](const simulate::Observation& at, std::span<const double> x) {
    risks[at.path][at.index] = risk(x);
  };
  const auto kept = [&](std::size_t path, Archive& archive) { archive(std::span(risks[path])); };
  const simulate::Paths paths{runs, seed, 0, 1, {}, kept};
  const auto setting = descent_of(problem, steps, Observed::every_step);
  if (process == Process::descent) {
    simulate::noisy_sgd(setting, simulate::records_of(problem), paths, observe);
  } else {
    simulate::hsgd(problem, static_cast<double>(steps) / problem.dimension, steps, setting.observed, paths, observe);
  }
  return risks;
}

std::vector<double> largest_deviations(const models::LeastSquares& problem, Process process,
                                       const std::vector<double>& reference, std::size_t runs, std::uint64_t seed) {
  return mapped(risk_paths(problem, process, reference.size() - 1, runs, seed),
                [&](const auto& path) { return largest_gap(path, reference); });
}

std::vector<double> mean_risks(const models::LeastSquares& problem, std::size_t steps) {
  const double horizon = static_cast<double>(steps) / problem.dimension;
  const homogenized::RiskTrajectory trajectory(problem, horizon);
  std::vector<double> risks;
  for (std::size_t k = 0; k <= steps; ++k) {
    risks.push_back(trajectory.population_risk(std::min(horizon, static_cast<double>(k) / problem.dimension)).value);
  }
  return risks;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

double largest_gap(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i] - b[i]));
  }
  return largest;
}

simulate::LinearLaw linear_law(const models::LeastSquares& problem, const std::vector<double>& times) {
  const homogenized::RiskTrajectory trajectory(problem, times.back());
  simulate::LinearLaw law;
  law.rates =
      simulate::to_vector(problem.spectrum.per_coordinate(problem.spectrum.eigenvalues() + problem.regularisation));
  for (const double t : times) {
    law.integrals.push_back(problem.schedule.integral(t));
    law.means.push_back(simulate::to_vector(trajectory.mean(t)));
    law.variances.push_back(simulate::to_vector(problem.spectrum.per_coordinate(trajectory.variance(t))));
  }
  return law;
}

}  // namespace dpcurves::validation::noisy_hsgd
