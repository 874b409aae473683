// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate relu-regression: projected and batched noisy descent beside Theorems 6 and 7.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <dpcurves/bounds/glm_privacy.hpp>
#include <dpcurves/bounds/relu_regression.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/simulate/relu_descent.hpp>

#include "simulate/glm.hpp"
#include "simulate/image_records.hpp"
#include "simulate/processes.hpp"

namespace dpcurves::tools {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<Option> options() {
  auto table = risk_simulation_options("500,2000");
  const std::vector<Option> own{
      {"algorithm", OptionKind::texts, "projected|unprojected|batched|batched-printed = projected,unprojected",
       "Algorithm 7; the same with Phi = I and radius W; Algorithm 8, with corrected or printed noise"},
      {"dimension", OptionKind::count, "[1, 100000] = 20", "d"},
      {"label-noise", OptionKind::number, "[0, inf) = 0.5", "labels are relu(<w*, x>) +- this"},
      {"step-size", OptionKind::number, "(0, inf)", "eta, default 0.05 (7) or 1/16 (8)"},
      {"steps", OptionKind::count, "[1, 1000000]", "T of Algorithm 7 (default 40) or batches of Algorithm 8 (20)"},
      {"projected-dimension", OptionKind::count, "[1, 100000]", "m, default what privacy asks for"},
      {"renormalise", OptionKind::flag, "", "shorten projected records to length 2: privacy for any m"},
      {"printed-average", OptionKind::flag, "", "Algorithm 7 returns w_T, as its sum is printed"},
      image_records_option("of length 1 (Algorithm 7) or sqrt d (Algorithm 8), y is 1 for odd classes and 0 for even")};
  table.insert(table.begin(), own.begin(), own.end());
  return table;
}

double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  return sum_over(a.size(), [&](std::size_t i) { return (a[i] - b[i]) * (a[i] - b[i]); });
}

/// What the three algorithms are run on.
struct ReluProblem {
  simulate::GlmLaw law;
  std::optional<ImageRecords> images;  ///< in place of records of the law
  double norm = 1.0, noise = 0.5, epsilon = 1.0, delta = 1e-5;
  std::size_t paths = 24;
};

MeasuredRisk full_batch(const ReluProblem& problem, const std::string& algorithm, double records, const Values& values,
                        const Common& common, std::vector<std::string>& notes) {
  auto law = problem.law;
  law.features = simulate::FeatureLaw::unit_sphere;
  const bool projected = algorithm == "projected";
  const auto event = bounds::johnson_lindenstrauss_event(1.0, records, problem.delta);
  bounds::ProjectedDescentSetting s{
      .records = records,
      .projected_dimension = projected ? values.number_or("projected-dimension", event.least_dimension)
                                       : static_cast<double>(law.dimension),
      .steps = values.number_or("steps", 40.0),
      .step_size = values.number_or("step-size", 0.05)};
  require_option(s.step_size <= 0.5, "step-size",
                 shortest(s.step_size) + " is outside (0, 0.5], where Theorem 6 holds");
  s.epsilon = problem.epsilon;
  s.delta = problem.delta;
  s.label_bound = problem.images ? 1.0 : problem.norm + problem.noise;
  s.parameter_norm = problem.norm;
  const auto bound = bounds::projected_descent_bound(s);
  simulate::ProjectedDescent run{.step_size = s.step_size,
                                 .steps = static_cast<std::uint64_t>(s.steps),
                                 .noise = std::sqrt(bound.noise_variance),
                                 .radius = (projected ? 2.0 : 1.0) * problem.norm,
                                 .printed_average = values.flag("printed-average")};
  const auto risk = measure(problem.paths, common, algorithm + ", n = " + shortest(records), [&](std::uint32_t path) {
    const auto trained = [&](simulate::RecordSource& data) {
      if (!projected) {
        return simulate::projected_descent(run, data, common.seed, path);
      }
      auto map = models::JohnsonLindenstrauss::gaussian(static_cast<std::size_t>(s.projected_dimension), law.dimension,
                                                        common.seed, path, values.flag("renormalise"));
      return simulate::projected_descent(run, data, map, common.seed, path);
    };
    if (problem.images) {
      auto data = problem.images->to_train(static_cast<std::size_t>(records), path, 1.0);
      return problem.images->test_loss(law.link, trained(data), 1.0);
    }
    simulate::DrawnRecords data(law, static_cast<std::uint64_t>(records), common.seed, path);
    return squared_distance(trained(data), law.parameter) / (4.0 * static_cast<double>(law.dimension));
  });
  const auto note = [&](const std::string& words) { note_once(notes, words); };
  if (projected && !values.flag("renormalise") && s.projected_dimension < event.least_dimension) {
    note("projected: m = " + shortest(s.projected_dimension) + " is too small for privacy at n = " + shortest(records) +
         "; at least " + shortest(event.least_dimension) + ", or --renormalise");
  }
  if (!projected) {
    note("unprojected: a baseline, noise of Algorithm 7 in all d dimensions; no bound is claimed");
  }
  if (!problem.images) {
    note("projected, unprojected: x on the unit sphere, surrogate excess |w - w*|^2/(4 d)");
  }
  const bool claimed = projected && !problem.images;
  return {algorithm,
          records,
          risk,
          claimed ? bound.surrogate : nan,
          claimed ? "dp-glm-networks/theorem-6" : "",
          {{"projected_dimension", s.projected_dimension}, {"noise", number(run.noise)}, {"step_size", s.step_size}}};
}

