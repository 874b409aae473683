// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Theorem 1: how much of a training sample's noise patch a filter has taken in after T steps of DP-SGD.
///
/// Claim: for a training pair (x, y) and the filters r of class y that are active on its noise patch xi,
/// <w_{y,r}^(T), xi> >= U. The claim is an order statement: c1 and c2 are not fixed by the paper, the defaults are 1.
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", Theorem 1, under Condition 1, Assumption 1 and T >= c n sqrt(m) sigma_0/(eta Lambda |A|_F). The statement's
/// noise term lacks the number of steps (docs/errata.md).
#pragma once

namespace dpcurves::bounds {

/// A sample, a run of DP-SGD, and the constants that the paper leaves open.
struct NoiseMemorization {
  double step_size = 1.0;             ///< eta > 0
  double clipping_factor = 1.0;       ///< Lambda > 0
  double records = 1.0;               ///< n >= 1, whole
  double filters = 1.0;               ///< m >= 1, whole
  double steps = 1.0;                 ///< T >= 1, whole
  double summed_residuals = 0.0;      ///< G = sum over t < T of 1 - p_y^(t), in [0, T]
  double noise_norm_squared = 0.0;    ///< |xi|^2 of the sample, in `lead`
  double noise_norm = 0.0;            ///< |xi| in the radius of `sharp`; may be an upper bound
  double private_noise = 0.0;         ///< sigma_n >= 0, standard deviation per coordinate of the averaged gradient
  double noise_frobenius = 0.0;       ///< |A_y|_F
  double failure_probability = 0.05;  ///< delta of `sharp`, in (0, 1)
  double lead_constant = 1.0;         ///< c1 > 0
  double noise_constant = 1.0;        ///< c2 > 0
};

/// The lower bound U of the stored noise in four forms.
struct NoiseMemorizationBound {
  double lead = 0.0;    ///< c1 eta Lambda G |xi|^2/(n sqrt m)
  double stated = 0.0;  ///< lead - c2 eta sigma_n |A|_F: the printed form, false from T of about 10 on
  double proof = 0.0;   ///< lead - c2 eta T sigma_n |A|_F: the appendix, valid and loose
  double sharp = 0.0;   ///< lead - eta sigma_n sqrt(T) |xi| sqrt(2 log(2/delta)): the exact law of the summed noise
};

/// \throws DomainError  outside the ranges. Accuracy: 1e-15 of the larger term. O(1).
[[nodiscard]] NoiseMemorizationBound noise_memorization(const NoiseMemorization& setting);

/// Radius of eta times the sum over `steps` of <n_t, v>, n_t independent N(0, sigma_n^2 I), with probability 1 - delta:
/// eta sigma_n sqrt(T) |v| sqrt(2 log(2/delta)).
[[nodiscard]] double accumulated_noise_radius(double step_size, double private_noise, double steps, double length,
                                              double failure_probability);

}  // namespace dpcurves::bounds
