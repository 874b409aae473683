// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Stability of coupled runs that differ in one record, and the population risk that follows.
///
/// Source: Wang et al., "Population Risk Bounds for Kolmogorov-Arnold Networks Trained by DP-SGD with Correlated
/// Noise", Definitions C.14 and C.15, Lemmas C.16 to C.21, Theorems C.22 and 5.2 = C.23. Accuracy 1e-14.
#pragma once

#include <dpcurves/core/field.hpp>
#include <dpcurves/core/verdict.hpp>

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
  double records = 2.0;
  double batch = 1.0;
  double iterates = 1.0;
  double step_size = 1.0;
  double gradient = 1.0;
  double curvature = 1.0;
  double spline = 2.0 / 3.0;
  double splines = 4.0;
  double projection_radius = 1.0;
  double delta_output = 0.05;
  double delta_batch = 0.05;
  double mean_loss = 0.0;
  double sum_expected_loss = 0.0;
  double delta_stability = 0.0;
  static constexpr std::tuple fields{
      required("records", "n", &StabilitySetting::records, "[2, inf)", "records"),
      required("batch", "B", &StabilitySetting::batch, "[1, inf)", "batch size"),
      required("iterates", "T", &StabilitySetting::iterates, "[1, inf)", "iterates"),
      required("step_size", "eta", &StabilitySetting::step_size, "(0, inf)", "step size"),
      required("gradient", "G", &StabilitySetting::gradient, "[0, inf)", "bound of |grad f|"),
      required("curvature", "H", &StabilitySetting::curvature, "[0, inf)", "bound nu of |Hess f|"),
      required("spline", "Bb", &StabilitySetting::spline, "[0, inf)", "sup |b_k|"),
      required("splines", "p", &StabilitySetting::splines, "[1, inf)", "splines per edge"),
      required("projection_radius", "R_star", &StabilitySetting::projection_radius, "[0, inf)", "projection radius"),
      required("delta_output", "delta_f", &StabilitySetting::delta_output, "(0, 1)", "of the outputs"),
      required("delta_batch", "delta_mb", &StabilitySetting::delta_batch, "(0, 1)", "of the batch losses"),
      required("mean_loss", "A", &StabilitySetting::mean_loss, "[0, inf)", "bound of the mean training loss"),
      required("sum_expected_loss", &StabilitySetting::sum_expected_loss, "[0, inf)",
               "sum of expected training losses"),
      required("delta_stability", "delta_stab", &StabilitySetting::delta_stability, "[0, 1]",
               "chance of the event left out")};
};

/// The bound and the conditions that it needs.
struct StabilityBound {
  double output = 0.0;
  double loss = 0.0;
  double batch_excess = 0.0;
  double growth = 0.0;
  Hypothesis growth_bounded{};
  Hypothesis curvature_small{};
  double stability = 0.0;
  static constexpr std::tuple fields{
      result("output", "F", &StabilityBound::output, "F of Lemma C.17"),
      result("loss", "U", &StabilityBound::loss, "U of Lemma C.17"),
      result("batch_excess", &StabilityBound::batch_excess, "Lemma C.19"),
      result("growth", "c20_lhs", &StabilityBound::growth, "left side of Lemma C.20, 4 eta nu (T A + batch_excess)"),
      result("growth_bounded", "cond_c20", &StabilityBound::growth_bounded, "growth <= 1"),
      result("curvature_small", "cond_c16", &StabilityBound::curvature_small,
             "4 nu R_*^2 <= 1 and eta beta <= 1, beta = G^2/4 + nu"),
      result("stability", &StabilityBound::stability, "Theorem C.22: (2 e eta G/n) sum E L_S + 2 R_* delta")};
};
/// \throws DomainError  outside the ranges. Where growth_bounded or curvature_small is false, `stability` is no bound.
[[nodiscard]] StabilityBound stability_bound(const StabilitySetting& setting);

/// Theorem 5.2 = C.23 with its constants: the mean population risk along the run is at most
/// (1 + 4 e eta T G^2/n)(A + delta_opt U_max) + 4 G R_* delta_stab, given the event of the second layer.
struct PopulationSetting {
  double records = 2.0;
  double iterates = 1.0;
  double step_size = 1.0;
  double gradient = 1.0;
  double projection_radius = 1.0;
  double units = 1.0;
  double splines = 4.0;
  double spline = 2.0 / 3.0;
  double mean_loss = 0.0;
  double delta_optimisation = 0.0;
  double delta_stability = 0.0;
  double delta = 0.05;
  static constexpr std::tuple fields{
      required("records", "n", &PopulationSetting::records, "[2, inf)", "records"),
      required("iterates", "T", &PopulationSetting::iterates, "[1, inf)", "iterates"),
      required("step_size", "eta", &PopulationSetting::step_size, "(0, inf)", "step size"),
      required("gradient", "G", &PopulationSetting::gradient, "[0, inf)", "bound of |grad f|"),
      required("projection_radius", "R_star", &PopulationSetting::projection_radius, "[0, inf)", "projection radius"),
      required("units", "m", &PopulationSetting::units, "[1, inf)", "hidden units"),
      required("splines", "p", &PopulationSetting::splines, "[1, inf)", "splines per edge"),
      required("spline", "Bb", &PopulationSetting::spline, "[0, inf)", "sup |b_k|"),
      required("mean_loss", "A", &PopulationSetting::mean_loss, "[0, inf)", "bound of the mean training loss"),
      required("delta_optimisation", "delta_opt", &PopulationSetting::delta_optimisation, "[0, 1]",
               "failure chance of A"),
      required("delta_stability", "delta_stab", &PopulationSetting::delta_stability, "[0, 1]",
               "failure chance of the stability"),
      required("delta", &PopulationSetting::delta, "(0, 1)", "failure chance")};
};
/// The bound and its two factors.
struct PopulationBound {
  double largest_loss = 0.0;
  double factor = 1.0;
  double risk = 0.0;
  static constexpr std::tuple fields{
      result("largest_loss", "U_max", &PopulationBound::largest_loss,
             "U_max = log 2 + B_b sqrt p (4 sqrt(p m) + 2 sqrt(log(2/delta))) + G R_*"),
      result("factor", &PopulationBound::factor, "1 + 4 e eta T G^2/n"),
      result("risk", "bound", &PopulationBound::risk, "of the mean population risk along the run, at most")};
};
/// \throws DomainError  outside the ranges.
[[nodiscard]] PopulationBound population_bound(const PopulationSetting& setting);

}  // namespace dpcurves::bounds
