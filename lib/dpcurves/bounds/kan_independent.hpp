// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Independent and no noise: the bounds of DP-SGD with lambda = 0 and of plain SGD.
///
/// Source: Wang et al., "Population Risk Bounds for Kolmogorov-Arnold Networks Trained by DP-SGD with Correlated
/// Noise", Lemmas D.11 and D.12, Theorems D.13, D.14 and E.1. Accuracy 1e-14.
#pragma once

namespace dpcurves::bounds {

/// A run with independent noise. Ranges as in NoisyRun and OptimisationSetting.
struct IndependentNoiseSetting {
  double parameters = 1.0;         ///< D = m d p
  double iterates = 1.0;           ///< T
  double batch = 1.0;              ///< B
  double step_size = 1.0;          ///< eta
  double gradient = 1.0;           ///< G
  double private_noise = 0.0;      ///< c >= 0
  double projection_radius = 1.0;  ///< R_*
  double delta = 0.05;             ///< four events of delta/4
  double comparator_loss = 0.0;    ///< L_S(W*)
  double distance_squared = 0.0;   ///< |W_0 - W*|^2
};

/// Lemma D.12 and Theorem D.13, which asks for 8 nu R_*^2 <= 1 and eta <= 1/(12 beta).
struct IndependentNoiseBound {
  double batch_energy = 0.0;  ///< (a)
  double noise_energy = 0.0;  ///< (b)
  double batch_cross = 0.0;   ///< (c), 6 sqrt 2 G R_* sqrt(T log(8/delta)/B)
  double noise_cross = 0.0;   ///< (d), 6 sqrt 2 c R_* sqrt(T log(8/delta))
  double mean_loss = 0.0;     ///< of L_S(W_{t-1}) over t <= T, at most, with probability at least 1 - delta
};
/// \throws DomainError  outside the ranges. O(1).
[[nodiscard]] IndependentNoiseBound independent_noise_bound(const IndependentNoiseSetting& setting);

/// Lemma D.11, deterministic: what L_S(W_{t-1}) is at most.
struct DescentStep {
  double step_size = 1.0;        ///< eta > 0
  double private_noise = 0.0;    ///< c
  double comparator_loss = 0.0;  ///< L_S(W*)
  double distance_before = 0.0;  ///< |W_{t-1} - W*|^2
  double distance_after = 0.0;   ///< |W_t - W*|^2
  double batch_squared = 0.0;    ///< |D_t|^2
  double noise_squared = 0.0;    ///< |Z_t|^2
  double cross = 0.0;            ///< <D_t + c Z_t, W_{t-1} - W*>
};
/// From one iterate to the next, on every path: no probability is involved.
[[nodiscard]] double descent_step_bound(const DescentStep& step);

/// A_van of Theorem D.14, a rate: constants 1, logarithms as displayed.
struct IndependentRateSetting {
  double margin = 1.0;            ///< gamma in (0, 1]
  double step_size = 1.0;         ///< eta > 0
  double iterates = 1.0;          ///< T >= 1
  double batch = 1.0;             ///< B >= 1
  double noise_multiplier = 0.0;  ///< kappa >= 0
  double units = 1.0;             ///< m >= 1
  double inputs = 1.0;            ///< d >= 1
  double records = 2.0;           ///< n >= 2
  double delta = 0.05;            ///< in (0, 1)
};
/// Of the mean training loss. It shows how a bound scales, never its size.
[[nodiscard]] double independent_noise_rate(const IndependentRateSetting& setting);

/// A_non of Theorem E.1 and the population rate (1 + eta T/n)(A + delta) + delta/gamma; constants 1.
struct NonPrivateRate {
  double optimisation = 0.0;  ///< A_non, of the mean training loss
  double population = 0.0;    ///< of the population risk
};
/// \param delta  in [0, 1).
[[nodiscard]] NonPrivateRate non_private_rate(double margin, double step_size, double iterates, double batch,
                                              double records, double delta);

}  // namespace dpcurves::bounds
