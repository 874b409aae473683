// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate mlp: Algorithm 10 on deep ReLU networks beside its baselines, on paired runs.
#include <optional>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/io/plot.hpp>
#include <dpcurves/models/detail/binary_images.hpp>
#include <dpcurves/queries/detail/caption.hpp>
#include <dpcurves/queries/detail/image_files.hpp>
#include <dpcurves/queries/detail/run_forms.hpp>
#include <dpcurves/simulate/network_training.hpp>

#include "simulate/image_records.hpp"
#include "simulate/processes.hpp"
#include "support/means.hpp"
#include "support/simulation.hpp"
#include "validation/cases/dp_glm_networks/network_stand_in.hpp"

namespace dpcurves::tools {
namespace {

std::vector<Option> mlp_options() {
  return {{"records", OptionKind::count, "[2, 1000000]", "n, default 1000, or all of --data if fewer", "Data"},
          {"data", OptionKind::text, "",
           "folder of images as data/fetch.sh makes it: odd against even classes, on the unit sphere; default drawn "
           "records",
           "Data"},
          {"inputs", OptionKind::count, "[1, 100000] = 20", "d", "Data"},
          {"test-records", OptionKind::count, "[1, 1000000]", "default 2000, or all of --data if fewer", "Data"},
          {"label-noise", OptionKind::number, "[0, 0.5) = 0.05", "chance of a flipped label", "Data"},
          {"width", OptionKind::count, "[1, 10000] = 64", "m"},
          {"depth", OptionKind::count, "[2, 100] = 3", "L, weight matrices"},
          {"batch-size", OptionKind::number, "(0, inf)", "expected records of a Poisson batch, default n/20"},
          {"steps", OptionKind::count, "[1, 100000000] = 200", "T"},
          {"step-size", OptionKind::number, "(0, inf) = 0.05", "eta"},
          {"clip", OptionKind::number, "(0, inf) = 4", "clip norm C"},
          {"epsilon", OptionKind::number, "(0, inf) = 1", "the noise is calibrated to it"},
          {"delta", OptionKind::number, "(0, 1)", "default 1/n^2"},
          {"noise-multiplier", OptionKind::number, "[0, inf)", "noise over C, in place of epsilon and delta"},
          {"radius", OptionKind::number, "(0, inf] = inf", "R of the projection of every layer; inf: none"},
          {"centre", OptionKind::text, "origin|start = origin", "of the balls: 0 as in the paper, or the start"},
          {"paths", OptionKind::count, "[2, 1000000] = 8", "runs of each algorithm", "Run"},
          queries::plot_option("draw test over training losses", "Run"),
          queries::run_option()};
}

struct ComparedRun {
  std::string name, label;
  simulate::NetworkRun run;
  std::vector<simulate::NetworkOutcome> outcomes;
};

/// Drawn records, or those of a folder.
struct Records {
  models::TeacherData train, test;
  std::optional<ImageFolder> images;
};

Records records_of(const Values& values) {
  Records all;
  auto& [law, test_law, images] = all;
  law.records = values.count_or("records", 1000);
  law.inputs = values.count("inputs");
  law.flipped = values.number("label-noise");
  test_law = law;
  test_law.records = values.count_or("test-records", 2000);
  if (values.has("data")) {
    for (const char* drawn : {"inputs", "label-noise"}) {
      exclude(values, "data", drawn);
    }
    images = read_image_folder("--data", values.text("data"));
    law.inputs = static_cast<std::size_t>(images->train.images.images.cols());
    law.records = images_in_all(values, "records", 1000, images->train.images);
    test_law.records = images_in_all(values, "test-records", 2000, images->test.images);
  }
  return all;
}

/// Algorithm 10, with the noise that is given or else asked for by (epsilon, delta).
simulate::NetworkRun run_of(const Values& values, double n, double epsilon, double delta) {
  simulate::NetworkRun base;
  base.batch_size = values.number_or("batch-size", n / 20.0);
  require_option(base.batch_size <= n, "batch-size",
                 shortest(base.batch_size) + " is outside (0, " + shortest(n) + "], the number of records");
  base.steps = values.count("steps");
  base.step_size = values.number("step-size");
  base.clip = values.number("clip");
  base.radius = values.number("radius");
  base.centre = values.text("centre") == "start" ? simulate::BallCentre::start : simulate::BallCentre::origin;
  const bool given = values.has("noise-multiplier");
  require_option(!given || (!values.has("epsilon") && !values.has("delta")), "noise-multiplier",
                 "give it, or --epsilon and --delta, not both");
  base.noise_multiplier = given ? values.number("noise-multiplier")
                                : validation::dp_glm_networks::calibrated_noise(
                                      base.batch_size / n, static_cast<double>(base.steps), epsilon, delta);
  return base;
}

Simulation simulate_mlp(const Asked& asked) {
  const auto& [values, common, table] = asked;
  const auto [law, test_law, images] = records_of(values);
  const auto n = static_cast<double>(law.records);
  const models::NetworkShape shape{law.inputs, values.count("width"), values.count("depth")};
  const double delta = values.number_or("delta", 1.0 / (n * n)), epsilon = values.number("epsilon");
  const bool given = values.has("noise-multiplier");
  const auto base = run_of(values, n, epsilon, delta);
  auto plain = base, open = base;
  plain.radius = infinity;
  plain.average = false;
  open.noise_multiplier = 0.0;
  open.clip = infinity;
  const auto paths = values.count("paths");
  std::vector<ComparedRun> compared{{"algorithm-10", "Algorithm 10: projected, averaged", base, {}},
                                    {"dp-sgd", "plain DP-SGD: last iterate", plain, {}},
                                    {"non-private", "Algorithm 10 without noise and clipping", open, {}}};
  for (auto& one : compared) {
    one.outcomes.resize(paths);
  }
  last_loop(
      common, "training", paths,
      [&](std::size_t path) {
        const auto number = static_cast<std::uint32_t>(2 * path);
        models::NetworkLosses train(
            shape, images ? models::binary_images(images->train.images, path * law.records, law.records)
                          : models::teacher_data(law, common.seed, number));
        models::NetworkLosses test(shape, images ? models::binary_images(images->test.images, 0, test_law.records)
                                                 : models::teacher_data(test_law, common.seed, number + 1));
        for (auto& one : compared) {
          one.outcomes[path] = simulate::train_network(one.run, train, test, common.seed, number);
        }
      },
      [&](std::size_t path, Archive& archive) {
        for (auto& one : compared) {
          auto& found = one.outcomes[path];
          archive(found.train, found.test, found.clipped, found.largest_gradient, found.projected, found.start_moved);
        }
      });
  using validation::dp_glm_networks::test_errors;
  using validation::dp_glm_networks::test_losses;
  Results results({{"algorithm", "algorithm"},
                   {"", "", "algorithm"},
                   {"noise_multiplier", "noise_multiplier"},
                   {"test_loss", "test_loss", "test loss", 4},
                   {"test_loss_standard_error", "test_loss_error", "+-", 2},
                   {"difference", "difference", "to the first", 4},
                   {"difference_standard_error", "difference_error", "+-", 2},
                   {"test_error", "test_error", "test error", 4},
                   {"test_error_standard_error", "test_error_error", "+-", 2},
                   {"train_loss", "train_loss", "training loss", 4},
                   {"clipped_share", "clipped", "clipped", 4},
                   {"projected_steps", "projected_steps", "projected", 4}});
  io::Plot plot{"mlp: mean losses of " + std::to_string(paths) + " runs, two standard errors\n" +
                    caption_of(asked.inputs(), {"data"}),
                {"training loss"},
                {"test loss"}};
  const auto first = test_losses(compared.front().outcomes);
  bool start_moved = false;
  using simulate::NetworkOutcome;
  for (const auto& one : compared) {
    const auto loss = inference::moments(test_losses(one.outcomes)),
               difference = inference::paired(test_losses(one.outcomes), first),
               error = inference::moments(test_errors(one.outcomes));
    const double train = moments_of(one.outcomes, [](const NetworkOutcome& run) { return run.train.loss; }).mean;
    const double clipped = moments_of(one.outcomes, &NetworkOutcome::clipped).mean;
    const double projected = moments_of(one.outcomes, &NetworkOutcome::projected).mean;
    start_moved = start_moved || moments_of(one.outcomes, &NetworkOutcome::start_moved).mean > 0.0;
    results.add({one.name, one.label, one.run.noise_multiplier, loss.mean, loss.mean_error, difference.mean,
                 difference.mean_error, error.mean, error.mean_error, train, clipped, projected});
    add_mean(plot.series.emplace_back(io::points(one.name, {}, {})), train, loss);
  }
  Simulation found =
      results.found("mlp, L = " + std::to_string(shape.depth) + ", m = " + std::to_string(shape.width) + ", " +
                        std::to_string(shape.parameters()) + " parameters, " + std::to_string(law.records) +
                        " records, " + std::to_string(paths) + " runs each, seed " + std::to_string(common.seed) +
                        ", noise multiplier " + rounded(base.noise_multiplier, 6),
                    {{"noise_multiplier", base.noise_multiplier}, {"start_moved", start_moved}});
  found.text += given ? "this command measures; what a noise multiplier is worth says dpcurves privacy dp-sgd\n"
                      : "noise for (" + shortest(epsilon) + ", " + rounded(delta, 4) +
                            ")-DP by the certified accountant, Poisson batches, add or remove; the released average "
                            "and all iterates are covered\n";
  if (start_moved) {
    found.text +=
        "the start lies outside the balls around 0 and is moved by the first projection: see --centre start\n";
  }
  found.plot = std::move(plot);
  return found;
}

}  // namespace

Leaf mlp_simulation() {
  return simulation(
      "mlp", "a deep ReLU network trained by Algorithm 10, by plain DP-SGD and without privacy, on paired runs",
      {"--records 2000 --steps 80 --epsilon 1", "--width 32 --noise-multiplier 4 --radius 2 --centre start --paths 20",
       "--run data/examples/training-run.toml"},
      mlp_options(), from_run({"mlp", {{mechanism::Sampler::poisson, ""}}}, simulate_mlp));
}

}  // namespace dpcurves::tools
