// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate glm: runs of phased SGD beside the risk bounds that they try to break.
#include "simulate/glm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <dpcurves/bounds/glm_phased.hpp>
#include <dpcurves/bounds/glm_plan.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/simulate/phased_sgd.hpp>

#include "simulate/image_records.hpp"
#include "simulate/processes.hpp"

namespace dpcurves::tools {
namespace {

using bounds::PhasedSetting;

std::vector<Option> glm_options() {
  auto table = risk_simulation_options("256,1024,4096");
  const std::vector<Option> own{
      {"algorithm", OptionKind::texts,
       "phased|projected|switch|smoothed|projected-smoothed|fast-projected-smoothed|sgd = phased,sgd",
       "Algorithms 2, 3, 1 (the switch between them), 5, 6 (Gaussian or fast projection), or phased SGD without noise"},
      {"link", OptionKind::text, "tanh|sigmoid|erf|probit|arctan|hardtanh = tanh", "link of the model"},
      {"slope", OptionKind::number, "(0, inf) = 1", "multiplies the argument of the link"},
      {"features", OptionKind::text, "sphere|spiked = sphere", "unit sphere, or (+-0.8, 0.6 v) with w* = W e_1"},
      {"dimension", OptionKind::count, "[1, 100000] = 5", "d"},
      {"rank", OptionKind::count, "[1, 100000]", "theta, of the sphere, default d"},
      {"step-size", OptionKind::number, "(0, inf)", "eta, default the best that privacy allows"},
      {"projected-dimension", OptionKind::count, "[1, 100000]", "m, default the best that privacy allows"},
      {"renormalise", OptionKind::flag, "", "shorten projected records to length 2: privacy for any m"},
      {"smoothing", OptionKind::number, "(0, inf)", "beta of the envelope, default sqrt(n) B/W^2"},
      {"labels", OptionKind::text, "classes|exact = classes", "two values with the right mean, or the mean"},
      {"printed-phases", OptionKind::flag, "", "ceil(log2 n) phases as printed: the last one is empty, its mean NaN"},
      image_records_option("of length 1, y is the highest value of the link for odd classes and the lowest for even")};
  table.insert(table.begin(), own.begin(), own.end());
  return table;
}

simulate::GlmLaw law_of(const Values& values, double norm) {
  simulate::GlmLaw law{
      .dimension = values.count("dimension"),
      .link = models::make_link(models::link_of(values.text("link")), values.number("slope")),
      .labels = values.text("labels") == "classes" ? simulate::LabelLaw::two_point : simulate::LabelLaw::exact};
  law.parameter.assign(law.dimension, 0.0);
  if (values.text("features") == "spiked") {
    require_option(law.dimension >= 2, "dimension",
                   std::to_string(law.dimension) + " is outside [2, 100000] for spiked features");
    require_option(!values.has("rank"), "rank", "is for features on a sphere");
    law.features = simulate::FeatureLaw::spiked;
    law.parameter[0] = norm;
    return law;
  }
  const std::size_t rank = values.count_or("rank", law.dimension);
  require_option(rank <= law.dimension, "rank",
                 std::to_string(rank) + " is outside [1, " + std::to_string(law.dimension) + "], the dimension");
  law.rank = rank;
  std::fill_n(law.parameter.begin(), rank, norm / std::sqrt(static_cast<double>(rank)));
  return law;
}

/// Algorithm 1: which of Algorithms 2 and 3 the rule of the paper takes.
std::string branch_of_algorithm_1(const Values& values, const simulate::GlmLaw& law, double records) {
  const auto rank = static_cast<double>(law.rank == 0 ? law.dimension : law.rank);
  return bounds::rule_of_algorithm_1(records, values.number("epsilon"), rank) ? "phased" : "projected";
}

/// What the algorithms are run on: a law, or images of its dimension.
struct GlmProblem {
  simulate::GlmLaw law{};
  std::optional<ImageRecords> images{};
  double norm = 1.0;
  std::size_t paths = 24;
};

GlmProblem problem_of(const Values& values) {
  GlmProblem problem{.norm = values.number("parameter-norm"), .paths = values.count("paths")};
  problem.law = law_of(values, problem.norm);
  const auto& link = problem.law.link;
  problem.images = image_records(values, {"features", "dimension", "rank", "labels"}, link.highest(), link.lowest());
  if (problem.images) {
    problem.law.dimension = problem.images->dimension();
    problem.law.rank = 0;
    problem.law.parameter.assign(problem.law.dimension, 0.0);  // there is no truth
  }
  return problem;
}

PhasedSetting phased_setting(const Values& values, const GlmProblem& problem, const std::string& algorithm,
                             double records) {
  const auto& law = problem.law;
  PhasedSetting s{.records = static_cast<std::uint64_t>(records),
                  .epsilon = algorithm == "sgd" ? infinity : values.number("epsilon"),
                  .delta = values.number("delta"),
                  .label_bound = law.link.bound(),
                  .lipschitz = law.link.lipschitz(),
                  .rank = static_cast<double>(law.rank == 0 ? law.dimension : law.rank),
                  .parameter_norm = problem.norm,
                  .start_squared = problem.norm * problem.norm};
  require_option(!projects(algorithm) || std::isfinite(s.epsilon) || values.has("projected-dimension"),
                 "projected-dimension", "is required with --epsilon inf, where the best is not to project");
  if (projects(algorithm)) {
    s.projected_dimension = projected_dimension(values, s);
  }
  s.smoothing = values.number_or("smoothing", std::sqrt(records) * s.label_bound / std::max(s.start_squared, 1e-12));
  s.step_size = values.number_or("step-size", bounds::best_private_step_size(s, projects(algorithm)));
  if (!values.has("step-size") && algorithm.find("smoothed") != std::string::npos) {
    s.step_size = std::min(s.step_size, 4.0 * models::largest_phase_step(kind_of(algorithm), s.smoothing));
  }
  return s;
}

void note_run(std::vector<std::string>& notes, const std::string& algorithm, const PhasedSetting& s,
              const simulate::PhasedSgd& run, bool renormalise, bool images) {
  if (algorithm != "sgd") {
    note_privacy(notes, algorithm, s, renormalise);
  } else {
    note_once(notes, images ? "sgd: no noise, not private"
                            : "sgd: no noise, not private; the bound is that of epsilon = infinity");
  }
  if (run.printed_phases) {
    note_once(notes, "printed phases: unless n is a power of 2 the last one is empty and its mean 0/0");
  }
  if (images) {
    return;
  }
  if (algorithm == "fast-projected-smoothed") {
    note_once(notes, algorithm + ": the bound needs unbiased rows and is not claimed for a fast projection");
  } else if (projects(algorithm) && renormalise) {
    note_once(notes, algorithm + ": the bound holds up to the chance that a row is shortened, which is biased");
  }
}

/// The runs of one algorithm at one number of records.
MeasuredRisk measured(const GlmProblem& problem, const std::string& named, double records, const Values& values,
                      const Common& common, std::vector<std::string>& notes) {
  const auto& law = problem.law;
  const std::string algorithm = named == "switch" ? branch_of_algorithm_1(values, law, records) : named;
  const auto kind = kind_of(algorithm);
  const PhasedSetting s = phased_setting(values, problem, algorithm, records);
  simulate::PhasedSgd run{.link = law.link,
                          .step_size = s.step_size,
                          .noise_per_step = models::printed_noise_per_step(kind, s.label_bound, s.epsilon, s.delta),
                          .printed_phases = values.flag("printed-phases")};
  if (algorithm.find("smoothed") != std::string::npos) {
    run.slope = simulate::envelope_slope(law.link, s.smoothing);
  }
  const auto m = static_cast<std::size_t>(s.projected_dimension);
  const bool fast = algorithm == "fast-projected-smoothed";
  const bool renormalise = fast || values.flag("renormalise");
  const auto trained = [&](simulate::RecordSource& data, std::uint32_t path) {
    if (!projects(algorithm)) {
      return simulate::phased_sgd(run, data, common.seed, path);
    }
    auto map = fast ? models::JohnsonLindenstrauss::hadamard(m, law.dimension, common.seed, path)
                    : models::JohnsonLindenstrauss::gaussian(m, law.dimension, common.seed, path, renormalise);
    return simulate::projected_phased_sgd(run, data, map, common.seed, path);
  };
  const auto risk = measure(problem.paths, common, algorithm + ", n = " + shortest(records), [&](std::uint32_t path) {
    if (problem.images) {
      auto data = problem.images->to_train(s.records, path, 1.0);
      return problem.images->test_loss(law.link, trained(data, path), 1.0);
    }
    simulate::DrawnRecords data(law, s.records, common.seed, path), fresh(law, 500, common.seed + 1, path);
    return simulate::mean_squared_differences(fresh, law.link, trained(data, path), law.parameter).front();
  });
  note_run(notes, algorithm, s, run, renormalise, problem.images.has_value());
  const bool claimed = !fast && !problem.images;
  Json details{{"step_size", s.step_size}, {"noise_per_step", number(run.noise_per_step)}};
  if (projects(algorithm)) {
    details["projected_dimension"] = s.projected_dimension;
  }
  return {named == "switch" ? "switch: " + algorithm : algorithm,
          records,
          risk,
          claimed ? bounds::bound_of(kind, s).risk : std::numeric_limits<double>::quiet_NaN(),
          claimed ? bounds::theorem_of(kind) : "",
          details};
}

Simulation run_glm(const Asked& asked) {
  const auto& [values, common, table] = asked;
  const GlmProblem problem = problem_of(values);
  const auto& law = problem.law;
  const auto algorithms = values.texts("algorithm");
  std::vector<std::string> notes;
  std::vector<MeasuredRisk> rows;
  for (const double records : record_counts(values, problem.images)) {
    for (const auto& named : algorithms) {
      rows.push_back(measured(problem, named, records, values, common, notes));
    }
  }
  if (problem.images) {
    notes.insert(notes.begin(), problem.images->note(law.link, 1.0));
    return report_risks("glm", "squared loss on test images", rows, notes, asked);
  }
  simulate::DrawnRecords sample(law, 256, common.seed, 0);
  for (const auto& violation : simulate::violations({law.link.bound(), law.link.lipschitz(), problem.norm, 1.0},
                                                    law.link, law.parameter, sample, 256)) {
    note_once(notes, "Assumption 1 asks for " + violation.assumption + "; here " + violation.found);
  }
  return report_risks("glm", "squared risk above the best", rows, notes, asked);
}

}  // namespace

Leaf glm_simulation() {
  return simulation("glm", "phased SGD for generalised linear models, beside Theorems 1, 2, 4 and 5",
                    {"--records 1024,4096,16384 --dimension 5 --plot risk.svg",
                     "--algorithm phased,projected --features spiked --dimension 256 --parameter-norm 1.5 \\\n      "
                     "--projected-dimension 4 --renormalise",
                     "--algorithm smoothed --slope 20 --dimension 3",
                     "--data data/sets/mnist --link sigmoid --records 4096,16384 --step-size 1"},
                    glm_options(), run_glm);
}

}  // namespace dpcurves::tools
