// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Concentration of mini-batches, Gaussian noise and their cross terms along a run of DP-SGD with correlated noise.
///
/// Logarithms are natural. Every failure probability is an argument of its own; bounds about batches are for batches of
/// a fixed size (with Poisson batches divided by the expected size |D_t| <= 2 G fails).
///
/// Source: Wang et al., "Population Risk Bounds for Kolmogorov-Arnold Networks Trained by DP-SGD with Correlated
/// Noise", Lemmas B.2, B.4, B.5, C.4 to C.10 and C.17 to C.19. All functions throw DomainError outside the ranges given
/// here; accuracy 1e-14, O(1).
#pragma once

#include <dpcurves/core/field.hpp>

namespace dpcurves::bounds {

/// Lemma B.2: E|mean of a batch - mean|^2 for a batch of B of n vectors without replacement, exactly
/// (n - B)/(B (n - 1)) times the mean squared deviation. \param n  >= 2. \param batch  in [1, n].
[[nodiscard]] double without_replacement_variance(double n, double batch, double mean_squared_deviation);

/// Lemma B.4: factor 1/(1 - D^2 k/2) between the maximum on a segment of length D and its ends.
struct SegmentFactor {
  bool valid = false;   ///< D^2 k < 2, strictly (the paper's "at most" gives no bound at the edge)
  double factor = 0.0;  ///< infinite if not valid
};
/// \param curvature  k > 0. \param length  D >= 0.
[[nodiscard]] SegmentFactor segment_factor(double curvature, double length);

/// Lemma B.5: norms of a second layer with N(0, 1) entries, all with probability at least 1 - delta.
struct SecondLayerNorms {
  double whole = 0.0;
  double largest_unit = 0.0;
  static constexpr std::tuple fields{
      result("whole", "norm_c", &SecondLayerNorms::whole, "|c| <= 4 sqrt(p m) + 2 sqrt(log(2/delta))"),
      result("largest_unit", "max_norm_cj", &SecondLayerNorms::largest_unit,
             "max |c_j| <= 4 sqrt p + 2 sqrt(log(2 m/delta))")};
};
/// \param splines  p. \param units  m. \param delta  in (0, 1).
[[nodiscard]] SecondLayerNorms second_layer_norms(double splines, double units, double delta);

/// Lemma C.4: sum of squares of k standard normals <= k + 2 sqrt(k x) + 2 x with probability at least 1 - exp(-x).
[[nodiscard]] double chi_squared_bound(double degrees, double x);

/// Lemma C.5, with probability at least 1 - delta.
struct NoiseBounds {
  double largest = 0.0;  ///< z: max over t of |Z_t|
  double energy = 0.0;   ///< V_Z: sum over t <= T of |Z_{t-1}|^2, Z_0 = 0
};
/// \param parameters  D = m d p. \param iterates  T >= 1.
[[nodiscard]] NoiseBounds noise_bounds(double parameters, double iterates, double delta);

/// Lemma C.6: V_D = 2 T G^2/B + 8 G^2 log(1/delta) >= sum |D_t|^2 with probability at least 1 - delta.
[[nodiscard]] double batch_energy(double iterates, double gradient, double batch, double delta);

/// A run as the concentration lemmas see it.
struct NoisyRun {
  double iterates = 1.0;
  double batch = 1.0;
  double step_size = 1.0;
  double correlation = 0.0;
  double private_noise = 0.0;
  static constexpr std::tuple fields{
      required("iterates", "T", &NoisyRun::iterates, "[1, inf)", "iterates"),
      required("batch", "B", &NoisyRun::batch, "[1, inf)", "batch size"),
      required("step_size", "eta", &NoisyRun::step_size, "(0, inf)", "step size"),
      required("correlation", "lambda", &NoisyRun::correlation, "[0, 1)", "noise correlation"),
      required("private_noise", "c_priv", &NoisyRun::private_noise, "[0, inf)",
               "C_clip kappa/B: standard deviation per coordinate")};
};

/// Lemmas C.7 to C.9: bounds of the partial sums of the three cross terms, each with probability at least 1 - delta
/// (the third on the Gaussian event). The stated constants are 4 sqrt 2, 4, 4; the proofs give 2 sqrt 2 for each.
struct CrossTerms {
  double batch = 0.0;  ///< M^(1)
  double noise = 0.0;  ///< M^(2)
  double mixed = 0.0;  ///< M^(3)
  /// What the lemmas allow the three together.
  [[nodiscard]] double sum() const { return batch + noise + mixed; }
};
/// Which constants: those of the statements, or the smaller ones of the proofs.
enum class Constant { stated, proof };
/// \param radius  Rbar >= 0. \param noise_energy  V_Z >= 0.
[[nodiscard]] CrossTerms cross_terms(const NoisyRun& run, double gradient, double radius, double noise_energy,
                                     double delta, Constant constant = Constant::stated);

/// Lemma C.10: the sum of the three, with probability at least 1 - delta: each with delta/3.
[[nodiscard]] CrossTerms potential_terms(const NoisyRun& run, double gradient, double radius, double noise_energy,
                                         double delta);

/// Lemma C.17: |f| <= F and ell <= U = log(1 + e^F) on the ball of the projection, at the records and their
/// replacements.
struct OutputBounds {
  double output = 0.0;  ///< F, a bound of |f|
  double loss = 0.0;    ///< U = log(1 + e^F), a bound of the logistic loss
};
/// \param spline  B_b. \param splines  p. \param gradient  G. \param radius  R_* >= 0.
[[nodiscard]] OutputBounds output_bounds(double spline, double splines, double records, double delta, double gradient,
                                         double radius);

/// Lemma C.18 (Freedman): sqrt(2 v log(1/delta)) + (2 L/3) log(1/delta) for a martingale with variation at most v and
/// steps at most L.
[[nodiscard]] double freedman_bound(double variation, double step, double delta);

/// Lemma C.19: excess of summed batch losses over summed full losses, U (sqrt(2 T log(1/delta)/B) + (2/3)
/// log(1/delta)).
[[nodiscard]] double batch_loss_excess(double loss_bound, double iterates, double batch, double delta);

}  // namespace dpcurves::bounds
