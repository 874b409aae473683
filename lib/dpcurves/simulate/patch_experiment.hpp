// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The experiments on synthetic data and on images: data, start, training in several modes, and what the trained
/// networks show.
///
/// The modes of one trial share data, start, batches and noise. Trials of different paths are independent.
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", Section 5; sizes are reduced (see docs/theory/long-tail-memorization/figures.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <dpcurves/models/glyphs.hpp>
#include <dpcurves/models/image_data.hpp>
#include <dpcurves/simulate/patch_training.hpp>

namespace dpcurves::simulate {

/// How far own-class scores stand out, means over examples of a part of F_y less the mean of that part of the others.
struct MemorisationMargins {
  double noise = 0.0;   ///< by the noise patches
  double signal = 0.0;  ///< by the signal patches
};
/// \param labels  as many as there are examples in `responses`.
[[nodiscard]] MemorisationMargins margins(const models::PatchResponses& responses,
                                          std::span<const std::uint32_t> labels);

/// The quantities of the paper's figure 3: (1/n) max_r sum_i <w_{y_i, r}, xi_i>, and the same with u_{y_i}.
struct LargestProducts {
  double noise = 0.0;   ///< by the training patches xi
  double signal = 0.0;  ///< by the signals u
};
/// \param weights  shape (model.dimension()).
[[nodiscard]] LargestProducts largest_products(models::PatchCnn& model, std::span<const double> weights);

/// Own-class filters that were active on their training patches before a step, and how many of them no longer are.
struct Activations {
  std::size_t active = 0;  ///< pairs of a training example and a filter of its class with <w, xi> > 0 before the step
  std::size_t switched_off = 0;  ///< of these, with <w, xi> <= 0 after it
};
/// \param before, after  weights, shape (model.dimension()) each.
[[nodiscard]] Activations activations(models::PatchCnn& model, std::span<const double> before,
                                      std::span<const double> after);

/// The reduced synthetic experiment; its defaults run in about 20 ms per mode.
struct PatchExperiment {
  models::PatchLaw law;              ///< of the data: classes, dimension, signal and noise
  std::size_t filters = 20;          ///< m per class
  std::size_t train = 100;           ///< n, a multiple of K
  std::size_t test = 500;            ///< a multiple of K
  PatchSgd sgd;                      ///< clip and noise are set by the mode
  double clip = 1.0;                 ///< C
  double noise_multiplier = 2.9997;  ///< z: sigma_n = z C/B
};

/// K = 5, d = 200, m = 20, n = 100, B = 50, T = 80, C = 1, eta = 0.5, z = 2.9997.
/// \param signal  |u|. \param ratio  the noise correlation ratio NCR. \throws DomainError  for NCR < 1.
[[nodiscard]] PatchExperiment reduced_experiment(double signal, double ratio,
                                                 models::NoiseLaw law = models::NoiseLaw::gaussian);
/// The paper's sizes: d = 1000, m = 100, n = 500, B = 256, 20 epochs, z = 2.2577. Its step size of 0.002 learns nothing
/// with plain steps; 5 does. Arguments and errors as above.
[[nodiscard]] PatchExperiment printed_experiment(double signal, double ratio,
                                                 models::NoiseLaw law = models::NoiseLaw::gaussian);

/// What one trained network shows.
struct PatchOutcome {
  double test_accuracy = 0.0;         ///< share of test examples whose class has the largest score
  double train_accuracy = 0.0;        ///< the same for the training set
  double train_loss = 0.0;            ///< mean cross entropy, nats
  MemorisationMargins train_margins;  ///< of the training set
  MemorisationMargins test_margins;   ///< of the test set
  double clipped = 0.0;  ///< share of the training examples whose gradient at the end is longer than C, in any mode
};

/// What weights show. \param weights  shape (model.dimension()). \param clip  C of `clipped`.
[[nodiscard]] PatchOutcome outcome_of(models::PatchCnn& model, models::PatchCnn& test, std::span<const double> weights,
                                      double clip);

/// One trial, an outcome per mode. Trains in the span of the data where that pays.
/// \throws DomainError  for an experiment outside its domain.
[[nodiscard]] std::vector<PatchOutcome> patch_trial(const PatchExperiment& experiment, std::span<const PatchMode> modes,
                                                    std::uint64_t seed, std::uint32_t path);

/// Accuracies on examples of the test law that are L-long-tailed for the clean network of the trial.
struct TailOutcome {
  std::vector<double> overall;            ///< shape (modes)
  std::vector<std::vector<double>> tail;  ///< shape (modes x levels)
  std::vector<std::size_t> accepted;      ///< shape (levels): how many of the draws
  std::size_t draws = 0;                  ///< fresh examples that were looked at
};
/// \param levels  L of each tail. \param draws  fresh examples, a multiple of K. Accuracy NaN where a tail is empty.
[[nodiscard]] TailOutcome tail_trial(const PatchExperiment& experiment, std::span<const PatchMode> modes,
                                     std::span<const double> levels, std::size_t draws, models::TailFilter reading,
                                     std::uint64_t seed, std::uint32_t path);

// --- images -------------------------------------------------------------------------------------------------------

/// Training on images as single patches, and accuracy by influence score; the defaults are those of the glyphs.
struct ImageExperiment {
  std::size_t filters = 16;  ///< m per class
  double clip = 1.0;         ///< C of the noisy runs
  /// Batches, steps and step size; clip and noise follow from the multiplier.
  PatchSgd sgd{PatchBatches::shuffled, 200, 300, 2.0, std::numeric_limits<double>::infinity(), 0.0, std::nullopt};
};

/// Test accuracies, over all images and over those of extreme influence scores within their class.
struct ImageOutcome {
  double all = 0.0;                ///< share of test images classified rightly
  std::array<double, 2> top{};     ///< over the 10 % and the 30 % of largest score
  std::array<double, 2> bottom{};  ///< over the 10 % and the 30 % of smallest score
};

/// A trial, with a network per noise multiplier.
struct ImageTrial {
  std::vector<ImageOutcome> outcomes;        ///< shape (noise multipliers)
  std::vector<std::vector<double>> deciles;  ///< shape (noise multipliers x 10): accuracy by decile of the score
};

/// Adds a network to a trial.
/// \param right   whether each test image is put into its class, shape (test images): 1 or 0.
/// \param scores  of the test images within their class (influence_scores_by_class), at least 10 of each class.
/// \throws DomainError  for shapes that differ.
void add_outcome(ImageTrial& trial, std::span<const char> right, std::span<const double> scores,
                 std::span<const std::uint32_t> labels, std::size_t classes);

/// \param train, test        balanced, image i of class i mod K, of one size; at least 10 test images per class.
/// \param scores             of the test images within their class (influence_scores_by_class).
/// \param noise_multipliers  z of each run; 0: clean, without clipping.
/// \throws DomainError       otherwise, or for an experiment outside its domain.
[[nodiscard]] ImageTrial image_trial(const ImageExperiment& experiment, const models::LabelledImages& train,
                                     const models::LabelledImages& test, std::span<const double> scores,
                                     std::span<const double> noise_multipliers, std::uint64_t seed, std::uint32_t path);

/// Sizes of a trial on glyphs.
struct GlyphExperiment {
  std::size_t train = 1000;  ///< a multiple of 10
  std::size_t test = 2000;   ///< a multiple of 10
  ImageExperiment network;   ///< the network and its training
};

/// An ImageTrial, and what the scores know of the deformation.
struct GlyphTrial : ImageTrial {
  double correlation = 0.0;  ///< mean over classes of that of influence score and deformation
};

/// image_trial of glyphs that are drawn for the trial.
/// Cost: about 0.2 s per multiplier.
[[nodiscard]] GlyphTrial glyph_trial(const GlyphExperiment& experiment, std::span<const double> noise_multipliers,
                                     std::uint64_t seed);

}  // namespace dpcurves::simulate
