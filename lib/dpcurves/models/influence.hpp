// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Influence scores: by how much the covariance of a class shrinks in squared Frobenius norm without one example.
///
/// I_i = |Sigma(S)|_F^2 - |Sigma(S without i)|_F^2. A high score marks an atypical example. Typical ones have negative
/// scores, since leaving one out raises the normalisation.
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", equation (5).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace dpcurves::models {

/// \param examples  shape (N x D), one example per row, N >= 3, finite.
/// \param ddof      0 or 1: covariances are divided by the number of examples minus this.
/// \return          I_1, ..., I_N.
/// \throws DomainError  otherwise.
/// Accuracy: 1e-12 of the largest score; the data are centred first, so that a common offset does no harm.
/// Cost: the smaller of the Gram matrices N x N and D x D; no covariance is formed twice.
[[nodiscard]] std::vector<double> influence_scores(const Eigen::Ref<const Eigen::MatrixXd>& examples, int ddof = 1);

/// Scores within each class. \param labels shape (N), below `classes`; every class has at least 3 examples.
[[nodiscard]] std::vector<double> influence_scores_by_class(const Eigen::Ref<const Eigen::MatrixXd>& examples,
                                                            std::span<const std::uint32_t> labels, std::size_t classes,
                                                            int ddof = 1);

/// The examples of the `share` highest (or lowest) scores of each class, pooled; among equals the lower number first.
/// \param share  in (0, 1]; rounded to a whole number of examples per class.
[[nodiscard]] std::vector<std::uint32_t> extreme_examples(std::span<const double> scores,
                                                          std::span<const std::uint32_t> labels, std::size_t classes,
                                                          double share, bool highest);

}  // namespace dpcurves::models
