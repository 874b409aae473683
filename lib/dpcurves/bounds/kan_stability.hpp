// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Stability of coupled runs that differ in one record, and the population risk that follows.
///
/// Source: Wang et al., "Population Risk Bounds for Kolmogorov-Arnold Networks Trained by DP-SGD with Correlated
/// Noise", Definitions C.14 and C.15, Lemmas C.16 to C.21, Theorems C.22 and 5.2 = C.23. Accuracy 1e-14.
#pragma once

namespace dpcurves::bounds {

/// Lemma C.16: one step of the distance of coupled runs, given both batch losses.
///
/// Delta' <= (1 + 2 nu eta (L_B + L_B')) Delta + (eta G/B) 1{record in batch} (ell + ell').
struct StabilityStep {
  double curvature = 0.0;  ///< nu
  double gradient = 0.0;   ///< G
  double step_size = 0.0;  ///< eta
  double batch = 1.0;      ///< B
};
/// \param batch_losses   L_B + L_B' >= 0. \param record_losses  ell + ell' of the record that differs if it is in the
///                        batch, else 0.
[[nodiscard]] double next_distance(const StabilityStep& step, double distance, double batch_losses,
                                   double record_losses);

/// A pair of coupled runs on data sets that differ in one record.
struct StabilitySetting {
  double records = 2.0;            ///< n
  double batch = 1.0;              ///< B
  double iterates = 1.0;           ///< T
  double step_size = 1.0;          ///< eta
  double gradient = 1.0;           ///< G
  double curvature = 1.0;          ///< nu
  double spline = 2.0 / 3.0;       ///< B_b
  double splines = 4.0;            ///< p
  double projection_radius = 1.0;  ///< R_*
  double delta_output = 0.05;      ///< of Lemma C.17
  double delta_batch = 0.05;       ///< of Lemma C.19
  double mean_loss = 0.0;          ///< A, a bound of the mean training loss along the run
  double sum_expected_loss = 0.0;  ///< sum over t of E L_S(W_t)
  double delta_stability = 0.0;    ///< chance of the event outside which nothing is known
};

/// The bound and the conditions that it needs.
struct StabilityBound {
  double output = 0.0;           ///< F of Lemma C.17
  double loss = 0.0;             ///< U of Lemma C.17
  double batch_excess = 0.0;     ///< Lemma C.19
  double growth = 0.0;           ///< left side of Lemma C.20, 4 eta nu (T A + batch_excess)
  bool growth_bounded = false;   ///< growth <= 1
  bool curvature_small = false;  ///< 4 nu R_*^2 <= 1 and eta beta <= 1, beta = G^2/4 + nu
  double stability = 0.0;        ///< Theorem C.22: (2 e eta G/n) sum E L_S + 2 R_* delta
};
/// \throws DomainError  outside the ranges. Where growth_bounded or curvature_small is false, `stability` is no bound.
[[nodiscard]] StabilityBound stability_bound(const StabilitySetting& setting);

/// Theorem 5.2 = C.23 with its constants: the mean population risk along the run is at most
/// (1 + 4 e eta T G^2/n)(A + delta_opt U_max) + 4 G R_* delta_stab, given the event of the second layer.
struct PopulationSetting {
  double records = 2.0;             ///< n
  double iterates = 1.0;            ///< T
  double step_size = 1.0;           ///< eta
  double gradient = 1.0;            ///< G
  double projection_radius = 1.0;   ///< R_*
  double units = 1.0;               ///< m
  double splines = 4.0;             ///< p
  double spline = 2.0 / 3.0;        ///< B_b
  double mean_loss = 0.0;           ///< A
  double delta_optimisation = 0.0;  ///< delta_opt: chance that the bound A of the training loss fails
  double delta_stability = 0.0;     ///< delta_stab: chance that stability fails
  double delta = 0.05;              ///< of the second layer
};
/// The bound and its two factors.
struct PopulationBound {
  double largest_loss = 0.0;  ///< U_max = log 2 + B_b sqrt p (4 sqrt(p m) + 2 sqrt(log(2/delta))) + G R_*
  double factor = 1.0;        ///< 1 + 4 e eta T G^2/n
  double risk = 0.0;          ///< of the mean population risk along the run, at most
};
/// \throws DomainError  outside the ranges.
[[nodiscard]] PopulationBound population_bound(const PopulationSetting& setting);

}  // namespace dpcurves::bounds
