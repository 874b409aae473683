// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Epsilons of one curve at many deltas.
#pragma once

#include <span>
#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/core/parallel.hpp>

namespace dpcurves::accounting {

/// The least epsilon of each delta, by questions that share contours between neighbouring deltas where the curve does.
///
/// Deltas are sorted and cut into pieces of 500, each asked in order: a secant in log delta from its neighbour's answer,
/// then delta at both ends of a bracket, which proves it. What does not converge so is asked of the curve alone, as
/// everything of a curve that shares nothing.
/// \param deltas    each in (0, 1). \param relative  wanted relative width.
/// \param threads   0: all; answers do not depend on it. Their last digits may differ from those of curve.epsilon(), and
///                  depend on the other deltas.
/// \throws  as curve.epsilon(). Accuracy: both ends are proved where those of the curve are.
/// Cost: about 0.3 ms each for a subsampled Gaussian, and 0.1 s for each piece.
[[nodiscard]] std::vector<Answer> epsilons(const PrivacyCurve& curve, std::span<const double> deltas, double relative,
                                           unsigned threads, const Progress& progress = {});

}  // namespace dpcurves::accounting
