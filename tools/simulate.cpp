// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate: many runs of noisy descent on two neighbouring data sets, the errors of the best threshold tests
// between their last iterates with exact intervals, and the guarantee that those errors try to break.
#include <algorithm>
#include <memory>

#include <dpcurves/core/format.hpp>
#include <dpcurves/inference/tradeoff_estimate.hpp>
#include <dpcurves/interpolation/guarantees.hpp>
#include <dpcurves/io/csv.hpp>
#include <dpcurves/io/plot.hpp>
#include <dpcurves/io/table.hpp>
#include <dpcurves/models/losses.hpp>
#include <dpcurves/simulate/noisy_descent.hpp>

#include "commands.hpp"
#include "simulate/glm.hpp"
#include "simulate/influence.hpp"
#include "simulate/kan.hpp"
#include "simulate/least_squares.hpp"
#include "simulate/long_tail.hpp"
#include "simulate/mlp.hpp"
#include "support/exit.hpp"
#include "support/leaves.hpp"
#include "support/simulation.hpp"

namespace dpcurves::tools {
namespace {

using accounting::Guarantee;
using inference::TradeoffPoint;

constexpr const char* model_group = "Losses";
constexpr const char* run_group = "Run";

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
      {"loss", OptionKind::text, "quadratic|tanh|linear|logistic",
       "quadratic: gradient m x; tanh: m x + w tanh x; linear: none but the drift; default quadratic", model_group},
      {"strong-convexity", OptionKind::number, "[0, inf)", "m, default 1 (quadratic, tanh) or 0.01 (logistic)",
       model_group},
      {"tanh-weight", OptionKind::number, "[0, inf)", "w of the tanh losses, default 1", model_group},
      {"clip", OptionKind::number, "(0, inf)", "logistic: features are shortened to this norm, default 1", model_group},
      {"data", OptionKind::text, "", "logistic: CSV of features with the label, 1 or -1, in the last column",
       model_group},
      {"paths", OptionKind::count, "[100, 100000000]", "runs on each of the two data sets, default 100000", run_group},
      {"type-one-errors", OptionKind::numbers, "(0, 1)", "where to test, default 0.01,0.05,0.1,0.25,0.4", run_group},
      {"miss", OptionKind::number, "(0, 1)", "chance that one interval misses, default 1e-6", run_group},
      {"plot", OptionKind::text, "", "draw into FILE.svg, FILE.png or FILE.html", run_group}};
  table.insert(table.end(), rest.begin(), rest.end());
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
  const auto records = static_cast<std::size_t>(values.number_or("records", 2));
  const double sensitivity = values.number_or("sensitivity", 1.0);
  const double curvature = loss == "linear" ? 0.0 : values.number_or("strong-convexity", 1.0);
  const double weight = loss == "tanh" ? values.number_or("tanh-weight", 1.0) : 0.0;
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
    throw DataError("--data: " + values.text("data") + " needs at least two columns and two rows");
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
            double product = 0.0;
            for (std::size_t i = 0; i < x.size(); ++i) {
              product += direction[i] * x[i];
            }
            return product;
          },
          sensitivity};
}

/// What the theorems say of the simulated setting, chosen for `delta` where a theorem leaves a choice.
std::vector<Guarantee> guarantees_of(const Values& values, const simulate::NoisyDescent& run, const Neighbours& pair,
                                     double delta) {
  const auto records = static_cast<double>(pair.first->records());
  const bool all_records = run.rule == simulate::BatchRule::full;
  interpolation::DescentParameters given;
  given.sensitivity = pair.sensitivity;
  given.noise = run.noise;
  given.step_size = run.step_size;
  const double batch = all_records ? records : static_cast<double>(run.batch_size);
  given.batch_size = batch;
  given.strong_convexity = pair.first->strong_convexity();
  if (pair.first->smoothness() > 0.0) {
    given.smoothness = pair.first->smoothness();
  }
  given.diameter = values.maybe("diameter");
  given.convex = true;  // the losses of the simulation are
  const auto descent = interpolation::make_descent(given);
  const auto steps = static_cast<double>(run.steps);
  if (all_records) {
    return interpolation::noisy_gd_guarantees({descent, steps});
  }
  if (run.rule == simulate::BatchRule::cyclic) {
    const double batches = records / batch;
    return interpolation::noisy_cgd_guarantees({descent, batches, steps / batches});
  }
  interpolation::SgdTarget target;
  target.delta = delta;
  return interpolation::noisy_sgd_guarantees({descent, batch / records, steps}, target);
}

