// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// DP-SGD on LeNet: what privacy costs on typical and atypical digits.
///
/// Poisson batches at rate B/n, clipped sums plus noise divided by B, as often as there are batches in the epochs; the
/// clean run has neither clipping nor noise.
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", Section 5 and Figure 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <dpcurves/models/image_data.hpp>
#include <dpcurves/simulate/patch_experiment.hpp>

namespace dpcurves::simulate {

/// The training of Section 5.
struct LeNetExperiment {
  double batch_size = 256.0;  ///< B in (0, n]
  double step_size = 0.002;   ///< eta > 0
  double clip = 1.0;          ///< C > 0, of the noisy runs
  std::size_t epochs = 20;    ///< at least 1

  /// Steps for n records: the whole batches of the epochs, the last one filled up.
  [[nodiscard]] std::size_t steps(std::size_t records) const;
};

/// One trial, with a network per noise multiplier; all share start, batches and white noise.
/// \param train, test        28 x 28 pixels, of the same classes.
/// \param scores             of the test images within their class (influence_scores_by_class), at least 10 of each.
/// \param noise_multipliers  z of each run; 0: clean, without clipping.
/// \throws DomainError       otherwise, or for an experiment outside its domain.
/// Cost: about 0.3 ms per image and epoch for each multiplier; six minutes for MNIST and 20 epochs.
[[nodiscard]] ImageTrial lenet_trial(const LeNetExperiment& experiment, const models::LabelledImages& train,
                                     const models::LabelledImages& test, std::span<const double> scores,
                                     std::span<const double> noise_multipliers, std::uint64_t seed, std::uint32_t path);

}  // namespace dpcurves::simulate
