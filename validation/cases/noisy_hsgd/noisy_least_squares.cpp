// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Algorithm 1 against its exact laws: the mean risk over random data, and the normal law given the data.

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/simulate/least_squares_law.hpp>

#include "validation/cases/noisy_hsgd/least_squares_support.hpp"
#include "validation/cases/topics.hpp"

namespace dpcurves::validation::noisy_hsgd {
namespace {

using simulate::Entries;

/// Simulated final risks against the recursion of the second moments of `claimed`.
void mean_risk(const Setting& setting, Trial& trial, const models::LeastSquares& problem,
               const models::LeastSquares& claimed, Entries entries, const std::string& name) {
  const auto steps = static_cast<std::size_t>(2.0 * problem.dimension);
  const std::size_t runs = setting.size(4000, 100000);
  trial.by_simulation(runs);
  std::vector<double> risks(runs);
  const auto risk = simulate::population_risk(problem);
  const auto kept = [&](std::size_t path, Archive& archive) { archive(risks[path]); };
  simulate::noisy_sgd(descent_of(problem, steps, Observed::last_step), simulate::records_of(problem, entries),
                      {runs, seed_of(setting, "noisy-hsgd/algorithm-1"), 0, 1, {}, kept},
                      [&](const simulate::Observation& at, std::span<const double> x) { risks[at.path] = risk(x); });
  const inference::Moments found = inference::moments(risks);
  const double exact = simulate::exact_mean_risks(claimed, simulate::kurtosis(entries), steps).back();
  within_errors(
      trial, found.mean, found.mean_error, exact,
      name + " features, d = " + shortest(problem.dimension) + ", mean risk after " + std::to_string(steps) + " steps");
}

/// Mean and covariance of the last iterate on one data set against the exact law of `claimed`.
void conditional(const Setting& setting, Trial& trial, const simulate::ConditionalSgd& data, double claimed_noise) {
  const std::size_t steps = data.step_sizes.size(), d = data.records.dimension;
  auto claim = data;
  claim.noise = claimed_noise;
  const auto law = simulate::conditional_law(claim, steps);
  simulate::NoisyLeastSquares descent{.start = simulate::to_vector(data.start.array()),
                                      .regularisation = data.regularisation,
                                      .noise = data.noise,
                                      .step_sizes = data.step_sizes,
                                      .observed = {steps}};
  const std::size_t runs = setting.size(20000, 400000);
  trial.by_simulation(runs);
  std::vector<double> first(runs), product(runs), square(runs);
  const auto kept = [&](std::size_t path, Archive& archive) { archive(first[path], square[path], product[path]); };
  simulate::noisy_sgd(descent, data.records, {runs, seed_of(setting, "noisy-hsgd/algorithm-1", 1), 0, 1, {}, kept},
                      [&](const simulate::Observation& at, std::span<const double> x) {
                        const double u = x[0] - law.mean[0], v = x[d - 1] - law.mean[static_cast<Eigen::Index>(d) - 1];
                        first[at.path] = x[0];
                        square[at.path] = u * u;
                        product[at.path] = u * v;
                      });
  const auto last = static_cast<Eigen::Index>(d) - 1;
  const inference::Moments mean = inference::moments(first), variance = inference::moments(square),
                           covariance = inference::moments(product);
  within_errors(trial, mean.mean, mean.mean_error, law.mean[0], "given the data, mean of coordinate 1");
  within_errors(trial, variance.mean, variance.mean_error, law.covariance(0, 0), "variance of coordinate 1");
  within_errors(trial, covariance.mean, covariance.mean_error, law.covariance(last, 0),
                "covariance of coordinates 1, d");
}

void algorithm_1(const Setting& setting, Outcome& outcome) {
  const auto problem = base_model(20);
  auto louder = problem;  // sigma on the iterate and not on the gradient would be off by more than this
  louder.noise *= 1.2;
  mean_risk(setting, outcome.claim, problem, problem, Entries::gaussian, "Gaussian");
  mean_risk(setting, outcome.claim, problem, problem, Entries::uniform, "uniform");
  mean_risk(setting, outcome.claim, problem, problem, Entries::rademacher, "Rademacher");
  mean_risk(setting, outcome.control, problem, louder, Entries::gaussian, "Gaussian");
  auto decaying = problem;
  decaying.schedule = models::Schedule::cosine(0.8, 0.0, 2.0);
  mean_risk(setting, outcome.claim, decaying, decaying, Entries::gaussian, "cosine schedule, Gaussian");
  simulate::ConditionalSgd data;
  const auto law = simulate::records_of(base_model(5));
  data.records = simulate::draw_records(law, 12, seed_of(setting, "noisy-hsgd/algorithm-1", 2));
  data.start = base_model(5).x0.matrix();
  data.step_sizes.assign(12, 0.2);
  data.regularisation = 0.1;
  data.noise = 0.7;
  conditional(setting, outcome.claim, data, data.noise);
  conditional(setting, outcome.control, data, 1.2 * data.noise);
}

}  // namespace

std::vector<Case> noisy_least_squares_cases() {
  return {{"noisy-hsgd/algorithm-1",
           "one pass of noisy SGD on regularised least squares: each record once, parameter noise eta_k sigma",
           "4000 runs (nightly 100,000) at d = 20 with three laws of features and two schedules: mean risk against the "
           "exact recursion of the second moments; 20,000 runs (nightly 400,000) on one data set of 12 records against "
           "the exact normal law; 6.5 standard errors",
           "both laws with 1.2 times the noise", algorithm_1}};
}

}  // namespace dpcurves::validation::noisy_hsgd
