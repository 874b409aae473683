// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The spiked family of noise-shaping matrices: A_k = e0 P + (lam - e0) v_k v_k', every non-zero eigenvalue e0 but one.
///
/// P projects onto the complement of the K signals, so the rank is d - K, and the v_k are orthonormal in its range; a
/// noise patch of class k is A_k zeta. For classes of equal size the noise correlation ratio NCR = F_kk/F_kj is at
/// least 1 for every spike, because F_kj^2 = <A_k A_k', A_j A_j'> <= F_kk F_jj.
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", Definition 1 and the experiments, which leave the eigenvectors open.
#pragma once

#include <dpcurves/core/field.hpp>

namespace dpcurves::models {

/// One member of the family, the same for every class but for the direction of its spike.
struct SpikedNoise {
  double classes = 5.0;
  double dimension = 200.0;
  double bulk = 0.5;
  double spike = 0.5;
  static constexpr std::tuple fields{
      required("classes", "K", &SpikedNoise::classes, whole("[2, inf)"), "classes"),
      required("dimension", "d", &SpikedNoise::dimension, whole("[4, inf)"), "dimension of a patch, at least 2 K"),
      required("bulk", "e0", &SpikedNoise::bulk, "(0, inf)", "common singular value of A_k, all but one"),
      required("spike", "lam", &SpikedNoise::spike, "(0, inf)", "the one other singular value of A_k")};
};

/// Exact norms of the family; k and j are different classes.
struct SpikedNorms {
  double rank = 0.0;
  double trace = 0.0;
  double frobenius = 0.0;
  double operator_norm = 0.0;
  double gram = 0.0;
  double cross_gram = 0.0;
  double cross_operator_norm = 0.0;
  double ratio = 1.0;
  static constexpr std::tuple fields{
      result("rank", &SpikedNorms::rank, "d - K"),
      result("trace", &SpikedNorms::trace, "Tr(A_k' A_k)"),
      result("frobenius", "frob_A", &SpikedNorms::frobenius, "|A_k|_F"),
      result("operator_norm", "op_A", &SpikedNorms::operator_norm, "|A_k|_op"),
      result("gram", "frob_AtA", &SpikedNorms::gram, "F_kk = |A_k' A_k|_F"),
      result("cross_gram", "frob_AtA_cross", &SpikedNorms::cross_gram, "F_kj = |A_k' A_j|_F"),
      result("cross_operator_norm", "op_AtA_cross", &SpikedNorms::cross_operator_norm, "|A_k' A_j|_op"),
      result("ratio", "ncr", &SpikedNorms::ratio, "NCR of classes of equal size")};
};

/// \throws DomainError  for a family outside its domain.
/// Accuracy: 4e-15 relative wherever the result is a normal double (the ratio also where F_kk overflows).
[[nodiscard]] SpikedNorms norms(const SpikedNoise& family);

/// The spike lam >= e0 with the given NCR >= 1; \p family's own spike is not read. (For 1 < NCR <= sqrt((r-1)/(r-2)),
/// r = d - K, there is a second one below e0.)
/// \throws DomainError  for NCR < 1, which classes of equal size and spectrum cannot have.
/// Accuracy: 4e-15 relative, also as NCR -> 1, where the quadratic formula loses half of the digits.
[[nodiscard]] double spike_of_ratio(double ratio, const SpikedNoise& family);

/// SNR_kj = n_k |u_k|^2/(sqrt(n_j) F_kj). \throws DomainError unless n >= 1, |u| >= 0, F > 0.
[[nodiscard]] double signal_to_noise(double own_count, double other_count, double signal_norm, double cross_gram);

/// NCR_kj = sqrt(n_k) F_kk/(sqrt(n_j) F_kj). \throws DomainError as above.
[[nodiscard]] double noise_correlation_ratio(double own_count, double other_count, double gram, double cross_gram);

}  // namespace dpcurves::models
