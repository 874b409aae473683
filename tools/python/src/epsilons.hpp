// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Epsilons of one curve at many deltas.
#pragma once

#include <span>
#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/core/parallel.hpp>

namespace dpcurves::python {

/// The least epsilon of each delta, by questions that share contours between neighbouring deltas.
///
/// Deltas are sorted and cut into pieces of 500, each asked in order: a secant in log delta from its neighbour's answer,
/// then delta at both ends of a bracket, which proves it. What does not converge so is asked of the curve alone.
/// \param deltas    each in (0, 1). \param relative  wanted relative width.
/// \param threads   0: all; answers do not depend on it. Their last digits may differ from those of curve.epsilon().
/// \throws  as curve.epsilon(). Accuracy: both ends are proved where those of the curve are.
/// Cost: about 0.5 ms each for a subsampled Gaussian, and 0.1 s for each piece.
[[nodiscard]] std::vector<Enclosure> epsilons(const accounting::PrivacyCurve& curve, std::span<const double> deltas,
                                              double relative, unsigned threads, const Progress& progress);

}  // namespace dpcurves::python
