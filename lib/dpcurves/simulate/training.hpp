// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Softmax regression trained by noisy cyclic or stochastic gradient descent: what accuracy a privacy budget leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <dpcurves/core/parallel.hpp>
#include <dpcurves/models/softmax.hpp>
#include <dpcurves/simulate/noisy_descent.hpp>

namespace dpcurves::simulate {

/// The experiment on logistic regression of the shifted-interpolation paper, with its constants as defaults.
struct TrainingSetting {
  BatchRule rule = BatchRule::cyclic;  ///< cyclic for noisy cyclic gradient descent, subset for noisy SGD
  std::size_t batch_size = 150;        ///< b
  std::size_t epochs = 50;             ///< records / batch_size steps each
  double step_size = 0.05;             ///< eta
  double noise = 0.01;                 ///< standard deviation per coordinate of the gradient noise
  double regularisation = 0.002;       ///< lambda: its gradient lambda theta is added after clipping
};

/// Of one trained model.
struct Accuracy {
  double train = 0.0;  ///< fraction of examples classified rightly by the final iterate
  double test = 0.0;   ///< the same for the test set
};

/// Trains from a start uniform on [0, 1) / sqrt(parameters), numbered by `path` like the noise.
///
/// \param model  the training data with the clip of the gradients (half of their sensitivity).
/// \throws DomainError  if the batch size does not fit (cyclic: it must divide the number of examples), a rate is
///                      not positive, or epochs < 1.
/// Cost: that of mean_gradient per step; 50 epochs of 6000 examples in 50 dimensions about 0.2 s.
[[nodiscard]] Accuracy train_softmax(const TrainingSetting& setting, const models::SoftmaxRegression& model,
                                     const models::LabelledData& test, std::uint64_t seed, std::uint32_t path,
                                     const Progress& progress = {});

/// The accuracies of one run after each of `epochs`, in rising order; setting.epochs is not read.
/// \throws DomainError  as train_softmax, or for epochs that do not rise.
[[nodiscard]] std::vector<Accuracy> softmax_accuracies(const TrainingSetting& setting,
                                                       const models::SoftmaxRegression& model,
                                                       const models::LabelledData& test,
                                                       std::span<const std::size_t> epochs, std::uint64_t seed,
                                                       std::uint32_t path, const Progress& progress = {});

}  // namespace dpcurves::simulate
