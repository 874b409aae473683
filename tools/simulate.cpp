// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate: many runs of noisy descent on two neighbouring data sets, the errors of the best threshold tests
// between their last iterates with exact intervals, and the guarantee or claim that those errors try to break.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/share.hpp>
#include <dpcurves/inference/tradeoff_estimate.hpp>
#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/models/losses.hpp>
#include <dpcurves/queries/detail/algorithm.hpp>
#include <dpcurves/queries/detail/caption.hpp>
#include <dpcurves/queries/detail/run_forms.hpp>
#include <dpcurves/simulate/noisy_descent.hpp>

#include "commands.hpp"
#include "simulate/own_draws.hpp"
#include "simulate/processes.hpp"
#include "simulate/softmax.hpp"
#include "simulate/threshold_tests.hpp"
#include "support/claim.hpp"
#include "support/exit.hpp"
#include "support/json_record.hpp"
#include "support/simulation.hpp"

namespace dpcurves::tools {
namespace {

using accounting::Guarantee;
using inference::TradeoffPoint;

constexpr const char* model_group = "Losses";
constexpr const char* claim_group = "What is tested";

std::vector<Option> simulate_options(const std::string& process) {
  std::vector<Option> table{
      {"records", OptionKind::count, "[1, 10000000]", "number of records n, default 2 (logistic: those of the data)"},
      {"sensitivity", OptionKind::number, "(0, inf)", "gradient sensitivity L, default 1 (logistic: twice the clip)"},
      {"noise", OptionKind::number, "(0, inf)", "standard deviation of the gradient noise"},
      {"step-size", OptionKind::number, "(0, inf)", "step size eta"},
      {"diameter", OptionKind::number, "(0, inf)", "iterates are projected on [-D/2, D/2]"}};
  if (process != "noisy-gd") {
    table.push_back({"batch-size", OptionKind::count, "[1, 10000000]", "records per step b"});
  }
  if (process == "noisy-cgd") {
    table.push_back({"epochs", OptionKind::count, "[1, 1000000]", "passes over the data"});
  } else {
    table.push_back({"steps", OptionKind::count, "[1, 100000000]", "number of steps"});
  }
  const std::vector<Option> rest{
      {"loss", OptionKind::text, "quadratic|tanh|linear|logistic|softmax = quadratic",
       "quadratic: gradient m x; tanh: m x + w tanh x; linear: none but the drift; softmax: regression on images, "
       "whose accuracy is shown",
       model_group},
      {"strong-convexity", OptionKind::number, "[0, inf)",
       "m, default 1 (quadratic, tanh), 0.01 (logistic) or 0.002 (softmax: lambda)", model_group},
      {"tanh-weight", OptionKind::number, "[0, inf) = 1", "w of the tanh losses", model_group},
      {"clip", OptionKind::number, "(0, inf)",
       "logistic: features are shortened to this norm, default 1; softmax: gradients, default 5", model_group},
      {"feature-clip", OptionKind::number, "(0, inf) = 8",
       "softmax: features are shortened to this norm before a 1 is appended", model_group},
      {"data", OptionKind::text, "",
       "logistic: CSV of features with the label, 1 or -1, in the last column; softmax: folder of images, as "
       "data/fetch.sh makes it",
       model_group},
      {"repetitions", OptionKind::count, "[2, 100000] = 10", "softmax: runs that are averaged", run_group},
      {"theorem", OptionKind::text, "", "id of the theorem that is tested, for example theorem-4.2; default the best",
       claim_group},
      {"claim", OptionKind::text, "",
       "a claim that is tested in place of a theorem: \"mu = ...\" or \"epsilon = ...\" over the symbols n, b, q, l, "
       "t, E, eta, sigma, L, m, M, c, kappa, D, delta",
       claim_group},
      {"delta", OptionKind::number, "[0, 1) = 1e-5", "of a claimed epsilon, and where the theorems are compared",
       claim_group},
      {"samples", OptionKind::text, "FILE,FILE",
       "CSV files with draws of a statistic on two neighbouring inputs, tested in place of own runs", claim_group},
      queries::run_option()};
  table.insert(table.end(), rest.begin(), rest.end());
  const auto testing = testing_options("runs on each of the two data sets, default 100000");
  table.insert(table.end(), testing.begin(), testing.end());
  return table;
}

/// Two neighbouring data sets, and a function of the last iterate that tells them apart.
struct Neighbours {
  std::unique_ptr<models::Losses> first;
  std::unique_ptr<models::Losses> second;
  simulate::Statistic statistic;
  double sensitivity = 0.0;
};

Neighbours separable(const Values& values, const std::string& loss) {
  const auto records = values.count_or("records", 2);
  const double sensitivity = values.number_or("sensitivity", 1.0);
  const double curvature = loss == "linear" ? 0.0 : values.number_or("strong-convexity", 1.0);
  const double weight = loss == "tanh" ? values.number("tanh-weight") : 0.0;
  // The last record differs: it is in the last batch, the worst position. In a box the two drifts point to opposite
  // sides, which is the hardest pair known; without one, a single drift attains theorem 4.2.
  std::vector<double> first(records, 0.0);
  std::vector<double> second(records, 0.0);
  const bool boxed = values.has("diameter");
  first.back() = boxed ? 0.5 * sensitivity : 0.0;
  second.back() = boxed ? -0.5 * sensitivity : -sensitivity;
  return {std::make_unique<models::SeparableLosses>(curvature, weight, 1, first),
          std::make_unique<models::SeparableLosses>(curvature, weight, 1, second),
          [](std::span<const double> x) { return x[0]; }, sensitivity};
}

Neighbours logistic(const Values& values) {
  const auto data = io::read_csv(values.text("data"), io::Header::present);
  const auto& columns = data.all();
  if (columns.size() < 2 || data.rows() < 2) {
    throw UsageError("--data: " + values.text("data") + " needs at least two columns and two rows");
  }
  const std::size_t dimension = columns.size() - 1;
  std::vector<double> features;
  for (std::size_t row = 0; row < data.rows(); ++row) {
    for (std::size_t column = 0; column < dimension; ++column) {
      features.push_back(columns[column].values[row]);
    }
  }
  const std::vector<double>& labels = columns.back().values;
  std::vector<double> flipped = labels;
  flipped.back() = -flipped.back();
  const double clip = values.number_or("clip", 1.0);
  const double regularisation = values.number_or("strong-convexity", 0.01);
  auto first = std::make_unique<models::LogisticLosses>(dimension, features, labels, clip, regularisation);
  auto second = std::make_unique<models::LogisticLosses>(dimension, features, flipped, clip, regularisation);
  const double sensitivity = first->sensitivity();
  // Along the features of the record whose label was flipped.
  std::vector<double> direction(features.end() - static_cast<std::ptrdiff_t>(dimension), features.end());
  for (double& entry : direction) {
    entry *= flipped.back();
  }
  return {std::move(first), std::move(second),
          [direction](std::span<const double> x) {
            return std::inner_product(direction.begin(), direction.end(), x.begin(), 0.0);
          },
          sensitivity};
}

double batch_size(const simulate::NoisyDescent& run, const Neighbours& pair) {
  return static_cast<double>(run.rule == simulate::BatchRule::full ? pair.first->records() : run.batch_size);
}

/// What --claim may speak of, by the papers' letters.
std::map<std::string, double> symbols_of(const Values& values, const simulate::NoisyDescent& run,
                                         const Neighbours& pair, double delta) {
  const auto records = static_cast<double>(pair.first->records()), steps = static_cast<double>(run.steps);
  const double batch = batch_size(run, pair), m = pair.first->strong_convexity(), smooth = pair.first->smoothness();
  return {{"n", records},
          {"b", batch},
          {"q", batch / records},
          {"l", records / batch},
          {"t", steps},
          {"E", steps * batch / records},
          {"eta", run.step_size},
          {"sigma", run.noise},
          {"L", pair.sensitivity},
          {"m", m},
          {"M", smooth},
          {"c", std::max(std::abs(1.0 - run.step_size * m), std::abs(1.0 - run.step_size * smooth))},
          {"kappa", pair.sensitivity / (batch * run.noise)},
          {"D", values.number_or("diameter", infinity)},
          {"delta", delta}};
}

simulate::BatchRule rule_of(const std::string& process) {
  return process == "noisy-gd"    ? simulate::BatchRule::full
         : process == "noisy-cgd" ? simulate::BatchRule::cyclic
                                  : simulate::BatchRule::subset;
}

simulate::NoisyDescent descent_of(const Values& values, const std::string& process, const Neighbours& pair) {
  const std::string records = std::to_string(pair.first->records());
  simulate::NoisyDescent setting{.step_size = values.number("step-size"), .noise = values.number("noise")};
  if (process != "noisy-gd") {
    setting.rule = rule_of(process);
    setting.batch_size = values.count("batch-size");
    require_option(setting.batch_size <= pair.first->records(), "batch-size",
                   std::to_string(setting.batch_size) + " is outside [1, " + records + "], the number of records");
  }
  if (process == "noisy-cgd") {
    require_option(pair.first->records() % setting.batch_size == 0, "batch-size",
                   std::to_string(setting.batch_size) + " does not divide the " + records + " records");
    setting.steps = values.count("epochs") * (pair.first->records() / setting.batch_size);
  } else {
    setting.steps = values.count("steps");
  }
  if (values.has("diameter")) {
    require_option(pair.first->dimension() == 1, "diameter", "the box is for one dimension, not for logistic losses");
    setting.projection = models::Projection::box(0.5 * values.number("diameter"));
  }
  return setting;
}

/// What is drawn, in the options of `privacy`.
Values setting_said(const simulate::NoisyDescent& setting, const Neighbours& pair, const Values& values,
                    const queries::Algorithm& algorithm) {
  Values said = checked_options(algorithm.options, RawOptions{});
  said.set("records", static_cast<double>(pair.first->records()));
  said.set("sensitivity", pair.sensitivity);
  said.set("noise", setting.noise);
  said.set("step-size", setting.step_size);
  said.set("strong-convexity", pair.first->strong_convexity());
  said.set("convex", Value{true});  // the losses of the simulation are
  if (pair.first->smoothness() > 0.0) {
    said.set("smoothness", pair.first->smoothness());
  }
  if (setting.rule != simulate::BatchRule::full) {
    said.set("batch-size", batch_size(setting, pair));
  }
  for (const char* name : {"diameter", "steps", "epochs"}) {
    if (values.has(name)) {
      said.set(name, values.value(name));
    }
  }
  return said;
}

constexpr std::size_t pilot_paths = 2000;

/// Threshold tests between own runs, which are counted and not kept.
std::vector<TradeoffPoint> simulated(const simulate::NoisyDescent& setting, const Neighbours& pair, std::size_t paths,
                                     const Common& common, const Testing& testing) {
  const auto thresholds = [&] {
    const Whole in_every_share;  // what follows depends on them
    return inference::pilot_thresholds(simulate::final_statistics(setting, *pair.first, *pair.second, pilot_paths,
                                                                  common.seed + 1, pair.statistic, common.threads)
                                           .first,
                                       testing.type_one_errors);
  }();
  ProgressBar bar("simulating", common);
  const auto counts = simulate::count_statistics(setting, *pair.first, *pair.second, paths, common.seed, pair.statistic,
                                                 thresholds, common.threads, bar.follow());
  Sharing::last_loop_done();
  std::vector<TradeoffPoint> points;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    points.push_back(
        inference::tradeoff_point(counts.first_above[i], paths, paths - counts.second_above[i], paths, testing.miss));
    points.back().threshold = thresholds[i];
  }
  return points;
}

Simulation with_picture(Simulation found, const std::string& process, const Asked& asked, const Bound& bound,
                        const Tests& tests) {
  found.plot = picture(title_of(process, !asked.values.has("claim"), tests) + "\n" +
                           caption_of(asked.inputs(), {"plot", "claim", "theorem", "delta"}),
                       bound, tests.points);
  return found;
}

Simulation simulate_process(const std::string& process, const Asked& asked) {
  const auto& [values, common, table] = asked;
  exclude(values, "theorem", "claim");
  queries::complete_simulation(values, process);
  const std::string loss = values.text("loss");
  if (loss == "softmax") {
    return simulate_softmax(process, rule_of(process), asked);
  }
  for (const char* name : {"feature-clip", "repetitions"}) {
    require_option(!values.has(name), name, "is for --loss softmax");
  }
  const Neighbours pair = loss == "logistic" ? logistic(values) : separable(values, loss);
  const simulate::NoisyDescent setting = descent_of(values, process, pair);
  const auto& algorithm = queries::algorithm_named(process);
  const Values said = setting_said(setting, pair, values, algorithm);
  const double delta = values.number("delta");
  const Testing testing = testing_of(values);
  const Bound bound = [&] {
    if (values.has("claim")) {
      return bound_of_claim(parse_claim(values.text("claim"), symbols_of(values, setting, pair, delta), delta));
    }
    const auto guarantees = algorithm.guarantees(said, {{}, delta, {}, {}});
    const Guarantee& chosen =
        values.has("theorem") ? guarantee_named(guarantees, values.text("theorem")) : best_guarantee(guarantees, delta);
    return bound_of(chosen, chosen.curve);
  }();
  const auto paths = values.count_or("paths", 100000);
  const Tests tests = values.has("samples")
                          ? tests_of_samples(values.text("samples"), bound, testing)
                          : tested(simulated(setting, pair, paths, common, testing), bound, testing.miss);
  const std::string heading = values.has("samples") ? process + ", draws of " + values.text("samples")
                                                    : process + ", " + loss + " losses, " + std::to_string(paths) +
                                                          " runs on each data set, seed " + std::to_string(common.seed);
  auto found = report_of(heading, bound, !values.has("claim"), tests);
  found.drawn = !values.has("samples");
  if (const Value drawn = algorithm.run(said); !drawn.null()) {
    found.fields["run"] = json_of(drawn);
  }
  return with_picture(std::move(found), process, asked, bound, tests);
}

/// Own draws against a claim, of no algorithm.
Simulation run_samples(const Asked& asked) {
  const auto& [values, common, table] = asked;
  const double delta = values.number("delta");
  const Testing testing = testing_of(values);
  const Bound bound = bound_of_claim(parse_claim(values.text("claim"), {{"delta", delta}}, delta));
  const Tests tests = tests_of_samples(values.text("samples"), bound, testing);
  auto found = report_of("draws of " + values.text("samples"), bound, false, tests);
  found.drawn = false;
  return with_picture(std::move(found), "samples", asked, bound, tests);
}

Leaf samples_simulation() {
  std::vector<Option> table = simulate_options("noisy-gd");
  std::erase_if(table, [](const Option& option) {
    const std::array taken{"type-one-errors", "miss", "claim", "delta", "samples", "plot"};
    return std::find(taken.begin(), taken.end(), option.name) == taken.end();
  });
  return simulation("samples", "own draws of a statistic on two neighbouring inputs against a claim",
                    {"--samples p.csv,q.csv --claim \"mu = 1\""}, std::move(table), run_samples);
}

}  // namespace

