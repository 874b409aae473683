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

#include <dpcurves/core/field.hpp>
#include <dpcurves/core/verdict.hpp>

namespace dpcurves::bounds {

/// What another class j adds to the denominator.
struct OtherClass {
  double records = 1.0;
  double cross_frobenius = 1.0;
  static constexpr std::tuple fields{
      required("records", "n_j", &OtherClass::records, "(0, inf)", "records of the other class"),
      required("cross_frobenius", "F_kj", &OtherClass::cross_frobenius, "(0, inf)", "Frobenius norm of A_k^T A_j")};
};

/// The bound of either part, and whether it says anything.
struct TestErrorBound {
  double numerator = 0.0;
  double raw_sum = 0.0;
  double bound = 1.0;
  bool vacuous = true;
  Hypothesis condition_holds{};
  static constexpr std::tuple fields{
      result("numerator", &TestErrorBound::numerator, "of every x_j"),
      result("raw_sum", &TestErrorBound::raw_sum, "sum of exp(-c x_j^2), whatever the sign of the numerator"),
      result("bound", &TestErrorBound::bound, "raw_sum if the theorem says anything, else 1"),
      result("vacuous", &TestErrorBound::vacuous, "numerator <= 0 or raw_sum >= 1"),
      result("condition_holds", &TestErrorBound::condition_holds, "the inequality that the theorem asks for")};
};

/// Theorem 3, first part: all data of class k.
struct GeneralTestError {
  double class_records = 1.0;
  double clipping_factor = 1.0;
  double signal_norm = 0.0;
  double records = 1.0;
  double private_noise = 0.0;
  double failure_probability = 0.05;
  std::vector<OtherClass> others{};
  double noise_frobenius = 0.0;
  double exponent_constant = 1.0;
  double condition_constant = 1.0;
  static constexpr std::tuple fields{
      required("class_records", "n_k", &GeneralTestError::class_records, whole("[1, inf)"), "records of the class"),
      required("clipping_factor", "Lambda", &GeneralTestError::clipping_factor, "(0, inf)",
               "clipping factor C/(u_norm + frob_A)"),
      required("signal_norm", "u_norm", &GeneralTestError::signal_norm, "[0, inf)", "length of the signal"),
      required("records", "n", &GeneralTestError::records, whole("[1, inf)"), "training records"),
      required("private_noise", "sigma_n", &GeneralTestError::private_noise, "[0, inf)",
               "noise per coordinate of the averaged clipped gradient"),
      required("failure_probability", "delta", &GeneralTestError::failure_probability, "(0, 1)", "failure chance"),
      required("others", "classes_nj_Fkj", &GeneralTestError::others, "list of [n_j, F_kj], one per other class"),
      required("noise_frobenius", "frob_A", &GeneralTestError::noise_frobenius, "[0, inf)", "Frobenius norm of A_k"),
      optional("exponent_constant", "c1", &GeneralTestError::exponent_constant, "(0, inf)",
               "constant of the exponent, not named by the paper"),
      optional("condition_constant", "C1", &GeneralTestError::condition_constant, "(0, inf)",
               "constant of the condition, not named by the paper")};
};
/// x_j = (n_k Lambda |u|^2 - n sigma_n |u| sqrt(2 log(2/delta)))/(sqrt(n_j) F_kj + n sigma_n |A_k|_F).
[[nodiscard]] TestErrorBound general_test_error(const GeneralTestError& setting);

/// The same with the powers of m, n and T that the update has: the clipping multiplier h in (0, 1] in place of Lambda
/// (a lower bound of it, or the measured mean; the field clipping_factor) and m n sigma_n/sqrt(T) in place of n
/// sigma_n. At h = 1, sigma_n = 0 it is the bound of training without privacy; the printed form is not, at any Lambda
/// that a clip gives. condition_holds is not part of it.
[[nodiscard]] TestErrorBound scale_consistent_test_error(const GeneralTestError& setting, double filters, double steps);

/// The bound at a tail level, and from which level on it says anything: b sqrt(d/(a^2 - b^2)) for a > b, 0 without
/// noise, infinite for a <= b. (Remark 3 compares a with b sqrt(d) instead: wrong, see docs/errata.md.)
struct LongTailErrorBound : TestErrorBound {
  double break_even_level = 0.0;
  static constexpr auto fields =
      std::tuple_cat(TestErrorBound::fields,
                     std::tuple{result("break_even_level", "L_break_even", &LongTailErrorBound::break_even_level,
                                       "least L at which the numerator is positive above")});
};

/// Theorem 3, second part: the L-long-tailed data of class k.
struct LongTailTestError {
  double class_records = 1.0;
  double clipping_factor = 1.0;
  double own_frobenius = 1.0;
  double records = 1.0;
  double private_noise = 0.0;
  double dimension = 1.0;
  double tail_level = 0.0;
  double noise_operator = 1.0;
  std::vector<OtherClass> others{};
  double noise_frobenius = 0.0;
  double exponent_constant = 1.0;
  double condition_constant = 1.0;
  static constexpr std::tuple fields{
      required("class_records", "n_k", &LongTailTestError::class_records, whole("[1, inf)"), "records of the class"),
      required("clipping_factor", "Lambda", &LongTailTestError::clipping_factor, "(0, inf)",
               "clipping factor C/(u_norm + frob_A)"),
      required("own_frobenius", "F_kk", &LongTailTestError::own_frobenius, "(0, inf)", "Frobenius norm of A_k^T A_k"),
      required("records", "n", &LongTailTestError::records, whole("[1, inf)"), "training records"),
      required("private_noise", "sigma_n", &LongTailTestError::private_noise, "[0, inf)",
               "noise per coordinate of the averaged clipped gradient"),
      required("dimension", "d", &LongTailTestError::dimension, whole("[1, inf)"), "dimension of a patch"),
      required("tail_level", "L", &LongTailTestError::tail_level, "[0, inf)", "tail level"),
      required("noise_operator", "op_A", &LongTailTestError::noise_operator, "(0, inf)",
               "operator norm of A_k, its largest singular value"),
      required("others", "classes_nj_Fkj", &LongTailTestError::others, "list of [n_j, F_kj], one per other class"),
      required("noise_frobenius", "frob_A", &LongTailTestError::noise_frobenius, "[0, inf)", "Frobenius norm of A_k"),
      optional("exponent_constant", "c2", &LongTailTestError::exponent_constant, "(0, inf)",
               "constant of the exponent, not named by the paper"),
      optional("condition_constant", "C2", &LongTailTestError::condition_constant, "(0, inf)",
               "constant of the condition, not named by the paper")};
};
/// x_j = (a L - b sqrt(d + L^2))/(sqrt(n_j) F_kj + n sigma_n |A_k|_F), a = sqrt(n_k) Lambda F_kk, b = n sigma_n |A_k|.
[[nodiscard]] LongTailErrorBound long_tail_test_error(const LongTailTestError& setting);

/// Remark 4: the first part with the noise of (epsilon, delta)-DP put in.
struct PrivateTestError {
  TestErrorBound bound;  ///< with both logarithms kept
  double private_noise = 0.0;
  double printed_numerator = 0.0;
  double printed_raw_sum = 0.0;
  static constexpr std::tuple fields{
      part(&PrivateTestError::bound),
      result("private_noise", "sigma_n", &PrivateTestError::private_noise,
             "sigma_n = constant C sqrt(T log(1/delta_dp))/(n epsilon)"),
      result("printed_numerator", &PrivateTestError::printed_numerator,
             "of the display, epsilon n_k Lambda |u|^2 - C sqrt(T) |u|"),
      result("printed_raw_sum", &PrivateTestError::printed_raw_sum, "without both logarithms: too optimistic")};
};
/// \param setting  its private_noise is not used. \param epsilon, clip  > 0. \param steps  whole. \param delta_dp  in
/// (0, 1). \param constant  > 0.
[[nodiscard]] PrivateTestError private_test_error(GeneralTestError setting, double epsilon, double delta_dp,
                                                  double steps, double clip, double constant = 1.0);

}  // namespace dpcurves::bounds
