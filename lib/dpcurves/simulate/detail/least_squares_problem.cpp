// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/simulate/detail/least_squares_problem.hpp>

namespace dpcurves::simulate {
namespace {

void require_coordinates(const models::LeastSquares& problem) {
  require_domain(problem.has_coordinates(), "coordinates of x0", static_cast<double>(problem.x0.size()),
                 "one for each eigenvalue");
}

std::vector<double> eigenvalues(const models::LeastSquares& problem) {
  return to_vector(problem.spectrum.per_coordinate(problem.spectrum.eigenvalues()));
}

}  // namespace

std::vector<double> to_vector(const Eigen::ArrayXd& x) { return {x.data(), x.data() + x.size()}; }

std::vector<double> step_sizes(const models::LeastSquares& problem, std::size_t steps) {
  std::vector<double> sizes(steps);
  for (std::size_t k = 0; k < steps; ++k) {
    sizes[k] = problem.step_size(static_cast<double>(k) / problem.dimension);
  }
  return sizes;
}

NoisyLeastSquares one_pass(const models::LeastSquares& problem, std::size_t steps) {
  require_coordinates(problem);
  return NoisyLeastSquares{.start = to_vector(problem.x0),
                           .regularisation = problem.regularisation,
                           .noise = problem.noise,
                           .step_sizes = step_sizes(problem, steps),
                           .observed = {steps}};
}

PopulationRisk population_risk(const models::LeastSquares& problem) {
  require_coordinates(problem);
  return {eigenvalues(problem), to_vector(problem.xtilde), 0.5 * problem.label_noise, {}};
}

RecordLaw records_of(const models::LeastSquares& problem, Entries entries) {
  require_coordinates(problem);
  return centred_records(entries, eigenvalues(problem), to_vector(problem.xtilde), std::sqrt(problem.label_noise));
}

Records to_records(std::span<const models::Record> records) {
  Records result;
  result.dimension = records.empty() ? 0 : static_cast<std::size_t>(records.front().features.size());
  for (const models::Record& record : records) {
    result.features.insert(result.features.end(), record.features.begin(), record.features.end());
    result.labels.push_back(record.label);
  }
  return result;
}

}  // namespace dpcurves::simulate
