// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Theorem 3: test error on a whole class and on its long-tailed part after DP-SGD, with the form that noise of
/// Remark 4 gives, the form with consistent powers of m, n and T, and the tail length from which the bound says
/// anything.
///
/// The error is a sum over the other classes j of exp(-c x_j^2). The theorem is an order statement: its constants are
/// arguments with default 1. Where the numerator of x_j is not positive the statement says nothing, although its
/// square would be large: then, and where the sum reaches 1, `bound` is 1 and `vacuous` is true. There is no lower
/// bound: no comparison of two bounds shows that one kind of data suffers more.
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", Theorem 3, Remarks 3 and 4. DomainError outside the ranges; O(classes).
/// Numerators, break-even levels and conditions are those of the given doubles, correctly to 1e-15.
#pragma once

#include <vector>

namespace dpcurves::bounds {

/// What another class j adds to the denominator.
struct OtherClass {
  double records = 1.0;          ///< n_j > 0
  double cross_frobenius = 1.0;  ///< F_kj = |A_k^T A_j|_F > 0
};

/// The bound of either part, and whether it says anything.
struct TestErrorBound {
  double numerator = 0.0;        ///< of every x_j
  double raw_sum = 0.0;          ///< sum of exp(-c x_j^2), whatever the sign of the numerator
  double bound = 1.0;            ///< raw_sum if the theorem says anything, else 1
  bool vacuous = true;           ///< numerator <= 0 or raw_sum >= 1
  bool condition_holds = false;  ///< the inequality that the theorem asks for
};

/// Theorem 3, first part: all data of class k.
struct GeneralTestError {
  double class_records = 1.0;         ///< n_k >= 1, whole
  double clipping_factor = 1.0;       ///< Lambda > 0
  double signal_norm = 0.0;           ///< |u_k| >= 0
  double records = 1.0;               ///< n >= 1, whole
  double private_noise = 0.0;         ///< sigma_n >= 0
  double failure_probability = 0.05;  ///< delta in (0, 1)
  std::vector<OtherClass> others;     ///< one per class j != k, at least one
  double noise_frobenius = 0.0;       ///< |A_k|_F >= 0
  double exponent_constant = 1.0;     ///< c1 > 0
  double condition_constant = 1.0;    ///< C1 > 0
};
/// x_j = (n_k Lambda |u|^2 - n sigma_n |u| sqrt(2 log(2/delta)))/(sqrt(n_j) F_kj + n sigma_n |A_k|_F).
[[nodiscard]] TestErrorBound general_test_error(const GeneralTestError& setting);

/// The same with the powers of m, n and T that the update has: the clipping multiplier h in (0, 1] in place of Lambda
/// (a lower bound of it, or the measured mean; the field clipping_factor) and m n sigma_n/sqrt(T) in place of n
/// sigma_n. At h = 1, sigma_n = 0 it is the bound of training without privacy; the printed form is not, at any Lambda
/// that a clip gives. condition_holds is not part of it.
[[nodiscard]] TestErrorBound scale_consistent_test_error(const GeneralTestError& setting, double filters, double steps);

/// Theorem 3, second part: the L-long-tailed data of class k.
struct LongTailTestError {
  double class_records = 1.0;       ///< n_k >= 1, whole
  double clipping_factor = 1.0;     ///< Lambda > 0
  double own_frobenius = 1.0;       ///< F_kk = |A_k^T A_k|_F > 0
  double records = 1.0;             ///< n >= 1, whole
  double private_noise = 0.0;       ///< sigma_n >= 0
  double dimension = 1.0;           ///< d >= 1, whole
  double noise_operator = 1.0;      ///< |A_k| > 0, the largest singular value
  std::vector<OtherClass> others;   ///< one per class j != k, at least one
  double noise_frobenius = 0.0;     ///< |A_k|_F >= 0
  double exponent_constant = 1.0;   ///< c2 > 0
  double condition_constant = 1.0;  ///< C2 > 0
};
/// x_j = (a L - b sqrt(d + L^2))/(sqrt(n_j) F_kj + n sigma_n |A_k|_F), a = sqrt(n_k) Lambda F_kk, b = n sigma_n |A_k|.
/// \param tail_level  L >= 0.
[[nodiscard]] TestErrorBound long_tail_test_error(const LongTailTestError& setting, double tail_level);

/// The least L at which the numerator is positive above: b sqrt(d/(a^2 - b^2)) for a > b, 0 without noise, infinite for
/// a <= b. (Remark 3 compares a with b sqrt(d) instead: wrong, see docs/errata.md.)
[[nodiscard]] double break_even_tail_level(const LongTailTestError& setting);

/// Remark 4: the first part with the noise of (epsilon, delta)-DP put in.
struct PrivateTestError {
  TestErrorBound bound;            ///< with both logarithms kept
  double private_noise = 0.0;      ///< sigma_n = constant C sqrt(T log(1/delta_dp))/(n epsilon)
  double printed_numerator = 0.0;  ///< of the display, epsilon n_k Lambda |u|^2 - C sqrt(T) |u|
  double printed_raw_sum = 0.0;    ///< without both logarithms: too optimistic
};
/// \param setting  its private_noise is not used. \param epsilon, clip  > 0. \param steps  whole. \param delta_dp  in
/// (0, 1). \param constant  > 0.
[[nodiscard]] PrivateTestError private_test_error(GeneralTestError setting, double epsilon, double delta_dp,
                                                  double steps, double clip, double constant = 1.0);

}  // namespace dpcurves::bounds