MeasuredRisk one_pass(const ReluProblem& problem, const std::string& algorithm, double records, const Values& values,
                      const Common& common, std::vector<std::string>& notes) {
  auto law = problem.law;
  law.features = simulate::FeatureLaw::wide_sphere;
  const auto d = static_cast<double>(law.dimension);
  const bool printed = algorithm == "batched-printed";
  simulate::BatchedDescent run{
      .step_size = values.number_or("step-size", 1.0 / 16.0),
      .batches = static_cast<std::uint64_t>(std::min(values.number_or("steps", 20.0), records))};
  const double batch = std::floor(records / static_cast<double>(run.batches));
  const double label_bound = problem.images ? 1.0 : problem.norm * std::sqrt(d) + problem.noise;
  run.noise = [=, &problem](double length) {
    const bounds::BatchNoiseSetting s{label_bound, std::sqrt(d), length, batch, problem.epsilon, problem.delta};
    return std::sqrt(printed ? bounds::printed_batch_noise_variance(s) : bounds::batch_noise_variance(s));
  };
  const auto risk = measure(problem.paths, common, algorithm + ", n = " + shortest(records), [&](std::uint32_t path) {
    if (problem.images) {
      auto data = problem.images->to_train(static_cast<std::size_t>(records), path, std::sqrt(d));
      return problem.images->test_loss(law.link, simulate::batched_descent(run, data, common.seed, path), std::sqrt(d));
    }
    simulate::DrawnRecords data(law, static_cast<std::uint64_t>(records), common.seed, path);
    return 0.25 * squared_distance(simulate::batched_descent(run, data, common.seed, path), law.parameter);
  });
  const auto note = [&](const std::string& words) { note_once(notes, words); };
  if (printed) {
    const double mu = bounds::algorithm_8_printed_mu(d, problem.epsilon, problem.delta);
    note("batched-printed: NOT private as claimed; an attack on one batch has mu = " + rounded(mu, 6) +
         " at d = " + shortest(d));
  }
  note(problem.images
           ? "batched: x on the sphere of radius sqrt d; Algorithm 8 asks for isotropic features, which images are "
             "not: steps well beyond 1/d diverge along their mean"
           : "batched: x on the sphere of radius sqrt d, surrogate excess |w - w*|^2/4; Theorem 7 is a rate");
  return {algorithm, records, risk, nan, "", {{"batch", batch}, {"step_size", run.step_size}}};
}

Simulation simulate_relu(const Asked& asked) {
  const auto& [values, common, table] = asked;
  ReluProblem problem;
  problem.norm = values.number("parameter-norm");
  require_option(problem.norm > 0.0, "parameter-norm", "0 is outside (0, inf): the radius of the projection");
  problem.noise = values.number("label-noise");
  problem.epsilon = values.number("epsilon");
  problem.delta = values.number("delta");
  require_option(std::isfinite(problem.epsilon), "epsilon", "inf is outside (0, inf)");
  problem.paths = values.count("paths");
  problem.images = image_records(values, {"dimension", "label-noise"}, 1.0, 0.0);
  problem.law.dimension = problem.images ? problem.images->dimension() : values.count("dimension");
  problem.law.link = models::make_link(models::LinkKind::relu);
  problem.law.parameter.assign(problem.law.dimension,
                               problem.norm / std::sqrt(static_cast<double>(problem.law.dimension)));
  problem.law.labels = simulate::LabelLaw::signs;
  problem.law.label_noise = problem.noise;
  const auto algorithms = values.texts("algorithm");
  std::vector<std::string> notes;
  std::vector<MeasuredRisk> rows;
  for (const double records : record_counts(values, problem.images)) {
    for (const auto& algorithm : algorithms) {
      const bool batches = algorithm == "batched" || algorithm == "batched-printed";
      rows.push_back(batches ? one_pass(problem, algorithm, records, values, common, notes)
                             : full_batch(problem, algorithm, records, values, common, notes));
    }
  }
  if (problem.images) {
    notes.insert(notes.begin(), problem.images->note(problem.law.link, 1.0));
  }
  return report_risks("relu-regression", problem.images ? "squared loss on test images" : "surrogate excess", rows,
                      notes, asked);
}

}  // namespace

Leaf relu_regression_simulation() {
  return simulation(
      "relu-regression", "noisy descent for ReLU regression, projected or in batches, beside Theorem 6",
      {"--records 500,2000,8000 --dimension 50", "--algorithm batched,batched-printed --dimension 100 --records 100000",
       "--data data/sets/mnist --renormalise --projected-dimension 50 --epsilon 10"},
      options(), simulate_relu);
}

}  // namespace dpcurves::tools
