// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/influence.hpp>
#include <dpcurves/simulate/detail/patch_images.hpp>

namespace dpcurves::simulate {
namespace {

/// The images of a class less their mean, shape (n_k x pixels).
models::RowMatrix centred_class(const models::LabelledImages& all, std::size_t label) {
  std::vector<Eigen::Index> members;
  for (std::size_t i = 0; i < all.labels.size(); ++i) {
    if (all.labels[i] == label) {
      members.push_back(static_cast<Eigen::Index>(i));
    }
  }
  require_domain(members.size() >= 2, "images of a class", static_cast<double>(members.size()), "[2, inf)");
  models::RowMatrix rows = all.images(members, Eigen::all);
  rows.rowwise() -= rows.colwise().mean().eval();
  return rows;
}

}  // namespace

models::PatchData signalled_images(const models::LabelledImages& all, const Eigen::RowVectorXd& mean,
                                   double signal_norm) {
  require_domain(signal_norm >= 0.0 && std::isfinite(signal_norm), "signal_norm", signal_norm, "[0, inf)");
  auto data = models::image_patches(all.images, all.labels, all.classes, mean);
  const Eigen::Index pixels = all.images.cols(), classes = static_cast<Eigen::Index>(all.classes);
  data.noise.conservativeResize(Eigen::NoChange, pixels + classes);
  data.noise.rightCols(classes).setZero();
  data.signals = models::RowMatrix::Zero(signal_norm > 0.0 ? classes : 0, pixels + classes);
  data.signals.rightCols(classes).diagonal().setConstant(signal_norm);
  return data;
}

Eigen::MatrixXd noise_correlation_ratios(const models::LabelledImages& all) {
  const auto classes = static_cast<Eigen::Index>(all.classes);
  std::vector<models::RowMatrix> centred;
  for (std::size_t k = 0; k < all.classes; ++k) {
    centred.push_back(centred_class(all, k));
  }
  Eigen::MatrixXd ratios = Eigen::MatrixXd::Ones(classes, classes);
  for (Eigen::Index k = 0; k < classes; ++k) {
    const auto& own = centred[static_cast<std::size_t>(k)];
    const double own_norm = (own * own.transpose()).norm();  // n_k |Sigma_k|_F
    require_domain(own_norm > 0.0, "norm of the covariance of a class", own_norm, "(0, inf)");
    for (Eigen::Index j = 0; j < classes; ++j) {
      const auto& other = centred[static_cast<std::size_t>(j)];
      if (j != k) {
        // sqrt(n_k n_j tr Sigma_k Sigma_j) is the norm of the products; counts: n_k/n_k, and sqrt(n_j) twice.
        const double cross = (own * other.transpose()).norm();
        ratios(k, j) = own_norm / cross;
      }
    }
  }
  return ratios;
}

std::vector<SignalledOutcome> signalled_trial(const PatchExperiment& experiment, const models::LabelledImages& train,
                                              const models::LabelledImages& test, std::span<const double> scores,
                                              std::span<const PatchMode> modes, std::uint64_t seed,
                                              std::uint32_t path) {
  constexpr std::size_t least = 10;
  const auto counts = models::class_counts(test);
  require_domain(test.classes == train.classes, "classes of the test images", static_cast<double>(test.classes),
                 "those of the training images");
  require_domain(*std::min_element(counts.begin(), counts.end()) >= least, "test images of a class",
                 static_cast<double>(*std::min_element(counts.begin(), counts.end())), "[10, inf)");
  require_domain(scores.size() == test.labels.size(), "number of scores", static_cast<double>(scores.size()),
                 "that of the test images");
  const Eigen::RowVectorXd mean = train.images.colwise().mean();
  const double signal = experiment.law.signal_norm;
  models::PatchCnn model(signalled_images(train, mean, signal), experiment.filters);
  models::PatchCnn shown(signalled_images(test, mean, signal), experiment.filters);
  const auto start = uniform_start(model, seed, path);
  std::vector<SignalledOutcome> outcomes;
  for (const PatchMode mode : modes) {
    const auto setting = in_mode(experiment.sgd, mode, experiment.clip, experiment.noise_multiplier);
    const auto weights = train_patches(setting, model, start, seed, path);
    const auto on_test = shown.responses(weights);
    SignalledOutcome outcome{outcome_of(model, shown, weights, experiment.clip), 0.0, 0.0};
    const auto over_tenth = [&](bool highest) {
      return models::accuracy(on_test, test.labels,
                              models::extreme_examples(scores, test.labels, test.classes, 0.1, highest));
    };
    outcome.typical = over_tenth(false);
    outcome.atypical = over_tenth(true);
    outcomes.push_back(outcome);
  }
  return outcomes;
}

}  // namespace dpcurves::simulate
