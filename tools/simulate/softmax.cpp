// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/softmax.hpp"

#include <cmath>
#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/io/table.hpp>
#include <dpcurves/queries/detail/algorithm.hpp>
#include <dpcurves/queries/detail/image_files.hpp>
#include <dpcurves/simulate/training.hpp>

#include "support/means.hpp"
#include "support/simulation.hpp"

namespace dpcurves::tools {
namespace {

using simulate::BatchRule;

models::LabelledData clipped_examples(const models::LabelledImages& images, double clip) {
  return {models::clipped_with_bias(images.images.transpose(), clip), images.labels, images.classes};
}

simulate::TrainingSetting training_setting(const Values& values, BatchRule rule, std::size_t records) {
  simulate::TrainingSetting setting;
  setting.rule = rule;
  setting.step_size = values.number("step-size");
  setting.noise = values.number("noise");
  setting.regularisation = values.number_or("strong-convexity", 0.002);
  setting.batch_size = rule == BatchRule::full ? records : values.count("batch-size");
  require_option(
      setting.batch_size <= records && records % setting.batch_size == 0, "batch-size",
      std::to_string(setting.batch_size) + " does not divide the " + std::to_string(records) + " images of --data");
  if (rule == BatchRule::cyclic) {
    setting.epochs = values.count("epochs");
    return setting;
  }
  const std::size_t batches = records / setting.batch_size;
  const auto steps = values.count("steps");
  require_option(steps % batches == 0, "steps",
                 std::to_string(steps) + " is no whole number of epochs of " + std::to_string(batches) + " batches");
  setting.epochs = steps / batches;
  return setting;
}

/// What composition promises; the contraction that other theorems need is an assumption about clipped softmax steps.
accounting::Guarantee composition(const std::string& process, const simulate::TrainingSetting& setting,
                                  std::size_t records, double clip, double delta) {
  const auto epochs = static_cast<double>(setting.epochs), n = static_cast<double>(records),
             batch = static_cast<double>(setting.batch_size);
  const auto& algorithm = queries::algorithm_named(process);
  Values said = checked_options(algorithm.options, RawOptions{});
  said.set("records", n);
  said.set("batch-size", batch);
  said.set("clip", clip);
  said.set("noise", setting.noise);
  said.set("step-size", setting.step_size);
  said.set("epochs", epochs);
  said.set("steps", epochs * (n / batch));
  return algorithm.guarantees(said, {{}, delta, "shifted-interpolation/theorem-4.8", {}}).front();
}

}  // namespace

Simulation simulate_softmax(const std::string& process, BatchRule rule, const Asked& asked) {
  const auto& [values, common, table] = asked;
  for (const char* name : {"records", "sensitivity", "diameter", "tanh-weight", "paths", "type-one-errors", "miss",
                           "theorem", "claim", "samples", "plot"}) {
    require_option(!values.has(name), name, "is not for softmax regression, whose runs are counted by --repetitions");
  }
  const auto images = read_image_folder("--data", values.text("data"));
  const double clip = values.number_or("clip", 5.0), feature_clip = values.number("feature-clip");
  const double delta = values.number("delta");
  const models::SoftmaxRegression model(clipped_examples(images.train.images, feature_clip), clip);
  const auto test = clipped_examples(images.test.images, feature_clip);
  const std::size_t records = model.data().labels.size();
  const auto setting = training_setting(values, rule, records);
  const auto promised = composition(process, setting, records, clip, delta);
  const Enclosure epsilon = promised.curve->epsilon(delta).value;

  std::vector<simulate::Accuracy> runs(values.count("repetitions"));
  last_loop(
      common, "training", runs.size(),
      [&](std::size_t run) {
        runs[run] = simulate::train_softmax(setting, model, test, common.seed, static_cast<std::uint32_t>(run));
      },
      [&](std::size_t run, Archive& archive) { archive(runs[run]); });
  Simulation found;
  found.rows.names = {"train", "test"};
  for (const simulate::Accuracy& run : runs) {
    found.rows.rows.push_back({{shortest(run.train)}, {shortest(run.test)}});
  }
  io::TextTable text({"accuracy", "mean", "deviation"});
  for (const auto& [name, values] : {std::pair{"train", all_of(runs, &simulate::Accuracy::train)},
                                     std::pair{"test", all_of(runs, &simulate::Accuracy::test)}}) {
    const auto moments = inference::moments(values);
    const double deviation = std::sqrt(moments.variance);
    found.fields[name] = {{"mean", moments.mean}, {"deviation", number(deviation)}, {"runs", numbers(values)}};
    text.add({name, rounded(100.0 * moments.mean, 5), rounded(100.0 * deviation, 2)});
  }
  found.fields["theorem"] = promised.theorem;
  found.fields["epsilon"] = ends(epsilon);
  found.fields["delta"] = delta;
  found.text = process + ", softmax regression on " + std::to_string(records) + " images of " + values.text("data") +
               ", " + std::to_string(setting.epochs) + " epochs, percent over " + std::to_string(runs.size()) +
               " runs, seed " + std::to_string(common.seed) + "\n" + text.text() + "guarantee: " + promised.theorem +
               ", epsilon <= " + rounded_up(epsilon.upper, 6) + " at delta = " + shortest(delta) + "\n";
  return found;
}

}  // namespace dpcurves::tools
