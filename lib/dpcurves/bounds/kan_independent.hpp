// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Independent and no noise: the bounds of DP-SGD with lambda = 0 and of plain SGD.
///
/// Source: Wang et al., "Population Risk Bounds for Kolmogorov-Arnold Networks Trained by DP-SGD with Correlated
/// Noise", Lemmas D.11 and D.12, Theorems D.13, D.14 and E.1. Accuracy 1e-14.
#pragma once

namespace dpcurves::bounds {

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
  double mean_loss = 0.0;
};
[[nodiscard]] IndependentNoiseBound independent_noise_bound(const IndependentNoiseSetting& setting);

/// Lemma D.11, deterministic: what L_S(W_{t-1}) is at most.
struct DescentStep {
  double step_size = 1.0;
  double private_noise = 0.0;    ///< c
  double comparator_loss = 0.0;  ///< L_S(W*)
  double distance_before = 0.0;  ///< |W_{t-1} - W*|^2
  double distance_after = 0.0;   ///< |W_t - W*|^2
  double batch_squared = 0.0;    ///< |D_t|^2
  double noise_squared = 0.0;    ///< |Z_t|^2
  double cross = 0.0;            ///< <D_t + c Z_t, W_{t-1} - W*>
};
[[nodiscard]] double descent_step_bound(const DescentStep& step);

/// A_van of Theorem D.14, a rate: constants 1, logarithms as displayed.
struct IndependentRateSetting {
  double margin = 1.0, step_size = 1.0, iterates = 1.0, batch = 1.0, noise_multiplier = 0.0, units = 1.0, inputs = 1.0,
         records = 2.0, delta = 0.05;
};
[[nodiscard]] double independent_noise_rate(const IndependentRateSetting& setting);

/// A_non of Theorem E.1 and the population rate (1 + eta T/n)(A + delta) + delta/gamma; constants 1.
struct NonPrivateRate {
  double optimisation = 0.0;
  double population = 0.0;
};
/// \param delta  in [0, 1).
[[nodiscard]] NonPrivateRate non_private_rate(double margin, double step_size, double iterates, double batch,
                                              double records, double delta);

}  // namespace dpcurves::bounds
