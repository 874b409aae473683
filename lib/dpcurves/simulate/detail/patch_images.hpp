// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The two-layer network on images as noise patches: to each image a signal of its class is added, in coordinates that
/// no image has, and the noise correlation of the classes is that of the images.
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", Definitions 1 and 2 read for data that are given, and equation (5).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include <dpcurves/models/image_data.hpp>
#include <dpcurves/simulate/patch_experiment.hpp>

namespace dpcurves::simulate {

/// Images less `mean` as noise patches xi, with K further coordinates that are 0, and u_k = signal_norm e_{pixels + k}.
/// \throws DomainError  for a mean of another size or signal_norm outside [0, inf).
[[nodiscard]] models::PatchData signalled_images(const models::LabelledImages& all, const Eigen::RowVectorXd& mean,
                                                 double signal_norm);

/// NCR_kj = sqrt(n_k) |Sigma_k|_F/(sqrt(n_j) sqrt(tr Sigma_k Sigma_j)) of every pair of classes, shape (K x K): what
/// the paper's ratio is for A_k with A_k A_k' = Sigma_k, the covariance of the images of class k. The diagonal is 1.
/// \throws DomainError  for a class of fewer than 2 images, or one whose images are all alike.
/// Cost: n^2 products of images.
[[nodiscard]] Eigen::MatrixXd noise_correlation_ratios(const models::LabelledImages& all);

/// A PatchOutcome, and accuracies over the test images of extreme influence score.
struct SignalledOutcome : PatchOutcome {
  double typical = 0.0;   ///< over the 10 % of lowest score in each class
  double atypical = 0.0;  ///< over the 10 % of highest score: the long tail
};

/// One trial, an outcome per mode; `experiment` gives filters, clip, noise multiplier, steps and law.signal_norm.
/// \param train, test  of the same classes and size; at least 10 test images of each class.
/// \param scores       of the test images within their class (influence_scores_by_class).
/// \throws DomainError  otherwise, or for an experiment outside its domain.
[[nodiscard]] std::vector<SignalledOutcome> signalled_trial(
    const PatchExperiment& experiment, const models::LabelledImages& train, const models::LabelledImages& test,
    std::span<const double> scores, std::span<const PatchMode> modes, std::uint64_t seed, std::uint32_t path);

}  // namespace dpcurves::simulate
