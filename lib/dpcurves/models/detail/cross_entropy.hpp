// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Softmax cross entropy of class scores, with residuals and losses that keep their digits when they are tiny.
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", Section 3 (loss) and Lemma 11 (convexity in the scores).
#pragma once

#include <cstddef>
#include <span>

#include <dpcurves/core/field.hpp>

namespace dpcurves::models {

/// The loss of one example and what is left of certainty.
struct CrossEntropy {
  double loss = 0.0;
  double residual = 0.0;
  double log_residual = 0.0;
  static constexpr std::tuple fields{
      result("loss", &CrossEntropy::loss, "-log p_y"),
      result("residual", &CrossEntropy::residual, "1 - p_y, the sum of the other probabilities"),
      result("log_residual", &CrossEntropy::log_residual,
             "its logarithm, finite where the residual itself underflows")};
};

/// \param scores         F, shape (classes), at least two, finite.
/// \param label          y < classes.
/// \param probabilities  shape (classes), overwritten; or empty.
/// \throws DomainError   for scores or a label outside their domain.
/// Accuracy: 1e-14 relative of loss, residual and probabilities while they are normal doubles, however far the scores
/// lie apart: never 1 - p_y. Cost: K exponentials.
CrossEntropy cross_entropy(std::span<const double> scores, std::size_t label, std::span<double> probabilities = {});

/// The largest 1 - p_i over the smallest, from logarithms: residuals may underflow.
/// \param log_residuals  not empty. \throws DomainError for an empty list or NaN.
[[nodiscard]] double residual_ratio(std::span<const double> log_residuals);

/// The class with the largest score, the lowest number among equals.
[[nodiscard]] std::size_t predicted_class(std::span<const double> scores);

}  // namespace dpcurves::models
