// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Private two-layer networks as generalised linear models of a feature map that is right up to a misfit M.
///
/// Labels in [0, 1] have conditional mean link(<w*, psi> + phi) with |phi| <= M, |psi| <= 1 and a G-Lipschitz link with
/// values in [0, 1], so that B = 1/2. D is the surrogate excess over w*.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks", Lemma 7, Theorem 8,
/// Corollary 1. Accuracy: 1e-14 relative.
#pragma once

#include <dpcurves/bounds/glm_phased.hpp>

namespace dpcurves::bounds {

/// Lemma 7: squared risk above the best function of x, at most 4 G D + 2 G^2 M^2 + 4 G M.
/// \param surrogate_excess  D, finite, may be negative. \param lipschitz  G > 0. \param misfit  M >= 0.
/// \throws DomainError outside; so for all below.
[[nodiscard]] double misfit_risk_bound(double surrogate_excess, double lipschitz, double misfit);

/// The sharper 2 G D + G^2 M^2. At fixed x with t = link(c), c = <w*, psi> + phi, the surrogate excess is at least
/// (link(b) - t)^2/(2G) - G phi^2/2.
[[nodiscard]] double sharp_misfit_risk_bound(double surrogate_excess, double lipschitz, double misfit);

/// Theorem 8 for one of the two algorithms between which Algorithm 9 chooses.
struct TwoLayerBound {
  PhasedBound phased;       ///< `projection` is W sqrt(2/m); `risk` is not used
  double risk = 0.0;        ///< Lemma 7 as printed
  double risk_sharp = 0.0;  ///< the sharper Lemma 7
  /// The sharper Lemma 7 with the smaller of W sqrt(2/m) and G W^2/m: for fixed x the error of a projection has mean 0.
  double risk_sharp_projection = 0.0;
};
/// Algorithm 2 or 3 on (psi(x), y). `setting.label_bound` is not read: B = 1/2. \param misfit  M >= 0.
[[nodiscard]] TwoLayerBound two_layer_bound(PhasedSetting setting, double misfit, bool projected);

}  // namespace dpcurves::bounds
