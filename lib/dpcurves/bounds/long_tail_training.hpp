// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Theorem 2: the training loss after T steps of DP-SGD, a vanishing part and a privacy floor; and the inequalities of
/// one step that it rests on, which hold on every path and have no unknown constants.
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", Theorem 2, Lemmas 3 and 10 and the proof in the appendix. Corrections (the sqrt(d) of the floor, Lemma 3, the
/// meaning without noise) are listed in docs/errata.md. DomainError outside the ranges; O(1) or O(classes).
#pragma once

#include <cstddef>
#include <span>

#include <dpcurves/core/field.hpp>

namespace dpcurves::bounds {

/// A class, a run of DP-SGD, and the two constants that the paper leaves open.
struct TrainingLoss {
  double step_size = 1.0;
  double clipping_factor = 1.0;
  double steps = 0.0;
  double class_records = 1.0;
  double records = 1.0;
  double filters = 1.0;
  double dimension = 1.0;
  double signal_norm = 0.0;
  double private_noise = 0.0;
  double noise_frobenius = 0.0;
  double initial_loss = 0.0;
  double rate_constant = 1.0;
  double floor_constant = 1.0;
  static constexpr std::tuple fields{
      required("step_size", "eta", &TrainingLoss::step_size, "(0, inf)", "step size"),
      required("clipping_factor", "Lambda", &TrainingLoss::clipping_factor, "(0, inf)",
               "clipping factor C/(u_norm + frob_A)"),
      required("steps", "T", &TrainingLoss::steps, whole("[0, inf)"), "steps"),
      required("class_records", "n_k", &TrainingLoss::class_records, whole("[1, inf)"), "records of the class"),
      required("records", "n", &TrainingLoss::records, whole("[1, inf)"), "training records"),
      required("filters", "m", &TrainingLoss::filters, whole("[1, inf)"), "filters per class"),
      required("dimension", "d", &TrainingLoss::dimension, whole("[1, inf)"), "dimension of a patch"),
      required("signal_norm", "u_norm", &TrainingLoss::signal_norm, "[0, inf)", "length of the signal"),
      required("private_noise", "sigma_n", &TrainingLoss::private_noise, "[0, inf)",
               "noise per coordinate of the averaged clipped gradient"),
      required("noise_frobenius", "frob_A", &TrainingLoss::noise_frobenius, "[0, inf)", "Frobenius norm of A_k"),
      required("initial_loss", "loss0", &TrainingLoss::initial_loss, "[0, inf)", "loss at the start"),
      optional("rate_constant", "c1", &TrainingLoss::rate_constant, "(0, inf)",
               "constant of the exponent, not named by the paper"),
      optional("floor_constant", "c2", &TrainingLoss::floor_constant, "(0, inf)",
               "constant of the floor, not named by the paper")};
};

/// L_T <= vanishing + privacy. Tends to 0 without noise, although Assumption 1 keeps the loss above s: the claim has
/// a meaning up to T of about log(L_0/s)/rate.
struct TrainingLossBound {
  double rate = 0.0;
  double vanishing = 0.0;
  double privacy = 0.0;
  double total = 0.0;
  double privacy_without_dimension = 0.0;
  static constexpr std::tuple fields{
      result("rate", &TrainingLossBound::rate, "r = eta Lambda n_k |u|^2/(n sqrt m), with c1 = 1"),
      result("vanishing", &TrainingLossBound::vanishing, "exp(-c1 r T) L_0"),
      result("privacy", &TrainingLossBound::privacy, "c2 n sqrt(m) sigma_n sqrt(d) (|u| + |A|_F)/(Lambda n_k |u|^2)"),
      result("total", &TrainingLossBound::total, "their sum"),
      result("privacy_without_dimension", "privacy_no_sqrt_d", &TrainingLossBound::privacy_without_dimension,
             "privacy/sqrt(d): <n, u> has no dimension, the sqrt(d) is lost in proof")};
};
/// Without a signal the rate is 0 and the floor infinite (0 without noise). Accuracy: 1e-14.
[[nodiscard]] TrainingLossBound training_loss_bound(const TrainingLoss& setting);

/// a_T of the recursion a_{t+1} = (1 - r) a_t + b: (1 - r)^T a_0 + b (1 - (1 - r)^T)/r.
/// \param rate  r in [0, 1]. \param start, offset  finite. \param steps  T >= 0, whole. Accuracy: 1e-15 (1 + r T) of
/// the larger term where r < 1/2.
[[nodiscard]] double affine_contraction_iterate(double rate, double offset, double steps, double start);

/// Lemma 10: log(1 + t (exp(x) - 1)) <= gamma x on [-a, inf), gamma = 1 for x >= 0 and the slope of the chord from -a
/// to 0 below. Equality at -a and 0, and everywhere for t = 1.
struct Chord {
  double value = 0.0;
  double slope = 0.0;
  double bound = 0.0;
  static constexpr std::tuple fields{result("value", "lhs", &Chord::value, "log(1 + t (exp(x) - 1))"),
                                     result("slope", "gamma", &Chord::slope, "gamma"),
                                     result("bound", "rhs", &Chord::bound, "gamma x")};
};
/// \param t  in (0, 1]. \param a  > 0, finite. \param x  >= -a, finite. Accuracy: 4e-15, everywhere.
[[nodiscard]] Chord log_mixture_chord(double t, double a, double x);

/// log(1 + t (exp(x) - 1)) alone, for t in [0, 1] and finite x.
[[nodiscard]] double log_mixture(double t, double x);

/// One step of the loss of one sample, items 1 and 2 of the proof: with D_k the change of the output F_k,
/// exact = log(1 + sum over j != y of p_j (exp(D_j - D_y) - 1)) <= by_largest = log(1 + (1 - p_y)(exp(M) - 1)) <= chord
/// = gamma(M) M, M the largest of D_j - D_y. Always true.
struct LossIncrement {
  double exact = 0.0;       ///< the change of the loss itself
  double by_largest = 0.0;  ///< by the class whose output gains most
  double chord = 0.0;       ///< by the chord, linear in M
  double largest = 0.0;     ///< M
};
/// \param probabilities  softmax before the step, shape (classes), in [0, 1]. \param changes  D, shape (classes).
/// \param label  y. \param lowest  a of the chord: M >= -a is required; anything below |M| gives a looser chord.
[[nodiscard]] LossIncrement loss_increment(std::span<const double> probabilities, std::span<const double> changes,
                                           std::size_t label, double lowest);

/// Item 3: the signal part of the change of the filter bank of class j is at most (eta/m) sum over r of
/// max(0, <n_jr, u>), whatever the weights are.
/// \param noise_products  <n_jr, u> of the step's noise, shape (filters).
[[nodiscard]] double other_class_signal_growth(double step_size, std::span<const double> noise_products);

/// Item 3: the signal part of the change of the bank of the sample's own class is at least (eta/m)(a s - sum over r of
/// |<n_yr, u>|), a the number of filters active on u and s = |u|^2 (1/(m B)) sum over the batch's samples of the class
/// of h_i (1 - p_i).
/// \param weighted_residuals  sum of h_i (1 - p_i) >= 0. \param batch  B > 0. \param active  number of filters with
/// <w, u> > 0.
[[nodiscard]] double own_class_signal_growth(double step_size, std::span<const double> noise_products, double active,
                                             double weighted_residuals, double batch, double signal_norm);

/// Item 4: (1/m) sum over r of |<n_r, u>| <= sigma_n |u| (sqrt(2/pi) + sqrt(2 log(1/delta)/m)) with probability 1 -
/// delta (Lemma 3 in its sharp form); no dimension.
[[nodiscard]] double mean_noise_product_radius(double private_noise, double signal_norm, double filters,
                                               double failure_probability);

}  // namespace dpcurves::bounds
