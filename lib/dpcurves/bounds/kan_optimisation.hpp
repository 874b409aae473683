// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The training loss of a KAN under clipped mini-batch SGD with correlated noise: pathwise, with high probability with
/// every constant, and as the rate of the paper.
///
/// Source: Wang et al., "Population Risk Bounds for Kolmogorov-Arnold Networks Trained by DP-SGD with Correlated
/// Noise", Lemmas C.2, C.3, C.11, C.12, Theorem 4.1 = C.13, Remark 4.2. Accuracy 1e-14.
#pragma once

#include <dpcurves/bounds/kan_concentration.hpp>
#include <dpcurves/core/field.hpp>
#include <dpcurves/core/verdict.hpp>
#include <dpcurves/models/kan_constants.hpp>

namespace dpcurves::bounds {

/// What a path has, or what lemmas allow it: upper bounds of its energies and its cross terms.
struct PathEnergies {
  double noise = 0.0;      ///< V_Z >= sum over t of |Z_{t-1}|^2
  double batch = 0.0;      ///< V_D >= sum |D_t|^2
  double potential = 0.0;  ///< M >= every partial sum of the cross terms
};

/// Lemma C.3, for any W*: if radius_squared <= Rbar^2, nu (Rbar + eta c z)^2 <= 1/2 and eta <= 1/(12 beta), then
/// |U_t - W*| <= Rbar throughout and the mean of L_S along the run is at most `mean_loss`.
struct PathwiseBound {
  double radius_squared = 0.0;  ///< the left side of (10)
  double mean_loss = 0.0;  ///< 8 L_S(W*) + 3/(eta T) (|W_0 - W*|^2 + M + the energies of batches and noise, weighted)
};
/// \param comparator_loss  L_S(W*) >= 0. \param distance_squared  |W_0 - W*|^2 >= 0. \param smoothness  beta > 0.
[[nodiscard]] PathwiseBound pathwise_bound(const NoisyRun& run, double smoothness, const PathEnergies& energies,
                                           double comparator_loss, double distance_squared);

/// The factor ((1 - lambda)^2 eta^2 + 12 beta lambda^2 eta^3) c^2 of V_Z in (10).
[[nodiscard]] double noise_factor(const NoisyRun& run, double smoothness);

/// Lemma C.12: W_0 + tau u has training loss at most 1/T with probability at least 1 - delta, if H(delta/2) <= gamma/(2
/// tau).
struct Comparator {
  double length = 0.0;           ///< tau = max(4 log T, 2 B_b sqrt(2 p log(2 n/delta)))/gamma
  double largest_hessian = 0.0;  ///< gamma/(2 tau), infinite for tau = 0
};
/// \param iterates  T. \param spline  B_b. \param splines  p. \param records  n. \param margin  gamma in (0, 1].
[[nodiscard]] Comparator comparator(double iterates, double spline, double splines, double records, double margin,
                                    double delta);

/// The width m at which the worst-case H(delta/2) falls to `largest_hessian`; at least 1.
[[nodiscard]] double required_width(const models::KanBounds& bounds, double delta, double largest_hessian);

/// Theorem 4.1 with every constant.
struct OptimisationSetting {
  NoisyRun run;  ///< T, B, eta, lambda and the noise
  double records = 2.0;
  double parameters = 1.0;
  double splines = 4.0;
  double spline = 2.0 / 3.0;
  double clip = 1.0;
  double margin = 1.0;
  double delta = 0.05;
  double gradient = 1.0;
  double curvature = 1.0;
  double smoothness = 1.0;
  double comparator_hessian = 1.0;
  static constexpr std::tuple fields{
      part(&OptimisationSetting::run),
      required("records", "n", &OptimisationSetting::records, "[2, inf)", "records"),
      required("parameters", "D", &OptimisationSetting::parameters, "[1, inf)", "parameters m d p"),
      required("splines", "p", &OptimisationSetting::splines, "[1, inf)", "splines per edge"),
      optional("spline", "Bb", &OptimisationSetting::spline, "[0, inf)", "sup |b_k|"),
      required("clip", "C_clip", &OptimisationSetting::clip, "(0, inf)", "clip norm"),
      required("margin", "gamma", &OptimisationSetting::margin, "(0, 1]", "NTK margin"),
      required("delta", &OptimisationSetting::delta, "(0, 1)", "failure chance"),
      required("gradient", "G", &OptimisationSetting::gradient, "[0, inf)", "bound of |grad f|"),
      required("curvature", "H", &OptimisationSetting::curvature, "[0, inf)", "bound nu of |Hess f|"),
      required("smoothness", "beta", &OptimisationSetting::smoothness, "[0, inf)", "smoothness"),
      required("comparator_hessian", "H_half", &OptimisationSetting::comparator_hessian, "[0, inf)",
               "bound of |Hess f| at failure chance delta/10")};
};

/// Values are given also where a condition fails; they then promise nothing. Even where all hold the bound is far above
/// the loss at the start for any size that can be run: a check of the conditions, no prediction.
struct OptimisationBound {
  double comparator_length = 0.0;
  double radius = 0.0;
  double potential = 0.0;
  double mean_loss = 0.0;
  double least_projection_radius = 0.0;
  Hypothesis step_small{};
  Hypothesis curvature_small{};
  Hypothesis comparator_exists{};
  Hypothesis clip_inactive{};