simulate::NoisyDescent setting_of(const Values& values, const std::string& process, const Neighbours& pair) {
  simulate::NoisyDescent setting;
  setting.step_size = values.number("step-size");
  setting.noise = values.number("noise");
  if (process != "noisy-gd") {
    setting.rule = process == "noisy-cgd" ? simulate::BatchRule::cyclic : simulate::BatchRule::subset;
    setting.batch_size = static_cast<std::size_t>(values.number("batch-size"));
    if (setting.batch_size > pair.first->records()) {
      throw UsageError("--batch-size: " + std::to_string(setting.batch_size) + " is outside [1, " +
                       std::to_string(pair.first->records()) + "], the number of records");
    }
  }
  if (process == "noisy-cgd") {
    if (pair.first->records() % setting.batch_size != 0) {
      throw UsageError("--batch-size: " + std::to_string(setting.batch_size) + " does not divide the " +
                       std::to_string(pair.first->records()) + " records");
    }
    setting.steps = static_cast<std::size_t>(values.number("epochs")) * (pair.first->records() / setting.batch_size);
  } else {
    setting.steps = static_cast<std::size_t>(values.number("steps"));
  }
  if (values.has("diameter")) {
    if (pair.first->dimension() > 1) {
      throw UsageError("--diameter: the box is for one dimension, not for logistic losses");
    }
    setting.projection = models::Projection::box(0.5 * values.number("diameter"));
  }
  return setting;
}

const Guarantee* best_guarantee(const std::vector<Guarantee>& guarantees, double delta) {
  const Guarantee* best = nullptr;
  double least = 0.0;
  for (const Guarantee& guarantee : guarantees) {
    if (guarantee.promised()) {
      const double epsilon = guarantee.curve->epsilon(delta).value.upper;
      if (best == nullptr || epsilon < least) {
        best = &guarantee;
        least = epsilon;
      }
    }
  }
  if (best == nullptr) {
    throw DomainError("no theorem applies to this setting");
  }
  return best;
}

double observed_type_one_error(const TradeoffPoint& point) {
  return static_cast<double>(point.false_positives) / static_cast<double>(point.trials_p);
}

io::Plot picture(const std::string& process, const Guarantee& guarantee, const std::vector<TradeoffPoint>& points) {
  constexpr int resolution = 200;
  std::vector<double> grid;
  for (int i = 0; i <= resolution; ++i) {
    const double part = static_cast<double>(i) / resolution;
    grid.push_back(part * part);  // denser near 0, where the curve is steep
  }
  std::vector<double> bound;
  for (const Enclosure& value : guarantee.curve->type_two_errors(grid)) {
    bound.push_back(value.lower);
  }
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> low;
  std::vector<double> high;
  for (const TradeoffPoint& point : points) {
    x.push_back(observed_type_one_error(point));
    y.push_back(static_cast<double>(point.false_negatives) / static_cast<double>(point.trials_q));
    low.push_back(point.type_two_error.lower);
    high.push_back(point.type_two_error.upper);
  }
  io::Plot plot;
  plot.title = process + ": simulated tests against the guarantee";
  plot.x = {"type I error", false, 0.0, 1.0};
  plot.y = {"type II error", false, 0.0, 1.0};
  plot.series = {io::line(guarantee.theorem, grid, bound), io::points("simulation", x, y, low, high),
                 io::dashed("perfect privacy", {0.0, 1.0}, {1.0, 0.0})};
  return plot;
}

