// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/lenet.hpp>
#include <dpcurves/simulate/detail/lenet_training.hpp>
#include <dpcurves/simulate/dp_sgd.hpp>

namespace dpcurves::simulate {

std::size_t LeNetExperiment::steps(std::size_t records) const {
  require_domain(epochs >= 1, "epochs", static_cast<double>(epochs), "[1, inf)");
  require_domain(batch_size > 0.0 && batch_size <= static_cast<double>(records), "batch_size", batch_size,
                 "(0, records]");
  return static_cast<std::size_t>(std::ceil(static_cast<double>(epochs * records) / batch_size));
}

ImageTrial lenet_trial(const LeNetExperiment& experiment, const models::LabelledImages& train,
                       const models::LabelledImages& test, std::span<const double> scores,
                       std::span<const double> noise_multipliers, std::uint64_t seed, std::uint32_t path) {
  require_domain(test.classes == train.classes, "classes of the test images", static_cast<double>(test.classes),
                 "those of the training images");
  models::LeNetLosses model(train), shown(test);
  DpSgd setting{.sampling = BatchSampling::poisson,
                .batch_size = experiment.batch_size,
                .step_size = experiment.step_size,
                .iterates = experiment.steps(model.records()) + 1};
  const auto start = models::initial_lenet(train.classes, seed, path);
  ImageTrial trial;
  for (const double z : noise_multipliers) {
    setting.noise_multiplier = z;
    setting.clip = z > 0.0 ? experiment.clip : std::numeric_limits<double>::infinity();
    DpSgdRun run(setting, model, start, seed, path);
    while (run.time() + 1 < setting.iterates) {
      run.step();
    }
    add_outcome(trial, shown.right(run.iterate()), scores, test.labels, test.classes);
  }
  return trial;
}

}  // namespace dpcurves::simulate
