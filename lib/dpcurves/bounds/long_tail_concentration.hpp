// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Concentration of Gaussian and sub-Gaussian vectors, of their products and of what noise patches and initial weights
/// make of them.
///
/// sigma_p is the variance proxy of the moment generating function, E exp(s x) <= exp(s^2 sigma_p^2/2): at least 1 for
/// variance 1, and 1 for N(0, 1) and for Uniform(-sqrt 3, sqrt 3). A tail bound 2 exp(-t^2/(2 sigma_p^2)), all that the
/// paper states, is not enough for these radii. tau is log(2/delta) unless said otherwise; every radius holds with
/// probability at least 1 - delta.
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", Lemmas 1 to 8, 13, 16, 17 and 25, with explicit constants in place of Omega and O; corrections in
/// docs/errata.md. DomainError outside the ranges; accuracy 1e-14; O(1).
#pragma once

#include <dpcurves/core/field.hpp>
#include <dpcurves/core/verdict.hpp>

namespace dpcurves::bounds {

/// Lemma 1: lower bounds of the least singular value of an m x n Gaussian matrix. Either may be negative.
struct SingularValueBounds {
  double printed = 0.0;
  double sharp = 0.0;
  static constexpr std::tuple fields{
      result("printed", "paper", &SingularValueBounds::printed,
             "sqrt(m) - 2 sqrt(8 log(2/delta) + 8 n log 9): positive only for m > 32 log(2/delta) + 70.3 n"),
      result("sharp", "davidson_szarek", &SingularValueBounds::sharp,
             "sqrt(m) - sqrt(n) - sqrt(2 log(1/delta)), Davidson and Szarek")};
};
/// \param rows, columns  whole, rows > columns >= 1.
[[nodiscard]] SingularValueBounds least_singular_value(double rows, double columns, double delta);

/// Lemma 2: max over n of |x_i| <= sigma_p sqrt(2 log(2n/delta)).
[[nodiscard]] double subgaussian_maximum(double count, double sigma_p, double delta);

/// Lemma 3: chance that the mean of n half-normals exceeds its expectation by t standard deviations of one of them.
struct HalfNormalTail {
  double printed = 0.0;
  double sharp = 0.0;
  static constexpr std::tuple fields{
      result("printed", "paper", &HalfNormalTail::printed, "exp(-t^2/2), true without n"),
      result("sharp", &HalfNormalTail::sharp, "exp(-n t^2/2); on the other side too")};
};
/// \param count  n, whole. \param t  >= 0.
[[nodiscard]] HalfNormalTail half_normal_mean_tail(double count, double t);

/// Lemmas 4, 6 and 8: |zeta_1^T M zeta_2| <= sigma_p^2 (|M|_F sqrt(2 tau) + |M| tau). With Gaussian noise of standard
/// deviation sigma_n on one side sigma_p^2 is replaced by sigma_n sigma_p: pass sqrt(sigma_n sigma_p).
[[nodiscard]] double bilinear_radius(double frobenius, double operator_norm, double sigma_p, double delta);

/// Lemma 5: ends of |A zeta|^2, each with probability 1 - delta, tau = log(1/delta), norms of A^T A.
struct QuadraticFormRadii {
  double upper = 0.0;
  double lower = 0.0;
  static constexpr std::tuple fields{
      result("upper", &QuadraticFormRadii::upper, "sigma_p^2 (trace + 2 F sqrt(tau) + 2 op tau)"),
      result("lower", "lower_gaussian", &QuadraticFormRadii::lower,
             "trace - 2 F sqrt(tau): Gaussian zeta, or uniform in the eigenbasis; sigma_p = 1; may be negative")};
};
/// \param trace  of A^T A. \param frobenius, operator_norm  F and op, its norms. \param delta  in (0, 1).
[[nodiscard]] QuadraticFormRadii quadratic_form_radii(double trace, double frobenius, double operator_norm,
                                                      double sigma_p, double delta);

/// The lower end for independent coordinates with E zeta^4 = kurtosis in the eigenbasis: trace - F sqrt(2 kurtosis
/// tau).
[[nodiscard]] double quadratic_form_lower(double trace, double frobenius, double kurtosis, double delta);

/// Lemma 7: |<n, u>| <= sigma_n |u| sqrt(2 tau), and how often it fails exactly.
struct ProjectionRadius {
  double radius = 0.0;
  double violation = 0.0;
  static constexpr std::tuple fields{
      result("radius", &ProjectionRadius::radius, "sigma_n |u| sqrt(2 tau)"),
      result("violation", "exact_violation_prob", &ProjectionRadius::violation, "erfc(sqrt(tau)) < delta")};
};
/// \param private_noise  sigma_n >= 0. \param signal_norm  |u| >= 0. \param delta  in (0, 1).
[[nodiscard]] ProjectionRadius gaussian_projection(double private_noise, double signal_norm, double delta);

/// Lemma 13: P(|x| > t) >= (1 - t^2)^2/E x^4 for E x^2 = 1. \param t  in (0, 1). \param fourth_moment  >= 1.
[[nodiscard]] double paley_zygmund(double t, double fourth_moment);

/// Lemma 16: band of |xi_i|^2 for all n samples at once; sigma_p = 1, norms of A^T A, tau = log(4n/delta).
struct NoiseNormBand {
  double lower = 0.0;
  double upper = 0.0;
  double premise_right = 0.0;
  Hypothesis premise_holds;
  static constexpr std::tuple fields{
      result("lower", &NoiseNormBand::lower, "trace/2"), result("upper", &NoiseNormBand::upper, "3 trace/2"),
      result("premise_right", "premise_rhs", &NoiseNormBand::premise_right, "2 (2 F sqrt(tau) + 2 op tau)"),
      result("premise_holds", &NoiseNormBand::premise_holds,
             "trace >= premise_right: the band has probability 1 - delta/2")};
};
/// \param records  n, whole. \param trace, frobenius, operator_norm  of A^T A, >= 0. \param delta  in (0, 1).
[[nodiscard]] NoiseNormBand noise_norm_band(double records, double trace, double frobenius, double operator_norm,
                                            double delta);

/// Lemma 16: |<xi_i, xi_j>| for all pairs at once, sigma_p = 1, norms of A_i^T A_j, tau = log(2 n^2/delta); probability
/// 1 - delta/2.
[[nodiscard]] double noise_cross_radius(double records, double frobenius, double operator_norm, double delta);

/// Lemma 17: |<w_0, u_k>| over the K m filters, N(0, sigma_0^2) weights; probability 1 - delta/2.
struct InitialSignalRadius {
  double one_class = 0.0;
  double all_classes = 0.0;
  static constexpr std::tuple fields{
      result("one_class", "paper", &InitialSignalRadius::one_class, "for one k: log(4 K m/delta)"),
      result("all_classes", "all_k", &InitialSignalRadius::all_classes, "for all K at once: log(4 K^2 m/delta)")};
};
/// \param classes  K. \param filters  m. \param signal_norm  |u|. \param initial_scale  sigma_0.
[[nodiscard]] InitialSignalRadius initial_signal_radius(double classes, double filters, double delta,
                                                        double signal_norm, double initial_scale);

/// Lemma 17: |<w_0, xi_i>| over all filters and samples, sigma_p = 1: sigma_0 (|A|_F sqrt(2 tau) + |A| tau), tau =
/// log(4 K m n/delta); probability 1 - delta/2.
[[nodiscard]] double initial_noise_radius(double classes, double filters, double records, double delta,
                                          double noise_frobenius, double noise_operator, double initial_scale);

/// Lemma 25: the noise patch of an L-long-tailed sample, fixed w and Gaussian zeta; z = <w, xi>/|A^T w| given z >= L.
struct LongTailNoise {
  double zeta_norm_squared = 0.0;
  double noise_norm = 0.0;
  double truncated_squared = 0.0;
  double printed_squared = 0.0;
  double tail_probability = 0.0;
  double mean_zeta_norm_squared = 0.0;
  static constexpr std::tuple fields{
      result("zeta_norm_squared", "zeta_norm2", &LongTailNoise::zeta_norm_squared, "d + L^2 + 2 sqrt(d tau) + 4 tau"),
      result("noise_norm", "xi_norm", &LongTailNoise::noise_norm, "|A| times the root of it"),
      result("truncated_squared", "z2_exact_trunc", &LongTailNoise::truncated_squared,
             "L^2 + 2 tau >= z^2, exactly what P(z > L + s | z > L) <= exp(-L s - s^2/2) gives"),
      result("printed_squared", "z_paper_sq", &LongTailNoise::printed_squared, "(L + tau/L)^2: infinite at L = 0"),
      result("tail_probability", "tail_prob", &LongTailNoise::tail_probability, "P(z >= L)"),
      result("mean_zeta_norm_squared", "mean_zeta_norm2", &LongTailNoise::mean_zeta_norm_squared,
             "d + L phi(L)/P(z >= L)")};
};
/// \param dimension  whole, >= 1. \param tail_level  L >= 0. \param noise_operator  |A| >= 0.
[[nodiscard]] LongTailNoise long_tail_noise(double dimension, double tail_level, double delta, double noise_operator);

/// The same for any selection of probability p, Definition 3 with the sum over active filters among them: |zeta|^2 <= d
/// + 2 sqrt(d tau) + 2 tau, tau = log(1/(p delta)). \param selection_probability  p in (0, 1].
[[nodiscard]] double selected_noise_norm_squared(double dimension, double selection_probability, double delta);

}  // namespace dpcurves::bounds
