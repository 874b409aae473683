// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// How long the gradient of one sample of the two-layer ReLU network can be, and how much of it clipping leaves.
///
/// A sample has a signal patch u and a noise patch xi, orthogonal to each other; the network has m filters per class
/// and the second layer 1/m. Its gradient over all filters together is cut to the length C by the multiplier
/// h = 1/max(1, norm/C).
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", section 3 and Lemma 20. Lengths in one common unit; all functions throw DomainError outside the ranges given
/// here; accuracy 1e-15, O(1).
#pragma once

namespace dpcurves::bounds {

/// Lambda = C/(|u| + |A|_F), the clipping factor of the theorems; may exceed 1.
/// \param clip  C in (0, inf). \param signal_norm, noise_frobenius  >= 0, finite, not both 0.
[[nodiscard]] double clipping_factor(double clip, double signal_norm, double noise_frobenius);

/// Lemma 20: |gradient| <= sqrt(2/m) (1 - p_y) sqrt(|u|^2 + |xi|^2), for every weight matrix. Two classes with all
/// filters active attain it.
/// \param filters  m >= 1, whole. \param residual  1 - p_y in [0, 1]. \param noise_norm_squared  |xi|^2 >= 0.
[[nodiscard]] double gradient_norm_bound(double filters, double residual, double signal_norm,
                                         double noise_norm_squared);

/// Lemma 20: h >= min(1, C sqrt(m)/sqrt(2 (|u|^2 + |xi|^2))); at least min(1, sqrt(m/3) Lambda) when |xi|^2 <= 1.5
/// |A|_F^2. The printed form lacks the min{1, .}.
/// \param clip  in (0, inf]; infinity is no clipping: 1.
[[nodiscard]] double clip_multiplier_lower_bound(double clip, double filters, double signal_norm,
                                                 double noise_norm_squared);

}  // namespace dpcurves::bounds
