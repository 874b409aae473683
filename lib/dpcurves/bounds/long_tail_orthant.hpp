// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// How likely a correlated Gaussian vector lies in one orthant, or has nearly all of its entries negative.
///
/// A is m x n of rank M, kappa the ratio of its largest to its smallest non-zero singular value, x Gaussian. For M = m
/// every orthant has probability at most I(m, kappa^2) = integral of phi(z) Phi(sqrt(rho) z)^m dz, rho = (kappa^2 -
/// 1)/m, with equality for the covariance I + rho 1 1^T. The printed 0.6^M is false in both ways: for M = m beyond
/// moderate kappa, and for M < m whatever the width (two rows repeated m/2 times have probability arctan(kappa)/pi).
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", Lemmas 14, 15 and 24; proofs of the forms given here in docs/theory/long-tail-memorization/lemmas.md.
/// DomainError outside the ranges.
#pragma once

#include <dpcurves/core/field.hpp>
#include <dpcurves/core/verdict.hpp>

namespace dpcurves::bounds {

/// log I(m, kappa^2), finite where I underflows; -m log 2 at kappa = 1, -log 2 at m = 1.
/// \param entries  m, whole, in [1, 1e15]. \param condition_squared  kappa^2 in [1, 1e30].
/// Accuracy: 1e-11 absolute where the result is above -745, 1e-13 relative below. Cost: about 100 us.
[[nodiscard]] double log_one_factor_orthant(double entries, double condition_squared);

/// Lemma 14 as printed, corrected, and refuted.
struct OrthantBound {
  double one_factor = 0.0;
  double log_one_factor = 0.0;
  double least_entries = 0.0;
  Hypothesis premise_holds;
  double corrected = 0.0;
  bool valid = false;
  double printed = 0.0;
  double rank_two = 0.0;
  static constexpr std::tuple fields{
      result("one_factor", &OrthantBound::one_factor, "I(m, kappa^2)"),
      result("log_one_factor", &OrthantBound::log_one_factor, "its logarithm"),
      result("least_entries", "m_min", &OrthantBound::least_entries,
             "m_min = 2 (kappa^2 - 1) log(1/delta)/Phi^{-1}(0.6)^2"),
      result("premise_holds", &OrthantBound::premise_holds, "m >= m_min"),
      result("corrected", "corrected_bound", &OrthantBound::corrected,
             "min(1, 0.6^m + delta) >= I where the premise holds"),
      result("valid", &OrthantBound::valid, "the corrected bound is proved here: premise_holds and M = m"),
      result("printed", "paper_bound", &OrthantBound::printed, "0.6^M"),
      result("rank_two", "rank2_counterexample", &OrthantBound::rank_two,
             "arctan(kappa)/pi: an orthant's probability at M = 2 and any even m")};
};
/// \param rank  M, whole, in [1, m].
[[nodiscard]] OrthantBound orthant_bound(double entries, double rank, double condition_squared, double delta);

/// Lemma 15: chance that at least 0.9 m of the entries of A x are not positive.
struct NegativeFraction {
  double full_rank = 0.0;
  double rank_deficient = 0.0;
  double printed = 0.0;
  static constexpr std::tuple fields{
      result("full_rank", "bound_full_rank", &NegativeFraction::full_rank,
             "M = m: 2 exp(-2 m s^2), s = 0.4/(1 + sqrt(2 (kappa^2 - 1)/pi)), at most 1; no 2 at kappa = 1"),
      result("rank_deficient", "bound_rank_deficient", &NegativeFraction::rank_deficient,
             "M >= 0.9 m: exp(-m/(202 kappa^2)); also Lemma 24's chance of less than 0.1 m active"),
      result("printed", "paper_bound", &NegativeFraction::printed, "exp(-0.07 m), false at kappa^2 = 20")};
};
/// \param entries  m in [1, 1e15], whole. \param condition_squared  kappa^2 in [1, 1e30].
[[nodiscard]] NegativeFraction negative_fraction(double entries, double condition_squared);

/// The chance itself for the covariance I + rho 1 1^T, rho = (kappa^2 - 1)/m: the integral of P(Binomial(m,
/// Phi(-sqrt(rho) z)) >= 0.9 m) phi(z). What refutes the printed form. \param entries  m in [1, 1e6]. Accuracy: 1e-10.
/// Cost: about 1 ms.
[[nodiscard]] double one_factor_negative_fraction(double entries, double condition_squared);

}  // namespace dpcurves::bounds
