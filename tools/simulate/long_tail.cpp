// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate long-tail: what clipping and noise cost over a grid of signal strengths and noise correlations.
#include "simulate/long_tail.hpp"

#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/queries/detail/run_forms.hpp>
#include <dpcurves/simulate/patch_experiment.hpp>

#include "simulate/image_records.hpp"
#include "simulate/processes.hpp"
#include "support/means.hpp"
#include "support/simulation.hpp"

namespace dpcurves::tools {
namespace {

using simulate::PatchMode;
using simulate::PatchOutcome;

constexpr const char* data_group = "Data";

struct NamedMode {
  const char* name;
  PatchMode mode;
};
constexpr NamedMode named_modes[] = {{"clean", PatchMode::clean},
                                     {"clip-only", PatchMode::clip_only},
                                     {"noise-only", PatchMode::noise_only},
                                     {"dp", PatchMode::dp}};

/// The defaults of --full-size.
constexpr std::pair<const char*, double> full_size[] = {
    {"noise-multiplier", 2.2577}, {"step-size", 5.0}, {"batch-size", 256.0}, {"steps", 40.0},
    {"dimension", 1000.0},        {"filters", 100.0}, {"records", 500.0},    {"paths", 2.0}};

std::vector<Option> long_tail_options() {
  return {
      {"mode", OptionKind::texts, "clean|clip-only|noise-only|dp", "what to compare, repeatable; default clean and dp"},
      {"noise-multiplier", OptionKind::number, "[0, inf) = 2.9997",
       "z: noise z C/B per coordinate of the mean gradient; 2.9997 is epsilon 8 of the reduced experiment"},
      {"clip", OptionKind::number, "(0, inf) = 1", "clip norm C of a gradient"},
      {"step-size", OptionKind::number, "(0, inf) = 0.5", "eta"},
      {"batch-size", OptionKind::count, "[1, 1000000] = 50", "B"},
      {"steps", OptionKind::count, "[0, 100000000] = 80", "T"},
      {"sampling", OptionKind::text, "shuffled|fixed-size|poisson|full = shuffled", "how batches are drawn"},
      {"adam", OptionKind::flag, "", "Adam on the noisy gradient in place of the plain step"},
      {"signal", OptionKind::numbers, "[0, inf) = 0,0.5,1,2,3.8", "signal strengths |u|", data_group},
      {"ncr", OptionKind::numbers, "[1, inf) = 1,3,10,30", "noise correlation ratios", data_group},
      {"ncr-squared", OptionKind::numbers, "[1, inf)", "their squares, in place of --ncr", data_group},
      {"noise-law", OptionKind::text, "gaussian|uniform = gaussian", "of the coordinates of zeta", data_group},
      {"classes", OptionKind::count, "[2, 1000] = 5", "K", data_group},
      {"dimension", OptionKind::count, "[4, 1000000] = 200", "d, at least 2 K", data_group},
      {"bulk", OptionKind::number, "(0, inf) = 0.5", "e0, the eigenvalues of A but one", data_group},
      {"filters", OptionKind::count, "[1, 100000] = 20", "m per class", data_group},
      {"records", OptionKind::count, "[2, 1000000] = 100", "training examples n, a multiple of K", data_group},
      {"test-records", OptionKind::count, "[2, 1000000] = 500", "test examples, a multiple of K", data_group},
      {"full-size", OptionKind::flag, "",
       "the paper's sizes as defaults: d = 1000, m = 100, n = 500, B = 256, T = 40, z = 2.2577, 2 trials, with "
       "eta = 5 (at its 0.002 plain steps learn no signal)",
       data_group},
      {"tail-level", OptionKind::numbers, "[0, inf)",
       "also accuracies on samples that are L-long-tailed for the clean network, for these L", data_group},
      {"tail-filter", OptionKind::text, "single|sum-all|sum-active = sum-active", "whose reading of long-tailed",
       data_group},
      {"data", OptionKind::text, "",
       "folder of images as data/fetch.sh makes it: they are the noise patches, with the correlation that their "
       "classes have (no --ncr), a signal of strength --signal is added to each class, and the long tail are the test "
       "images of the highest influence score",
       data_group},
      {"paths", OptionKind::count, "[1, 1000000] = 4", "trials per cell", run_group},
      {"plot", OptionKind::text, "",
       "draw heat maps of the test accuracy into FILE.svg or FILE.html; with --data curves, .png and .pdf too",
       run_group},
      queries::run_option()};
}

struct Cell {
  double signal = 0.0, ratio = 1.0, spike = 0.0;
  std::vector<std::vector<PatchOutcome>> outcomes;  ///< shape (modes x trials)
  std::vector<simulate::TailOutcome> tails;         ///< shape (trials), empty without levels
};

/// What every cell is asked.
struct Plan {
  simulate::PatchExperiment base;
  std::vector<PatchMode> modes{};
  std::vector<std::string> names{};  ///< of the modes
  std::vector<double> levels;
  models::TailFilter reading = models::TailFilter::sum_active;
  std::size_t paths, tail_draws;  ///< trials of a cell, samples of each
};

Plan plan_of(const Values& values) {
  Plan plan{.base = experiment_of(values),
            .levels = values.numbers("tail-level"),
            .paths = values.count("paths"),
            .tail_draws = 0};
  plan.tail_draws = 8 * plan.base.test;
  for (const auto& [mode, name] : modes_of(values)) {
    plan.modes.push_back(mode);
    plan.names.push_back(name);
  }
  const std::string reading = values.text("tail-filter");
  plan.reading = reading == "single"    ? models::TailFilter::single
                 : reading == "sum-all" ? models::TailFilter::sum_all
                                        : models::TailFilter::sum_active;
  return plan;
}

void train(const Plan& plan, const Common& common, std::vector<Cell>& cells) {
  last_loop(
      common, "training", cells.size() * plan.paths,
      [&](std::size_t piece) {
        Cell& cell = cells[piece / plan.paths];
        const std::size_t trial = piece % plan.paths;
        auto experiment = plan.base;
        experiment.law.noise.spike = cell.spike;
        experiment.law.signal_norm = cell.signal;
        // Every cell and trial has random numbers of its own.
        const auto path = static_cast<std::uint32_t>(piece);
        const auto outcomes = simulate::patch_trial(experiment, plan.modes, common.seed, path);
        for (std::size_t mode = 0; mode < plan.modes.size(); ++mode) {
          cell.outcomes[mode][trial] = outcomes[mode];
        }
        if (!plan.levels.empty()) {
          cell.tails[trial] = simulate::tail_trial(experiment, plan.modes, plan.levels, plan.tail_draws, plan.reading,
                                                   common.seed, path);
        }
      },
      [&](std::size_t piece, Archive& archive) {
        Cell& cell = cells[piece / plan.paths];
        const std::size_t trial = piece % plan.paths;
        for (auto& of_mode : cell.outcomes) {
          archive(of_mode[trial]);
        }
        if (!plan.levels.empty()) {
          auto& tail = cell.tails[trial];
          archive(tail.overall, tail.tail, tail.accepted, tail.draws);
        }
      });
}

std::vector<ResultColumn> columns_of(const std::vector<double>& levels) {
  std::vector<ResultColumn> described{{"signal", "signal", "|u|"},
                                      {"ncr", "ncr", "NCR", 6},
                                      {"spike", "spike"},
                                      {"mode", "mode", "mode"},
                                      {"test_accuracy", "test_accuracy", "test accuracy", 4},
                                      {"test_accuracy_sd", "test_accuracy_sd", "sd", 2},
                                      {"train_accuracy", "train_accuracy"},
                                      {"train_loss", "train_loss", "training loss", 4},
                                      {"train_noise_margin", "train_noise_margin", "noise margin", 4},
                                      {"test_noise_margin", "test_noise_margin", "fresh", 4},
                                      {"signal_margin", "signal_margin", "signal margin", 4}};
  for (const double level : levels) {
    described.push_back({"", "tail_accuracy_" + shortest(level)});
    described.push_back({"", "", "L = " + shortest(level)});
  }
  return described;
}

/// The line of one mode in a cell.
void add_row(Results& results, const Plan& plan, const Cell& cell, std::size_t mode) {
  const auto mean = [&](const auto& what) { return moments_of(cell.outcomes[mode], what).mean; };
  const auto accuracy = moments_of(cell.outcomes[mode], &PatchOutcome::test_accuracy);
  std::vector<Json> row{cell.signal,
                        cell.ratio,
                        cell.spike,
                        plan.names[mode],
                        accuracy.mean,
                        std::sqrt(accuracy.variance),
                        mean(&PatchOutcome::train_accuracy),
                        mean(&PatchOutcome::train_loss),
                        mean([](const PatchOutcome& o) { return o.train_margins.noise; }),
                        mean([](const PatchOutcome& o) { return o.test_margins.noise; }),
                        mean([](const PatchOutcome& o) { return o.train_margins.signal; })};
  Json tails = Json::object();
  for (std::size_t l = 0; l < plan.levels.size(); ++l) {
    // Over the accepted samples of all trials together.
    double right = 0.0, accepted = 0.0;
    for (const auto& tail : cell.tails) {
      const auto taken = static_cast<double>(tail.accepted[l]);
      right += taken > 0.0 ? taken * tail.tail[mode][l] : 0.0;
      accepted += taken;
    }
    const double share = accepted > 0.0 ? right / accepted : std::nan("");
    row.insert(row.end(), {share, accepted > 0.0 ? rounded(share, 4) : "none"});
    tails["tail"].push_back(
        {{"level", plan.levels[l]},
         {"accuracy", number(share)},
         {"accepted", accepted / (static_cast<double>(plan.tail_draws) * static_cast<double>(plan.paths))}});
  }
  results.add(row);
  results.add_keys(tails);
}

Simulation simulate_long_tail(const Asked& asked) {
  const auto& [values, common, table] = asked;
  exclude(values, "ncr", "ncr-squared");
  if (values.has("data")) {
    return long_tail_of_images(asked);
  }
  if (values.flag("full-size")) {
    for (const auto& [name, value] : full_size) {
      values.prefer(name, {value});
    }
  }
  const std::string picture = values.text_or("plot", "");
  const Plan plan = plan_of(values);
  const auto signals = values.numbers("signal");
  auto ratios = values.numbers(values.has("ncr-squared") ? "ncr-squared" : "ncr");
  if (values.has("ncr-squared")) {
    std::transform(ratios.begin(), ratios.end(), ratios.begin(), [](double square) { return std::sqrt(square); });
  }
  std::vector<Cell> cells;
  for (const double signal : signals) {
    for (const double ratio : ratios) {
      Cell cell{signal, ratio, models::spike_of_ratio(ratio, plan.base.law.noise), {}, {}};
      cell.outcomes.assign(plan.modes.size(), std::vector<PatchOutcome>(plan.paths));
      cell.tails.resize(plan.levels.empty() ? 0 : plan.paths);
      cells.push_back(std::move(cell));
    }
  }
  train(plan, common, cells);
  Results results(columns_of(plan.levels));
  for (const Cell& cell : cells) {
    for (std::size_t mode = 0; mode < plan.modes.size(); ++mode) {
      add_row(results, plan, cell, mode);
    }
  }
  if (!picture.empty()) {
    std::vector<io::Raster> panels;
    for (std::size_t mode = 0; mode < plan.modes.size(); ++mode) {
      const auto accuracy = [&](std::size_t i, std::size_t j) {
        return moments_of(cells[i * ratios.size() + j].outcomes[mode], &PatchOutcome::test_accuracy).mean;
      };
      panels.push_back(heat_map("test accuracy, " + plan.names[mode], signals, ratios, accuracy));
    }
    io::save(panels, 2, picture);
  }
  const std::string note =
      "a measurement: no theorem promises it. Condition 1 of the paper fails here (m >= 10 n among others), see "
      "dpcurves eval long-tail-memorization/condition1-report; what z is worth says dpcurves privacy dp-sgd";
  const auto& base = plan.base;
  const double noise = base.noise_multiplier * base.clip / static_cast<double>(base.sgd.batch_size);
  Simulation found =
      results.found("long-tail, K = " + shortest(base.law.noise.classes) +
                        ", d = " + shortest(base.law.noise.dimension) + ", m = " + std::to_string(base.filters) +
                        ", n = " + std::to_string(base.train) + ", B = " + std::to_string(base.sgd.batch_size) +
                        ", T = " + std::to_string(base.sgd.steps) + ", sigma_n = " + rounded(noise, 4) + ", " +
                        std::to_string(plan.paths) + " trials per cell, seed " + std::to_string(common.seed),
                    {{"paths", plan.paths}, {"noise", noise}});
  found.fields["note"] = note;
  found.text += note + "\n";
  return found;
}

}  // namespace

io::Raster heat_map(const std::string& title, const std::vector<double>& signals, const std::vector<double>& ratios,
                    const std::function<double(std::size_t signal, std::size_t ratio)>& value) {
  io::Raster panel{.title = title, .x_label = "NCR", .y_label = "|u|"};
  for (const double ratio : ratios) {
    panel.x_ticks.push_back(rounded(ratio, 4));
  }
  for (std::size_t i = signals.size(); i-- > 0;) {
    panel.y_ticks.push_back(shortest(signals[i]));
    panel.values.emplace_back();
    for (std::size_t j = 0; j < ratios.size(); ++j) {
      panel.values.back().push_back(value(i, j));
    }
  }
  return panel;
}

simulate::PatchExperiment experiment_of(const Values& values, const queries::ImageFolder* folder) {
  const auto* images = folder ? &folder->train.images : nullptr;
  simulate::PatchExperiment experiment;
  experiment.law.noise.classes = images ? static_cast<double>(images->classes) : values.number("classes");
  experiment.law.noise.dimension = images ? static_cast<double>(images->images.cols()) : values.number("dimension");
  experiment.law.noise.bulk = values.number("bulk");
  experiment.law.law = values.text("noise-law") == "gaussian" ? models::NoiseLaw::gaussian : models::NoiseLaw::uniform;
  experiment.filters = values.count("filters");
  const auto classes = static_cast<std::size_t>(experiment.law.noise.classes);
  const auto examples = [&](const char* name, std::size_t available) {
    const std::size_t usual = std::max<std::size_t>(1, values.count(name) / classes);
    return classes * images_per_class(values, name, classes, usual, available);
  };
  constexpr std::size_t any = 1000000;
  experiment.train = examples("records", images ? smallest_class(*images) : any);
  experiment.test = examples("test-records", images ? smallest_class(folder->test.images) : any);
  experiment.clip = values.number("clip");
  experiment.noise_multiplier = values.number("noise-multiplier");
  experiment.sgd.step_size = values.number("step-size");
  experiment.sgd.steps = values.count("steps");
  const std::string sampling = values.text("sampling");
  experiment.sgd.batches = sampling == "shuffled"     ? simulate::PatchBatches::shuffled
                           : sampling == "fixed-size" ? simulate::PatchBatches::fixed_size
                           : sampling == "poisson"    ? simulate::PatchBatches::poisson
                                                      : simulate::PatchBatches::full;
  const bool all = sampling == "full";
  experiment.sgd.batch_size = all ? values.count_or("batch-size", experiment.train) : values.count("batch-size");
  if (values.flag("adam")) {
    experiment.sgd.adam = simulate::AdamRule{};
  }
  require_option(images || experiment.law.noise.dimension >= 2.0 * experiment.law.noise.classes, "dimension",
                 shortest(experiment.law.noise.dimension) + " is outside [2 K, inf), K = " + std::to_string(classes));
  require_option(
      experiment.sgd.batch_size == experiment.train || (!all && experiment.sgd.batch_size < experiment.train),
      "batch-size",
      std::to_string(experiment.sgd.batch_size) + " is outside " + (all ? "{" : "[1, ") +
          std::to_string(experiment.train) + (all ? "}" : "]") + ", the number of records");
  return experiment;
}

std::vector<std::pair<PatchMode, std::string>> modes_of(const Values& values) {
  std::vector<std::pair<PatchMode, std::string>> modes;
  const auto asked = values.texts("mode");
  for (const NamedMode& known : named_modes) {
    const bool given = std::find(asked.begin(), asked.end(), known.name) != asked.end();
    if (given || (asked.empty() && (known.mode == PatchMode::clean || known.mode == PatchMode::dp))) {
      modes.emplace_back(known.mode, known.name);
    }
  }
  return modes;
}

Leaf long_tail_simulation() {
  return simulation("long-tail",
                    "a two-layer network on signal and noise patches, trained clean, clipped, noisy or privately",
                    {"--signal 1 --ncr 10 --paths 16", "--plot heat-map.svg",
                     "--signal 0 --ncr 3 --mode clean --mode dp --tail-level 1,1.5,2",
                     "--full-size --signal 0,0.5,1,2,3.8 --ncr 1,10,37.4,1400 --paths 3 --plot full.svg",
                     "--data data/sets/mnist --records 500 --test-records 1000 --plot signal.svg"},
                    long_tail_options(),
                    from_run({"long-tail",
                              {{mechanism::Sampler::shuffled, "shuffled"},
                               {mechanism::Sampler::fixed_size, "fixed-size"},
                               {mechanism::Sampler::poisson, "poisson"},
                               {mechanism::Sampler::none, "full"}}},
                             simulate_long_tail));
}

}  // namespace dpcurves::tools