  /// Of the theorem: its conditions, and what it takes for granted.
  [[nodiscard]] Verdict verdict() const;
  static constexpr std::tuple fields{
      result("comparator_length", "tau", &OptimisationBound::comparator_length, "tau"),
      result("radius", "Rbar", &OptimisationBound::radius, "Rbar, the least that solves (10)"),
      result("potential", "M_pot", &OptimisationBound::potential, "M at Rbar"),
      result("mean_loss", "bound", &OptimisationBound::mean_loss,
             "of L_S along the run, at most, with probability at least 1 - delta if applies()"),
      result("least_projection_radius", "R_star_min", &OptimisationBound::least_projection_radius,
             "R_* >= Rbar + tau + eta c z"),
      result("step_small", "cond_eta", &OptimisationBound::step_small, "eta <= 1/(12 beta)"),
      result("curvature_small", "cond_curvature", &OptimisationBound::curvature_small, "nu (Rbar + eta c z)^2 <= 1/2"),
      result("comparator_exists", "cond_comparator", &OptimisationBound::comparator_exists,
             "H(delta/10) <= gamma/(2 tau)"),
      result("clip_inactive", "cond_clip", &OptimisationBound::clip_inactive, "C_clip >= G")};
};
/// \throws DomainError  outside the ranges. O(1).
[[nodiscard]] OptimisationBound optimisation_bound(const OptimisationSetting& setting);

/// A_corr of Theorem 4.1, a rate: every unnamed constant and polylogarithm 1.
struct OptimisationRate {
  double drift = 0.0;
  double batch_cross = 0.0;
  double batch = 0.0;
  double noise_cross = 0.0;
  double noise = 0.0;
  /// A_corr: what the mean training loss is at most, up to constants and logarithms.
  [[nodiscard]] double sum() const { return drift + batch_cross + batch + noise_cross + noise; }
  static constexpr std::tuple fields{
      result("drift", &OptimisationRate::drift, "1/(gamma^2 eta T)"),
      result("batch_cross", &OptimisationRate::batch_cross, "1/(gamma sqrt(B T))"),
      result("batch", &OptimisationRate::batch, "eta (1/B + 1/T)"),
      result("noise_cross", &OptimisationRate::noise_cross,
             "(1 - lambda) kappa/(B sqrt T) (1/gamma + eta sqrt(m d)/sqrt B)"),
      result("noise", &OptimisationRate::noise, "((1 - lambda)^2 + lambda^2 eta) eta kappa^2 m d/B^2")};
};
/// What the rate depends on.
struct RateSetting {
  double margin = 1.0;
  double step_size = 1.0;
  double iterates = 1.0;
  double batch = 1.0;
  double correlation = 0.0;
  double noise_multiplier = 0.0;
  double units = 1.0;
  double inputs = 1.0;
  static constexpr std::tuple fields{
      required("margin", "gamma", &RateSetting::margin, "(0, 1]", "NTK margin"),
      required("step_size", "eta", &RateSetting::step_size, "(0, inf)", "step size"),
      required("iterates", "T", &RateSetting::iterates, "[1, inf)", "iterates"),
      required("batch", "B", &RateSetting::batch, "[1, inf)", "batch size"),
      required("correlation", "lambda", &RateSetting::correlation, "[0, 1]", "noise correlation"),
      required("noise_multiplier", "kappa", &RateSetting::noise_multiplier, "[0, inf)", "noise multiplier"),
      required("units", "m", &RateSetting::units, "[1, inf)", "hidden units"),
      required("inputs", "d", &RateSetting::inputs, "[1, inf)", "inputs")};
};
/// \throws DomainError  outside the ranges.
[[nodiscard]] OptimisationRate optimisation_rate(const RateSetting& setting);

/// Remark 4.2, corrected: (1 - lambda)^2 + lambda^2 eta at fixed kappa is least at 1/(1 + eta), not at 1.
[[nodiscard]] double best_correlation(double step_size);

}  // namespace dpcurves::bounds
