// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Independent and no noise: the bounds of DP-SGD with lambda = 0 and of plain SGD.
///
/// Source: Wang et al., "Population Risk Bounds for Kolmogorov-Arnold Networks Trained by DP-SGD with Correlated
/// Noise", Lemmas D.11 and D.12, Theorems D.13, D.14 and E.1. Accuracy 1e-14.
#pragma once

#include <dpcurves/core/field.hpp>

namespace dpcurves::bounds {

/// A run with independent noise. Ranges as in NoisyRun and OptimisationSetting.
struct IndependentNoiseSetting {
  double parameters = 1.0;
  double iterates = 1.0;
  double batch = 1.0;
  double step_size = 1.0;
  double gradient = 1.0;
  double private_noise = 0.0;
  double projection_radius = 1.0;
  double delta = 0.05;
  double comparator_loss = 0.0;
  double distance_squared = 0.0;
  static constexpr std::tuple fields{
      required("parameters", "D", &IndependentNoiseSetting::parameters, "[1, inf)", "parameters m d p"),
      required("iterates", "T", &IndependentNoiseSetting::iterates, "[1, inf)", "iterates"),
      required("batch", "B", &IndependentNoiseSetting::batch, "[1, inf)", "batch size"),
      required("step_size", "eta", &IndependentNoiseSetting::step_size, "(0, inf)", "step size"),
      required("gradient", "G", &IndependentNoiseSetting::gradient, "[0, inf)", "bound of |grad f|"),
      required("private_noise", "c_priv", &IndependentNoiseSetting::private_noise, "[0, inf)",
               "C_clip kappa/B: standard deviation per coordinate"),
      required("projection_radius", "R_star", &IndependentNoiseSetting::projection_radius, "[0, inf)",
               "projection radius"),
      required("delta", &IndependentNoiseSetting::delta, "(0, 1)", "failure chance"),
      required("comparator_loss", "LS_star", &IndependentNoiseSetting::comparator_loss, "[0, inf)",
               "training loss at the comparator"),
      required("distance_squared", "dist0_sq", &IndependentNoiseSetting::distance_squared, "[0, inf)",
               "squared distance of the comparator from the start")};
};

/// Lemma D.12 and Theorem D.13, which asks for 8 nu R_*^2 <= 1 and eta <= 1/(12 beta).
struct IndependentNoiseBound {
  double batch_energy = 0.0;
  double noise_energy = 0.0;
  double batch_cross = 0.0;
  double noise_cross = 0.0;
  double mean_loss = 0.0;
  static constexpr std::tuple fields{
      result("batch_energy", "V_Delta", &IndependentNoiseBound::batch_energy, "(a)"),
      result("noise_energy", "V_Z", &IndependentNoiseBound::noise_energy, "(b)"),
      result("batch_cross", "M_Delta", &IndependentNoiseBound::batch_cross,
             "(c), 6 sqrt 2 G R_* sqrt(T log(8/delta)/B)"),
      result("noise_cross", "M_Z", &IndependentNoiseBound::noise_cross, "(d), 6 sqrt 2 c R_* sqrt(T log(8/delta))"),
      result("mean_loss", "bound", &IndependentNoiseBound::mean_loss,
             "of L_S(W_{t-1}) over t <= T, at most, with probability at least 1 - delta")};
};
/// \throws DomainError  outside the ranges. O(1).
[[nodiscard]] IndependentNoiseBound independent_noise_bound(const IndependentNoiseSetting& setting);

/// A step of projected DP-SGD with independent noise, W_t = P(W_{t-1} - eta (grad L_S + D_t + c Z_t)), seen from a
/// point W* of the ball.
struct DescentStep {
  double step_size = 1.0;
  double private_noise = 0.0;
  double comparator_loss = 0.0;
  double distance_before = 0.0;
  double distance_after = 0.0;
  double batch_squared = 0.0;
  double noise_squared = 0.0;
  double cross = 0.0;
  double curvature = 0.0;
  double radius = 0.0;
  double smoothness = 0.0;
  static constexpr std::tuple fields{
      required("step_size", "eta", &DescentStep::step_size, "(0, inf)", "step size"),
      required("private_noise", "c_priv", &DescentStep::private_noise, "[0, inf)",
               "standard deviation per coordinate of the noise"),
      required("comparator_loss", "LS_star", &DescentStep::comparator_loss, "[0, inf)", "training loss at W*"),
      required("distance_before", "dist_before_sq", &DescentStep::distance_before, "[0, inf)", "|W_{t-1} - W*|^2"),
      required("distance_after", "dist_after_sq", &DescentStep::distance_after, "[0, inf)", "|W_t - W*|^2"),
      required("batch_squared", "D_sq", &DescentStep::batch_squared, "[0, inf)",
               "|D_t|^2, D_t the batch gradient less the full one"),
      required("noise_squared", "Z_sq", &DescentStep::noise_squared, "[0, inf)", "|Z_t|^2"),
      required("cross", &DescentStep::cross, "(-inf, inf)", "<D_t + c Z_t, W_{t-1} - W*>"),
      optional("curvature", "H", &DescentStep::curvature, "[0, inf)", "bound nu of |Hess f|; 0 for linear predictors"),
      optional("radius", "R_star", &DescentStep::radius, "[0, inf)", "projection radius R"),
      optional("smoothness", "beta", &DescentStep::smoothness, "[0, inf)", "of the loss")};
};
/// Lemma D.11: what L_S(W_{t-1}) is at most, on every path: no probability is involved.
/// \throws DomainError  outside the ranges and where its conditions fail, 8 nu R^2 <= 1 and eta <= 1/(12 beta). O(1).
[[nodiscard]] double descent_step_bound(const DescentStep& step);

/// A_van of Theorem D.14, a rate: constants 1, logarithms as displayed.
struct IndependentRateSetting {
  double margin = 1.0;
  double step_size = 1.0;
  double iterates = 1.0;
  double batch = 1.0;
  double noise_multiplier = 0.0;
  double units = 1.0;
  double inputs = 1.0;
  double records = 2.0;
  double delta = 0.05;
  static constexpr std::tuple fields{
      required("margin", "gamma", &IndependentRateSetting::margin, "(0, 1]", "NTK margin"),
      required("step_size", "eta", &IndependentRateSetting::step_size, "(0, inf)", "step size"),
      required("iterates", "T", &IndependentRateSetting::iterates, "[1, inf)", "iterates"),
      required("batch", "B", &IndependentRateSetting::batch, "[1, inf)", "batch size"),
      required("noise_multiplier", "kappa", &IndependentRateSetting::noise_multiplier, "[0, inf)", "noise multiplier"),
      required("units", "m", &IndependentRateSetting::units, "[1, inf)", "hidden units"),
      required("inputs", "d", &IndependentRateSetting::inputs, "[1, inf)", "inputs"),
      required("records", "n", &IndependentRateSetting::records, "[2, inf)", "records"),
      required("delta", &IndependentRateSetting::delta, "(0, 1)", "failure chance")};
};
/// Of the mean training loss. It shows how a bound scales, never its size.
[[nodiscard]] double independent_noise_rate(const IndependentRateSetting& setting);

/// A_non of Theorem E.1 and the population rate (1 + eta T/n)(A + delta) + delta/gamma; constants 1.
struct NonPrivateRate {
  double optimisation = 0.0;
  double population = 0.0;
  static constexpr std::tuple fields{
      result("optimisation", "A", &NonPrivateRate::optimisation, "A_non, of the mean training loss"),
      result("population", &NonPrivateRate::population, "of the population risk")};
};
/// \param delta  in [0, 1).
[[nodiscard]] NonPrivateRate non_private_rate(double margin, double step_size, double iterates, double batch,
                                              double records, double delta);

}  // namespace dpcurves::bounds
