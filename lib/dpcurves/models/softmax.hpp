// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Softmax regression with per-example clipping, and a procedural data set of Gaussian classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include <dpcurves/random/streams.hpp>

namespace dpcurves::models {

/// Examples with class labels.
struct LabelledData {
  Eigen::MatrixXd features;           ///< shape (dimension x examples): one example per column
  std::vector<std::uint32_t> labels;  ///< shape (examples), below the number of classes
  std::size_t classes = 0;            ///< K; every label is below it
};

/// A training and a test set of the same law.
struct DataSplit {
  LabelledData train;  ///< what gradients are taken of
  LabelledData test;   ///< what accuracy is measured on
};

/// How to draw Gaussian classes. The defaults are the stand-in for MNIST of the validation plan.
struct GaussianClasses {
  std::size_t classes = 10;           ///< K >= 2
  std::size_t dimension = 50;         ///< of a feature vector before the constant 1 is appended
  std::size_t train_examples = 6000;  ///< >= 1
  std::size_t test_examples = 2000;   ///< >= 1
  double mean_norm = 4.0;             ///< class means are N(0, mean_norm^2 / dimension I)
  double spread = 1.6;                ///< standard deviation per coordinate within a class
  double clip = 8.0;  ///< longer feature vectors are shortened to this norm; then a constant 1 is appended
};

/// Draws the data from `seed`: the same bits everywhere. Labels go round robin through the classes.
/// \throws DomainError  unless classes >= 2, dimension and counts >= 1, lengths > 0 and finite.
[[nodiscard]] DataSplit gaussian_classes(const GaussianClasses& law, std::uint64_t seed);

/// Shortens each column to norm `clip` where it is longer. \throws DomainError  unless clip > 0.
[[nodiscard]] Eigen::MatrixXd clipped_columns(Eigen::MatrixXd features, double clip);

/// clipped_columns() with a row of ones below.
[[nodiscard]] Eigen::MatrixXd clipped_with_bias(const Eigen::MatrixXd& features, double clip);

/// Softmax regression: class scores are parameters * features, the loss is -log of the label's softmax probability.
///
/// Parameters have shape (classes x dimension). The gradient of an example is the outer product of (probabilities -
/// label) and its features, so its norm is the product of two norms: clipping costs no d x classes matrix per example.
/// Features that are zero (four of five pixels of a digit) are left out of all sums. Sums run in the order of features
/// and examples, so that no machine has bits of its own but for exp of the C library.
class SoftmaxRegression {
 public:
  /// \param gradient_clip  per-example gradients longer than this are shortened to it, > 0 (infinity: no clipping).
  SoftmaxRegression(LabelledData data, double gradient_clip);

  /// The training data, as given.
  [[nodiscard]] const LabelledData& data() const { return data_; }

  /// The mean over `batch` of the clipped gradients at `parameters`, shape (classes x dimension).
  /// Cost: about 2 ns per feature of the batch that is not zero, with ten classes and AVX-512.
  [[nodiscard]] Eigen::MatrixXd mean_gradient(std::span<const std::uint32_t> batch,
                                              const Eigen::MatrixXd& parameters) const;
  /// The same of ten classes by a named variant: the same bits, for tests.
  [[nodiscard]] Eigen::MatrixXd mean_gradient(std::span<const std::uint32_t> batch, const Eigen::MatrixXd& parameters,
                                              random::InstructionSet variant) const;

  /// The fraction of examples of `data` whose label has the largest score.
  [[nodiscard]] static double accuracy(const LabelledData& data, const Eigen::MatrixXd& parameters);

 private:
  /// Scores of an example become its clipped gradient by them, the residual.
  template <class Column>
  void to_clipped_residual(std::uint32_t example, Column& scores) const;

  LabelledData data_;
  Eigen::VectorXd feature_norms_;
  std::vector<std::size_t> begins_;   ///< shape (examples + 1): the features of example i that are not zero
  std::vector<std::uint32_t> where_;  ///< their coordinates
  std::vector<double> values_;        ///< and their values
  double gradient_clip_;
};

}  // namespace dpcurves::models
