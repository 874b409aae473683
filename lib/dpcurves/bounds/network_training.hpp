// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The risk bound of DP-SGD on wide deep ReLU networks, term by term.
///
/// A rate: every hidden constant is 1 and powers of logarithms are left out where the paper hides them. Its conditions
/// are so strong that they fail at every size that can be trained; the terms show which way they go, no more.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks", Theorem 13, Lemmas 19 and 25.
#pragma once

#include <dpcurves/core/field.hpp>
#include <dpcurves/core/verdict.hpp>

namespace dpcurves::bounds {

/// A network, a run of DP-SGD on it, and the failure probabilities.
struct NetworkTraining {
  double slope = 1.0;
  double depth = 3.0;
  double radius = 1.0;
  double width = 1.0;
  double steps = 1.0;
  double clip = 1.0;
  double records = 2.0;
  double inputs = 1.0;
  double epsilon = 1.0;
  double delta = 1e-5;
  double failure = 0.05;
  double noise_failure = 0.05;
  static constexpr std::tuple fields{
      required("slope", "S", &NetworkTraining::slope, "(0, inf)",
               "Lipschitz constant of the loss in the output; 1 for the logistic loss"),
      required("depth", "L", &NetworkTraining::depth, whole("[2, inf)"), "weight matrices"),
      required("radius", "R", &NetworkTraining::radius, "(0, inf)", "radius"),
      required("width", "m", &NetworkTraining::width, whole("[1, inf)"), "width"),
      required("steps", "T", &NetworkTraining::steps, "[1, inf)", "steps"),
      required("clip", "C", &NetworkTraining::clip, "(0, inf)", "clip norm"),
      required("records", "n", &NetworkTraining::records, whole("[2, inf)"), "records"),
      required("inputs", "d", &NetworkTraining::inputs, whole("[1, inf)"), "inputs"),
      required("epsilon", "eps", &NetworkTraining::epsilon, "(0, inf]", "epsilon; infinite: no noise (Remark 14)"),
      required("delta", &NetworkTraining::delta, "(0, 1)", "delta"),
      required("failure", "xi", &NetworkTraining::failure, "(0, 1)", "failure chance of the convergence"),
      required("noise_failure", "gamma", &NetworkTraining::noise_failure, "(0, 1)", "failure chance of the noise")};
};

/// Every term of the rate, with the sizes that it asks for.
struct NetworkTerms {
  double convergence = 0.0;                 ///< sqrt(log(1/xi)/T)
  double almost_convex = 0.0;               ///< Delta = S L^1.5 R/sqrt T, in the proof but missing from (7)
  double privacy = 0.0;                     ///< S L^1.5 R max(L, d/m) log(1/gamma) log(1/delta) m^2 sqrt(T)/(n^2 eps^2)
  double step_size = 0.0;                   ///< sqrt(L) R/(C sqrt(m T))
  double records_required = 0.0;            ///< C (sqrt(L) m + sqrt(m d)) sqrt(T log(1/gamma) log(1/delta))/(R eps)
  double parameters = 0.0;                  ///< m d + (L - 2) m^2 + m
  double log_privacy = 0.0;                 ///< natural logarithm of privacy, finite where it overflows
  double log_records_required = 0.0;        ///< natural logarithm of records_required
  double log_width_required_printed = 0.0;  ///< of L^56 R^24 Delta^-14 S^-8 C^-8
  double log_width_required_rederived = 0.0;  ///< of L^64 R^24 Delta^-14 S^8 C^-8, from the proof's own inequality
  double log_width_required_sharp = 0.0;      ///< with the radius of Lemma 19: log_width_required below
};

/// \throws DomainError  for a setting outside its ranges. Accuracy: relative 1e-14, of logarithms absolute 1e-12.
[[nodiscard]] NetworkTerms network_terms(const NetworkTraining& setting);

/// What Theorem 13 asks for: n >= records_required, n >= m, m >= T^7, m at least the
/// re-derived width (without logarithms), C <= R; and what it takes for granted.
[[nodiscard]] Verdict verdict(const NetworkTraining& setting);

/// Sharper than either: Lemma 25 needs S L^2 R^3/(Delta C sqrt m) <= omega with the omega of Lemma 19 below, whose
/// proof gives (S L^3 sqrt(m log m))^(-3/4) where Lemma 25 puts L^-6 m^(-3/8) (log m)^(-3/2). The inequality then reads
/// m >= S^14 L^34 R^24 Delta^-14 C^-8 (log m)^3: the logarithm of the least m from which on it holds, at least 0.
/// \throws DomainError  unless all are > 0 and finite. Accuracy: relative 1e-13.
[[nodiscard]] double log_width_required(double slope, double depth, double radius, double almost_convex, double clip);

/// Lemma 19 with unit constant: the largest omega, (Delta/(S L^3 sqrt(m log m)))^(3/4), at which the loss is convex up
/// to a slack Delta within |W_l - W_l^0|_F <= omega. A rate. \param width  m > 1.
[[nodiscard]] double almost_convex_radius(double slack, double slope, double depth, double width);

/// Right-hand sides of the rates, unit constants: Lemma 18, omega^(4/3) L^3 sqrt(m log m), and Lemma 21,
/// omega L^(5/2) sqrt(log m).
[[nodiscard]] double linearisation_rate(double radius, double depth, double width);
/// Lemma 21: how much hidden layers change within the radius.
[[nodiscard]] double hidden_change_rate(double radius, double depth, double width);

}  // namespace dpcurves::bounds