int run(const std::string& process, const std::vector<Option>& table, const Common& common, const RawOptions& raw) {
  const Stopwatch clock;
  const Values values = read_options(table, raw, common.config);
  check_plot(values.text_or("plot", ""));
  const std::string loss = values.text_or("loss", "quadratic");
  const Neighbours pair = loss == "logistic" ? logistic(values) : separable(values, loss);
  const simulate::NoisyDescent setting = setting_of(values, process, pair);
  constexpr double usual_delta = 1e-5;
  const auto guarantees = guarantees_of(values, setting, pair, usual_delta);
  const Guarantee& best = *best_guarantee(guarantees, usual_delta);

  const auto paths = static_cast<std::size_t>(values.number_or("paths", 1e5));
  ProgressBar bar("simulating", common.quiet);
  const auto progress = bar.follow();
  const auto sample = simulate::final_statistics(setting, *pair.first, *pair.second, paths, common.seed, pair.statistic,
                                                 common.threads, progress);
  // The pilot that places the thresholds is independent of the sample that is tested.
  constexpr std::size_t pilot_paths = 2000;
  const auto pilot = simulate::final_statistics(setting, *pair.first, *pair.second, pilot_paths, common.seed + 1,
                                                pair.statistic, common.threads);
  auto errors = values.numbers("type-one-errors");
  if (errors.empty()) {
    errors = {0.01, 0.05, 0.1, 0.25, 0.4};
  }
  const auto thresholds = inference::pilot_thresholds(pilot.first, errors);
  const auto points =
      inference::estimate_tradeoff(sample.first, sample.second, thresholds, values.number_or("miss", 1e-6));
  // One call for all the points: a composition shares its work between them.
  std::vector<double> at;
  for (const TradeoffPoint& point : points) {
    at.push_back(observed_type_one_error(point));
    at.push_back(std::min(point.type_one_error.upper, 1.0));
  }
  const auto allowed = best.curve->type_two_errors(at);
  const auto claim = [&](double type_one_error) {
    const auto found = std::find(at.begin(), at.end(), std::min(type_one_error, 1.0));
    return allowed[static_cast<std::size_t>(found - at.begin())].lower;
  };
  bool any_refuted = false;
  Json rows = Json::array();
  io::TextTable text_rows({"type I error", "type II error", "interval", "mu", "+-", "bound", ""});
  std::vector<io::Column> columns{{"type_one_error", {}},
                                  {"type_two_error", {}},
                                  {"type_two_error_lower", {}},
                                  {"type_two_error_upper", {}},
                                  {"effective_mu", {}},
                                  {"standard_error", {}},
                                  {"guarantee", {}}};
  for (const TradeoffPoint& point : points) {
    const double a = observed_type_one_error(point);
    const double b = static_cast<double>(point.false_negatives) / static_cast<double>(point.trials_q);
    const double bound = claim(a);
    const bool broken = inference::refuted(point, claim);
    any_refuted = any_refuted || broken;
    rows.push_back({{"threshold", number(point.threshold)},
                    {"type_one_error",
                     {{"estimate", a}, {"lower", point.type_one_error.lower}, {"upper", point.type_one_error.upper}}},
                    {"type_two_error",
                     {{"estimate", b}, {"lower", point.type_two_error.lower}, {"upper", point.type_two_error.upper}}},
                    {"effective_mu", number(point.effective_mu.value)},
                    {"standard_error", number(point.effective_mu.error)},
                    {"guarantee", number(bound)},
                    {"refuted", broken}});
    text_rows.add({rounded(a, 4), rounded(b, 5),
                   "[" + rounded(point.type_two_error.lower, 5) + ", " + rounded(point.type_two_error.upper, 5) + "]",
                   rounded(point.effective_mu.value, 5), rounded(point.effective_mu.error, 2), rounded(bound, 5),
                   broken ? "REFUTED" : "holds"});
    const double cells[] = {a,
                            b,
                            point.type_two_error.lower,
                            point.type_two_error.upper,
                            point.effective_mu.value,
                            point.effective_mu.error,
                            bound};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      columns[i].values.push_back(cells[i]);
    }
  }
  if (values.has("plot")) {
    io::save(picture(process, best, points), values.text("plot"));
  }
  const auto mu = best.curve->mu();
  Simulation found;
  found.process = process;
  found.seconds = clock.seconds();
  found.fields["theorem"] = best.theorem;
  found.fields["mu"] = mu ? ends(*mu) : Json(nullptr);
  found.fields["refuted"] = any_refuted;
  found.fields["results"] = rows;
  found.columns = columns;
  found.text = process + ", " + loss + " losses, " + std::to_string(paths) + " runs on each data set, seed " +
               std::to_string(common.seed) + "\n" + text_rows.text();
  found.text += "guarantee: " + best.theorem + (mu ? ", mu <= " + rounded(mu->upper, 8) : std::string()) +
                "; the bound is the least type II error that it allows\n";
  found.text += "intervals are exact; each misses with probability " + shortest(values.number_or("miss", 1e-6)) + "\n";
  print(common, values.echo(table), found);
  return static_cast<int>(any_refuted ? Exit::refuted : Exit::ok);
}

}  // namespace

Action add_simulate(CLI::App& app) {
  CLI::App& command = branch(app, "simulate", "Monte Carlo runs with exact intervals, beside the guarantee",
                             "Example:\n  dpcurves simulate noisy-gd --help");
  struct Process {
    const char* name;
    const char* summary;
    const char* example;
  };
  const Process processes[] = {
      {"noisy-gd", "noisy gradient descent, all records in every step",
       "--noise 1 --step-size 0.1 --steps 30 --paths 400000"},
      {"noisy-cgd", "noisy cyclic gradient descent, fixed batches in a fixed order",
       "--records 10 --batch-size 2 --noise 0.5 --step-size 0.4 --epochs 4 --strong-convexity 0.5"},
      {"noisy-sgd", "noisy stochastic gradient descent, a random batch of fixed size in every step",
       "--records 10 --batch-size 1 --noise 1 --step-size 0.4 --steps 20 --loss tanh"}};
  Leaves leaves;
  for (const Process& process : processes) {
    Leaf leaf;
    leaf.name = process.name;
    leaf.summary = process.summary;
    leaf.footer = std::string("Examples:\n  dpcurves simulate ") + process.name + " " + process.example;
    if (leaf.name == "noisy-gd") {
      leaf.footer +=
          "\n  dpcurves simulate noisy-gd --loss logistic --data data/datasets/two-classes.csv --noise 0.02 \\\n"
          "      --step-size 0.5 --steps 20 --paths 20000";
    }
    leaf.table = simulate_options(process.name);
    leaf.run = [name = leaf.name](const auto& table, const auto& common, const auto& raw) {
      return run(name, table, common, raw);
    };
    leaves.add(command, std::move(leaf));
  }
  for (Leaf& leaf : least_squares_simulations()) {
    leaves.add(command, std::move(leaf));
  }
  leaves.add(command, kan_simulation());
  leaves.add(command, mlp_simulation());
  leaves.add(command, long_tail_simulation());
  leaves.add(command, influence_simulation());
  leaves.add(command, glm_simulation());
  leaves.add(command, relu_regression_simulation());
  leaves.add(command, two_layer_simulation());
  return leaves.action();
}

}  // namespace dpcurves::tools
