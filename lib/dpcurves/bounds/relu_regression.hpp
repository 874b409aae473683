// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Private ReLU regression: projected noisy gradient descent (Theorem 6) and batched descent without a well-specified
/// model (Theorem 7, for features whose law is isotropic and symmetric).
///
/// For symmetric isotropic x: E relu(<w,x>) x = w/2, the surrogate has gradient w/2 - E[y x], minimiser 2 E[y x] and
/// strong convexity 1/2 exactly, and E(relu(<w,x>) - relu(<v,x>))^2 <= |w - v|^2/2.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks", Theorems 6 and 7, Lemmas 11,
/// 12 and 15, with the squares that are missing in its equation (11). Accuracy: 1e-14.
#pragma once

#include <dpcurves/core/field.hpp>

namespace dpcurves::bounds {

/// Algorithm 7: T steps on all n records projected to R^m, noise of projected_descent_variance.
struct ProjectedDescentSetting {
  double records = 2.0;
  double projected_dimension = 1.0;
  double steps = 1.0;
  double step_size = 0.5;
  double epsilon = 1.0;
  double delta = 1e-5;
  double label_bound = 1.0;
  double parameter_norm = 1.0;
  static constexpr std::tuple fields{
      required("records", "n", &ProjectedDescentSetting::records, whole("[2, 9e18]"), "records"),
      required("projected_dimension", "m", &ProjectedDescentSetting::projected_dimension, whole("[1, inf)"),
               "dimension of the projection"),
      required("steps", "T", &ProjectedDescentSetting::steps, whole("[1, inf)"), "steps"),
      required("step_size", "eta", &ProjectedDescentSetting::step_size, "(0, 0.5]",
               "step size; the stability term needs eta <= 1/2"),
      required("epsilon", "eps", &ProjectedDescentSetting::epsilon, "(0, inf)",
               "epsilon of the privacy target; the paper takes it at most 1"),
      required("delta", &ProjectedDescentSetting::delta, "(0, 1)", "delta of the privacy target"),
      required("label_bound", "B", &ProjectedDescentSetting::label_bound, "(0, inf)", "labels lie in [-B, B]"),
      required("parameter_norm", "W", &ProjectedDescentSetting::parameter_norm, "[0, inf)", "bound on |w*|")};
};

/// Theorem 6, in units of the surrogate risk, in expectation on the event |Phi x| <= 2 of the records.
struct ProjectedDescentBound {
  double noise_variance = 0.0;  ///< s^2 per coordinate and step
  double start = 0.0;           ///< W^2/(2 eta T)
  double noise = 0.0;           ///< eta m s^2/2
  double gradients = 0.0;       ///< 2 eta (4W + B)^2
  double stability = 0.0;       ///< 4 (4W + B)^2 eta (T - 1)/n
  double projection = 0.0;      ///< W^2/m
  double surrogate = 0.0;       ///< the sum
  double risk = 0.0;            ///< twice the sum
};
/// \throws DomainError for values outside the ranges above.
[[nodiscard]] ProjectedDescentBound projected_descent_bound(const ProjectedDescentSetting& setting);

/// L_P(w) <= 2(1 + 2 mu_up) opt + 4 mu_up |gradient|^2 with mu_up = 2: 10 opt + 8 |w/2 - E[y x]|^2, opt the least
/// squared risk. The paper prints the gradient without its square, which fails: y = 0, |w| = 10 has risk 50,
/// gradient 5. \param best_risk, gradient_norm  >= 0. \throws DomainError outside.
[[nodiscard]] double misspecified_risk_bound(double best_risk, double gradient_norm);
/// As printed, 10 opt + 8 |gradient|: false.
[[nodiscard]] double printed_misspecified_risk_bound(double best_risk, double gradient_norm);

/// T = ceil(ln(alpha/|w_ell*|)/ln(1 - tau eta/2)), tau = 1/6, at least 1: batches of Algorithm 8 after which the start
/// is forgotten up to alpha. \param step_size  in (0, 1/16]. \param accuracy, minimiser_norm  > 0. \throws DomainError
/// outside.
[[nodiscard]] double batched_descent_steps(double accuracy, double minimiser_norm, double step_size);

/// Lemma 15 with the factor that its proof drops: |w_i - w_ell*|^2 <= (1 - tau eta) |w_{i-1} - w_ell*|^2 +
/// 2 eta (2 eta + 1/tau) (|gradient at w_ell*|^2 + |noise|^2).
/// \param step_size  in (0, 1/8]. \throws DomainError outside.
struct BatchedDescentStep {
  double contraction = 1.0;    ///< 1 - tau eta
  double amplification = 0.0;  ///< 2 eta (2 eta + 1/tau)
};
/// \throws DomainError  unless step_size is in (0, 1/8].
[[nodiscard]] BatchedDescentStep batched_descent_step(double step_size);

/// The least |gradient of L^ell_P(w_T)| that leaves a risk of at most 10 opt + alpha/2: sqrt(alpha/(4 mu_up)). The
/// paper asks for alpha/(4 mu_up), more than is needed. \param accuracy  alpha > 0. \throws DomainError outside.
[[nodiscard]] double sufficient_gradient(double accuracy);

/// Sample sizes of Theorem 7 with every hidden constant 1, d records of dimension d: a rate, no guarantee.
struct BatchedDescentRate {
  double privacy = 0.0;     ///< d^(3/2) |w_ell*| sqrt(ln(1/delta) ln(1/zeta))/(epsilon alpha), with the corrected noise
  double statistics = 0.0;  ///< |w_ell*|^2 d ln(d/zeta)^4/alpha^2
  double sharper = 0.0;     ///< the larger of both with sqrt(alpha) and alpha in place of alpha and alpha^2
};
/// What the rate depends on.
struct BatchedDescentRateSetting {
  double dimension = 1.0;       ///< d >= 1
  double minimiser_norm = 1.0;  ///< |w_ell*| > 0
  double epsilon = 1.0;         ///< > 0
  double delta = 1e-5;          ///< in (0, 1)
  double accuracy = 0.1;        ///< alpha > 0, of the risk
  double failure = 0.05;        ///< zeta in (0, 1)
};
/// \throws DomainError  outside the ranges. Shows how sizes scale, never how many records are enough.
[[nodiscard]] BatchedDescentRate batched_descent_rate(const BatchedDescentRateSetting& setting);

/// One step of Algorithm 8 with labels of conditional mean relu(<v, x>), x uniform on the sphere of radius sqrt(d).
struct OneBatchSetting {
  double dimension = 1.0;
  double norm = 0.0;
  double true_norm = 0.0;
  double cosine = 1.0;
  double label_variance = 0.0;
  double step_size = 0.0625;
  double batch = 1.0;
  double noise = 0.0;
  static constexpr std::tuple fields{
      required("dimension", "d", &OneBatchSetting::dimension, "[1, inf)", "dimension"),
      required("norm", "norm_w", &OneBatchSetting::norm, "[0, inf)", "|w|"),
      required("true_norm", "norm_v", &OneBatchSetting::true_norm, "[0, inf)", "norm of the true parameter v"),
      required("cosine", "cos", &OneBatchSetting::cosine, "[-1, 1]", "cosine of the angle between w and v"),
      required("label_variance", "label_noise_var", &OneBatchSetting::label_variance, "[0, inf)",
               "variance of the labels given x"),
      required("step_size", "eta", &OneBatchSetting::step_size, "(0, inf)", "step size"),
      required("batch", &OneBatchSetting::batch, "[1, inf)", "records of the batch"),
      required("noise", "sigma", &OneBatchSetting::noise, "[0, inf)",
               "standard deviation of the noise per coordinate")};
};
/// Exact expectations over the batch and the noise.
struct OneBatch {
  double risk = 0.0;
  double squared_distance = 0.0;
  double gradient_norm = 0.0;
  static constexpr std::tuple fields{
      result("risk", &OneBatch::risk, "L_P(w)"),
      result("squared_distance", "E_sq_dist_after", &OneBatch::squared_distance, "E|w' - v|^2"),
      result("gradient_norm", "grad_norm_population", &OneBatch::gradient_norm, "|w - v|/2")};
};
/// \throws DomainError  outside the ranges. Accuracy: 1e-14.
[[nodiscard]] OneBatch one_batch(const OneBatchSetting& setting);

}  // namespace dpcurves::bounds
