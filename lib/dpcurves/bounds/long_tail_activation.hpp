// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// How many of m filters are active: counts of independent fair signs against the bounds that the paper prints.
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", Lemmas 9, 12, 18 and 19. The bounds of Lemmas 9 and 12 are false as printed (docs/errata.md). DomainError
/// outside the ranges. Probabilities are exact binomials: relative accuracy 1e-12 for up to 1e6 signs, 1e-10 for up to
/// 1e9, while they are normal doubles. Cost: about 1 us.
#pragma once

#include <dpcurves/core/field.hpp>

namespace dpcurves::bounds {

/// Lemma 9: P(X < f m) for X ~ Binomial(m, 1/2), strict.
struct HalfActivationTail {
  double exact = 0.0;
  double printed = 0.0;
  double hoeffding = 0.0;
  static constexpr std::tuple fields{
      result("exact", "exact_P_below", &HalfActivationTail::exact,
             "k counts when k < f m (1 - 1e-12): f m = 40 rounded up does not count k = 40"),
      result("printed", "paper_bound", &HalfActivationTail::printed,
             "exp(-32 m (1/2 - f)^2), exceeded from m = 3 on at f = 0.4"),
      result("hoeffding", "hoeffding_bound", &HalfActivationTail::hoeffding,
             "exp(-2 m (1/2 - f)^2): exp(-m/50) at f = 0.4")};
};
/// \param filters  m, whole, in [1, 1e15]. \param fraction  f in (0, 1/2).
[[nodiscard]] HalfActivationTail half_activation_tail(double filters, double fraction);

/// Lemma 12: the fraction of positive coordinates of a uniform point on the sphere in d dimensions is at least t away
/// from 1/2.
struct SignFraction {
  double exact = 0.0;
  double printed = 0.0;
  double corrected = 0.0;
  static constexpr std::tuple fields{
      result("exact", &SignFraction::exact, "k counts when |k - d/2| >= t d (1 - 1e-12)"),
      result("printed", "paper_bound", &SignFraction::printed,
             "exp(-2 d t^2): false at (d, t) = (1, 1/2), (2, 1/2), (3, 1/6), ..."),
      result("corrected", "correct_bound", &SignFraction::corrected, "min(1, 2 exp(-2 d t^2))")};
};
/// \param dimension  d, whole, in [1, 1e15]. \param t  in (0, 1/2].
[[nodiscard]] SignFraction sign_fraction(double dimension, double t);

/// Lemmas 18 and 19, by Hoeffding at f = 0.4 and a union bound, each with probability 1 - delta. Not rounded.
struct ActivationSizes {
  double filters = 0.0;
  double records = 0.0;
  static constexpr std::tuple fields{
      result("filters", "m_min", &ActivationSizes::filters,
             "m >= 50 log(n/delta): every sample has 0.4 m active filters of its own class at the start"),
      result("records", "n_min", &ActivationSizes::records,
             "n >= 50 log(K m/delta): every filter is active on 0.4 n samples at the start")};
};
/// \param classes  K. \param filters  m. \param records  n, all whole and >= 1. \param delta  in (0, 1).
[[nodiscard]] ActivationSizes activation_sizes(double classes, double filters, double records, double delta);

}  // namespace dpcurves::bounds
