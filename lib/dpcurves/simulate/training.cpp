// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <string>

#include <dpcurves/core/error.hpp>
#include <dpcurves/simulate/training.hpp>

namespace dpcurves::simulate {

std::vector<Accuracy> softmax_accuracies(const TrainingSetting& setting, const models::SoftmaxRegression& model,
                                         const models::LabelledData& test, std::span<const std::size_t> epochs,
                                         std::uint64_t seed, std::uint32_t path, const Progress& progress) {
  require_domain(setting.step_size > 0.0 && std::isfinite(setting.step_size), "step_size", setting.step_size,
                 "(0, inf)");
  require_domain(setting.noise >= 0.0 && std::isfinite(setting.noise), "noise", setting.noise, "[0, inf)");
  require_domain(setting.regularisation >= 0.0 && std::isfinite(setting.regularisation), "regularisation",
                 setting.regularisation, "[0, inf)");
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    require_domain(epochs[i] >= 1 && (i == 0 || epochs[i] > epochs[i - 1]), "epochs", static_cast<double>(epochs[i]),
                   "[1, inf), rising");
  }
  require_domain(!epochs.empty(), "number of epochs to report", 0.0, "[1, inf)");
  const models::LabelledData& data = model.data();
  require_domain(test.features.rows() == data.features.rows(), "dimension of the test data",
                 static_cast<double>(test.features.rows()), "that of the training data");
  BatchSequence batches(setting.rule, setting.batch_size, data.labels.size());

  Eigen::MatrixXd parameters(static_cast<Eigen::Index>(data.classes), data.features.rows());
  Eigen::MatrixXd noise(parameters.rows(), parameters.cols());
  const auto size = static_cast<std::size_t>(parameters.size());
  random::uniforms({parameters.data(), size}, seed, random::Purpose::initialisation, path, 0);
  parameters /= std::sqrt(static_cast<double>(size));

  const std::size_t steps_per_epoch = setting.rule == BatchRule::full ? 1 : data.labels.size() / setting.batch_size;
  std::vector<Accuracy> found;
  for (std::size_t k = 0; k < epochs.back() * steps_per_epoch; ++k) {
    random::normals({noise.data(), size}, seed, random::Purpose::noise, path, k * size);
    parameters -= setting.step_size * (model.mean_gradient(batches.batch(k, seed, path), parameters) +
                                       setting.regularisation * parameters + setting.noise * noise);
    if ((k + 1) % steps_per_epoch != 0) {
      continue;
    }
    const std::size_t epoch = (k + 1) / steps_per_epoch;
    if (progress && !progress(epoch, epochs.back())) {
      throw Error("stopped on request after epoch " + std::to_string(epoch));
    }
    if (epoch == epochs[found.size()]) {
      found.push_back({models::SoftmaxRegression::accuracy(data, parameters),
                       models::SoftmaxRegression::accuracy(test, parameters)});
    }
  }
  return found;
}

Accuracy train_softmax(const TrainingSetting& setting, const models::SoftmaxRegression& model,
                       const models::LabelledData& test, std::uint64_t seed, std::uint32_t path,
                       const Progress& progress) {
  return softmax_accuracies(setting, model, test, {&setting.epochs, 1}, seed, path, progress).front();
}

}  // namespace dpcurves::simulate
