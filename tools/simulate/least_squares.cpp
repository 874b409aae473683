// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate noisy-sgd-least-squares and hsgd: risks of many runs beside the mean risk of the Volterra equation.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/homogenized/detail/risk_stationary.hpp>
#include <dpcurves/homogenized/risk_trajectory.hpp>
#include <dpcurves/inference/detail/moments.hpp>
#include <dpcurves/io/plot.hpp>
#include <dpcurves/queries/detail/least_squares_file.hpp>
#include <dpcurves/simulate/detail/least_squares_problem.hpp>
#include <dpcurves/simulate/hsgd.hpp>
#include <dpcurves/simulate/least_squares_law.hpp>

#include "simulate/processes.hpp"
#include "support/simulation.hpp"
#include "validation/cases/noisy_hsgd/least_squares_support.hpp"

namespace dpcurves::tools {
namespace {

std::vector<Option> options_of(const std::string& process) {
  std::vector<Option> table{
      {"problem", OptionKind::text, "", "JSON file with spectrum, x0, xtilde, E_xi2, delta, sigma, schedule, dim"},
      {"steps", OptionKind::count, "[1, 100000000]", "number of steps n, default the records of the file or 2 dim"},
      {"iterations", OptionKind::numbers, "[0, 100000000]", "steps after which the risk is shown, default 16 of them"}};
  if (process == "hsgd") {
    table.push_back({"method", OptionKind::text, "equation|linear = equation",
                     "equation: the stochastic differential equation by exponential Euler-Maruyama; linear: its "
                     "linearisation by exact transitions"});
    table.push_back({"refine", OptionKind::count, "[1, 1000] = 1", "steps of the equation per iteration"});
  } else {
    table.push_back({"features", OptionKind::text, "gaussian|uniform|rademacher|records = gaussian",
                     "law of the coordinates of fresh features, or the records of the problem file in their order"});
    table.push_back({"clip", OptionKind::numbers, "(0, inf] = inf",
                     "clip norms of the gradient with its regulariser; all runs share data and noise"});
  }
  table.push_back({"paths", OptionKind::count, "[2, 10000000] = 100", "number of runs", run_group});
  table.push_back(queries::plot_option("draw", run_group));
  return table;
}

/// The iterations asked for, or about 16 that grow geometrically.
std::vector<std::size_t> observed_iterations(const Values& values, std::size_t steps) {
  std::vector<std::size_t> list;
  for (const double k : values.numbers("iterations")) {
    require_option(k == std::floor(k) && k <= static_cast<double>(steps), "iterations",
                   shortest(k) + " is not a whole number in [0, " + std::to_string(steps) + "]");
    list.push_back(static_cast<std::size_t>(k));
  }
  if (list.empty()) {
    constexpr int count = 16;
    list.push_back(0);
    for (int i = 0; i <= count; ++i) {
      list.push_back(static_cast<std::size_t>(std::lround(std::pow(static_cast<double>(steps), i / double{count}))));
    }
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

/// Risks of all runs at one iteration with one clip norm.
struct Sample {
  std::vector<double> risks;
  double mean = 0.0, deviation = 0.0;

  void summarise() {
    const bool random = std::any_of(risks.begin(), risks.end(), [&](double risk) { return risk != risks.front(); });
    const auto found = inference::moments(risks);
    mean = random ? found.mean : risks.front();  // the start is not random
    deviation = !std::isfinite(mean) ? std::numeric_limits<double>::infinity()
                : random             ? std::sqrt(found.variance)
                                     : 0.0;
  }
  [[nodiscard]] double standard_error() const { return deviation / std::sqrt(static_cast<double>(risks.size())); }
};

/// Everything that is printed.
struct Simulated {
  std::vector<std::size_t> iterations;
  std::vector<double> clip_norms{std::numeric_limits<double>::infinity()};
  std::vector<Estimate> theory;              ///< P_t, shape (iterations)
  std::vector<double> curve_at, curve;       ///< the same at many iterations, for the picture
  std::vector<double> exact;                 ///< exact mean over the data, shape (iterations); empty if not known
  std::vector<std::vector<Sample>> samples;  ///< shape (clip norms x iterations)
  std::vector<simulate::Clipping> clipping;

  /// The risks of a path, for other processes.
  [[nodiscard]] std::function<void(std::size_t, Archive&)> kept() {
    return [this](std::size_t path, Archive& archive) {
      for (auto& of_clip : samples) {
        for (Sample& sample : of_clip) {
          archive(sample.risks[path]);
        }
      }
    };
  }
};

/// The risk of an iterate that has left the range of doubles is no number; it has grown past all of them.
double finite_or_infinite(double risk) { return std::isnan(risk) ? std::numeric_limits<double>::infinity() : risk; }

/// What a long run spends before and after its paths, beside their bar.
template <class Work>
auto under_label(const Common& common, const std::string& label, const Work& work) {
  const ProgressBar bar(label, common);
  return work();
}

Simulated prepare(const models::LeastSquares& problem, std::vector<std::size_t> iterations, std::size_t paths,
                  std::size_t clips) {
  Simulated result;
  const double horizon = static_cast<double>(iterations.back()) / problem.dimension;
  const homogenized::RiskTrajectory trajectory(problem, horizon);
  for (const std::size_t k : iterations) {
    result.theory.push_back(trajectory.population_risk(std::min(horizon, static_cast<double>(k) / problem.dimension)));
  }
  constexpr int points = 200;
  for (int i = 0; i <= points; ++i) {  // denser at the start, where the risk falls
    const double t = horizon * std::pow(i / double{points}, 3.0);
    result.curve_at.push_back(t * problem.dimension);
    result.curve.push_back(trajectory.population_risk(t).value);
  }
  result.iterations = std::move(iterations);
  result.samples.assign(clips, std::vector<Sample>(result.iterations.size(), Sample{std::vector<double>(paths)}));
  return result;
}

Simulated run_sgd(const ProblemFile& file, const Values& values, std::size_t steps, simulate::Paths paths,
                  const Common& common) {
  const models::LeastSquares& problem = file.problem;
  const auto clips = values.numbers("clip");
  Simulated result = under_label(common, "solving the Volterra equation", [&] {
    return prepare(problem, observed_iterations(values, steps), paths.count, clips.size());
  });
  result.clip_norms = clips;
  simulate::NoisyLeastSquares setting = simulate::one_pass(problem, steps);
  setting.clip_norms = clips;
  setting.observed = result.iterations;
  const auto risk = simulate::population_risk(problem);
  const auto observe = [&](const simulate::Observation& at, std::span<const double> x) {
    result.samples[at.clip][at.index].risks[at.path] = finite_or_infinite(risk(x));
  };
  paths.kept = result.kept();
  const std::string features = values.text("features");
  if (features == "records") {
    require_option(file.records.size() >= steps, "features",
                   "the problem file has " + std::to_string(file.records.size()) + " records, fewer than the " +
                       std::to_string(steps) + " steps");
    result.clipping = simulate::noisy_sgd(setting, simulate::to_records(file.records), paths, observe);
    return result;
  }
  const auto entries = features == "uniform"      ? simulate::Entries::uniform
                       : features == "rademacher" ? simulate::Entries::rademacher
                                                  : simulate::Entries::gaussian;
  result.clipping = simulate::noisy_sgd(setting, simulate::records_of(problem, entries), paths, observe);
  const auto means = under_label(common, "the exact mean", [&] {
    return simulate::exact_mean_risks(problem, simulate::kurtosis(entries), result.iterations.back());
  });
  for (const std::size_t k : result.iterations) {
    result.exact.push_back(means[k]);
  }
  return result;
}

Simulated run_hsgd(const ProblemFile& file, const Values& values, std::size_t steps, simulate::Paths paths,
                   const Common& common) {
  const models::LeastSquares& problem = file.problem;
  Simulated result = under_label(common, "solving the Volterra equation",
                                 [&] { return prepare(problem, observed_iterations(values, steps), paths.count, 1); });
  const auto risk = simulate::population_risk(problem);
  const auto observe = [&](const simulate::Observation& at, std::span<const double> x) {
    result.samples[0][at.index].risks[at.path] = finite_or_infinite(risk(x));
  };
  paths.kept = result.kept();
  if (values.text("method") == "equation") {
    const auto refine = values.count("refine");
    auto grid = result.iterations;
    for (std::size_t& k : grid) {
      k *= refine;
    }
    simulate::hsgd(problem, static_cast<double>(steps) / problem.dimension, steps * refine, grid, paths, observe);
    return result;
  }
  require_option(!values.has("refine"), "refine", "the transitions of the linearised equation are exact");
  const double horizon = static_cast<double>(result.iterations.back()) / problem.dimension;
  std::vector<double> times;
  for (const std::size_t k : result.iterations) {
    times.push_back(std::min(horizon, static_cast<double>(k) / problem.dimension));
  }
  simulate::linear_hsgd(validation::noisy_hsgd::linear_law(problem, times), std::nullopt, paths, observe);
  return result;
}

std::string clip_name(double clip) { return std::isinf(clip) ? "no clipping" : "clip norm " + shortest(clip); }

io::Plot risk_picture(const std::string& process, const Simulated& result) {
  const std::vector<double> k(result.iterations.begin(), result.iterations.end());
  const bool long_run = k.back() > 50.0;
  const auto [least, most] = std::minmax_element(result.curve.begin(), result.curve.end());
  io::Plot plot{process + ": risks of " + std::to_string(result.samples[0][0].risks.size()) + " runs",
                {"iteration", long_run, long_run ? std::optional(1.0) : std::nullopt},
                {"population risk", *most > 10.0 * *least},
                long_run ? io::Legend::bottom_left : io::Legend::top_right};
  for (std::size_t clip = 0; clip < result.samples.size(); ++clip) {
    std::vector<double> mean, low, high;
    for (const Sample& sample : result.samples[clip]) {
      auto sorted = sample.risks;
      std::sort(sorted.begin(), sorted.end());
      const std::size_t cut = sorted.size() / 20;
      mean.push_back(sample.mean);
      low.push_back(sorted[cut]);
      high.push_back(sorted[sorted.size() - 1 - cut]);
    }
    plot.series.push_back(result.samples.size() > 1 ? io::line(clip_name(result.clip_norms[clip]) + ", mean", k, mean)
                                                    : io::points("simulation: mean, 5 % to 95 %", k, mean, low, high));
  }
  plot.series.push_back(io::dashed("Volterra equation", result.curve_at, result.curve));
  return plot;
}

Simulation simulate_least_squares(const std::string& process, const Asked& asked) {
  const auto& [values, common, table] = asked;
  const ProblemFile file = read_problem_file(values.text("problem"));
  const models::LeastSquares& problem = file.problem;
  if (!problem.has_coordinates()) {
    throw DomainError(values.text("problem") +
                      ": a simulation needs the coordinates of x0 and xtilde, not only their products per block");
  }
  const bool own_records = values.has("features") && values.text("features") == "records";
  const double default_steps =
      own_records ? static_cast<double>(file.records.size()) : std::ceil(2.0 * problem.dimension);
  const auto steps = static_cast<std::size_t>(values.number_or("steps", default_steps));
  require_option(steps >= 1, "steps", "is required, the problem file has no records");
  require_option(static_cast<double>(steps) / problem.dimension <= problem.schedule.end(), "steps",
                 std::to_string(steps) + " is beyond the end of the schedule, t = " + shortest(problem.schedule.end()));
  ProgressBar bar("simulating", common);
  simulate::Paths paths{values.count("paths"), common.seed, 0, common.threads, bar.follow()};
  Simulated result =
      process == "hsgd" ? run_hsgd(file, values, steps, paths, common) : run_sgd(file, values, steps, paths, common);
  const bool descent = process != "hsgd";
  Sharing::last_loop_done();
  Results results({{"clip_norm", "clip_norm"},
                   {"", "", descent ? "clip norm" : ""},
                   {"iteration"},
                   {"", "iteration", "iteration"},
                   {"time"},
                   {"theory"},
                   {"", "theory", "theory", 6},
                   {"mean", "mean", "mean risk", 6},
                   {"standard_error", "standard_error", "+-", 2},
                   {"deviation", "deviation", "deviation", 3},
                   {"exact_mean", "exact_mean"},
                   {"", "", descent ? "exact mean" : ""}});
  for (std::size_t clip = 0; clip < result.samples.size(); ++clip) {
    for (std::size_t j = 0; j < result.iterations.size(); ++j) {
      Sample& sample = result.samples[clip][j];
      sample.summarise();
      const bool known = !result.exact.empty() && std::isinf(result.clip_norms[clip]);
      const double exact = known ? result.exact[j] : std::nan("");
      const auto k = static_cast<double>(result.iterations[j]);
      const Estimate& theory = result.theory[j];
      const double norm = result.clip_norms[clip];
      results.add({norm, std::isinf(norm) ? "none" : shortest(norm), result.iterations[j], k, k / problem.dimension,
                   Json{{"value", number(theory.value)}, {"error", number(theory.error)}}, theory.value, sample.mean,
                   sample.standard_error(), sample.deviation, exact, known ? rounded(exact, 6) : "-"});
    }
  }
  Simulation found =
      results.found(process + ", " + std::to_string(paths.count) + " runs, seed " + std::to_string(common.seed));
  found.fields["clipping"] = Json::array();
  for (std::size_t clip = 0; clip < result.clipping.size(); ++clip) {
    found.fields["clipping"].push_back({{"clip_norm", number(result.clip_norms[clip])},
                                        {"clipped_steps", result.clipping[clip].clipped},
                                        {"largest_gradient_norm", number(result.clipping[clip].largest_norm)}});
  }
  found.text += "theory: mean risk of HSGD by the Volterra equation\n";
  if (std::isinf(result.theory.back().value)) {
    found.text += "inf: the risk exceeds the range of doubles, the step size is too large\n";
  }
  const double largest = homogenized::largest_stable_rate(problem);
  double rate = std::numeric_limits<double>::infinity();  // the least of the schedule
  for (const auto& piece : problem.schedule.pieces()) {
    rate = std::min(rate, piece.least_rate);
  }
  found.fields["notes"] = Json::array();
  if (rate >= largest) {
    found.fields["notes"].push_back("the step " + rounded(rate / problem.dimension, 5) +
                                    " is not below the largest stable one, " + rounded(largest / problem.dimension, 5) +
                                    ": the risk grows without bound");
    found.text += "note: " + found.fields["notes"].front().get<std::string>() + "\n";
  }
  if (!result.exact.empty()) {
    found.text += "exact mean: of noisy SGD over random data, without a limit in d\n";
  }
  for (std::size_t clip = 0; clip < result.clipping.size(); ++clip) {
    if (std::isfinite(result.clip_norms[clip])) {
      found.text += clip_name(result.clip_norms[clip]) + ": " + std::to_string(result.clipping[clip].clipped) + " of " +
                    std::to_string(paths.count * result.iterations.back()) + " steps clipped, largest gradient " +
                    rounded(result.clipping[clip].largest_norm, 5) + "\n";
    }
  }
  found.plot = risk_picture(process, result);
  return found;
}

}  // namespace

std::vector<Leaf> least_squares_simulations() {
  std::vector<Leaf> leaves;
  const auto add = [&](const std::string& name, const std::string& summary, const std::vector<std::string>& examples) {
    leaves.push_back(simulation(name, summary, examples, options_of(name),
                                [name](const Asked& asked) { return simulate_least_squares(name, asked); }));
    leaves.back().footer += "\n" + queries::problem_file_help();
  };
  const std::string file = "--problem data/examples/least-squares.json ";
  add("noisy-sgd-least-squares", "one-pass noisy SGD on least squares, risks beside the Volterra equation",
      {file + "--paths 200", file + "--clip 0.5,1,inf --plot risks.svg"});
  add("hsgd", "homogenised noisy SGD: the stochastic differential equation or its linearisation",
      {file + "--paths 200", file + "--method linear"});
  leaves.push_back(conditional_simulation());
  return leaves;
}

}  // namespace dpcurves::tools