void add_simulate(CLI::App& app, Leaves& leaves) {
  CLI::App& command = branch(app, "simulate", "Monte Carlo runs with exact intervals beside the guarantee",
                             "Example:\n  dpcurves simulate noisy-gd --help");
  const auto add = [&](const std::string& name, const char* summary, const std::vector<std::string>& examples) {
    leaves.add(command, simulation(name, summary, examples, simulate_options(name),
                                   [name](const Asked& asked) { return simulate_process(name, asked); }));
  };
  add("noisy-gd", "noisy gradient descent, all records in every step",
      {"--noise 1 --step-size 0.1 --steps 30 --paths 400000",
       "--loss logistic --data data/datasets/two-classes.csv --noise 0.02 \\\n      --step-size 0.5 --steps 20 --paths "
       "20000",
       "--noise 1 --step-size 0.1 --steps 30 --claim \"mu = 0.7 * kappa * sqrt(t)\""});
  add("noisy-cgd", "noisy cyclic gradient descent, fixed batches in a fixed order",
      {"--records 10 --batch-size 2 --noise 0.5 --step-size 0.4 --epochs 4 --strong-convexity 0.5"});
  add("noisy-sgd", "noisy stochastic gradient descent, a random batch of fixed size in every step",
      {"--records 10 --batch-size 1 --noise 1 --step-size 0.4 --steps 20 --loss tanh"});
  leaves.add(command, run_file_simulation());
  leaves.add(command, correlated_simulation());
  leaves.add(command, samples_simulation());
  for (Leaf& leaf : least_squares_simulations()) {
    leaves.add(command, std::move(leaf));
  }
  for (const auto process : {kan_simulation, mlp_simulation, long_tail_simulation, influence_simulation, glm_simulation,
                             relu_regression_simulation, two_layer_simulation}) {
    leaves.add(command, process());
  }
}

}  // namespace dpcurves::tools
