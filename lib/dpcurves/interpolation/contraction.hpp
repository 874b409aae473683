// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The contraction factor c of a gradient step, known through c or through 1 - c without losing digits of either.
///
/// A step x - eta grad f(x) with f m-strongly convex and M-smooth is c-Lipschitz with
/// 1 - c = min(eta m, 2 - eta M) while eta is at most 2/M. For eta m below 1e-10 the double nearest to c no longer
/// knows 1 - c, and every bound depends on 1 - c; so it is kept.
///
/// Source: Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024), Lemma 2.8.
#pragma once

namespace dpcurves::interpolation {

/// A contraction factor in [0, 1]. Immutable; 1 unless said otherwise.
class Contraction {
 public:
  Contraction() = default;

  /// \param c  in [0, 1]. \throws DomainError otherwise.
  [[nodiscard]] static Contraction factor(double c);
  /// \param one_minus_c  in [0, 1]. \throws DomainError otherwise.
  [[nodiscard]] static Contraction complement(double one_minus_c);

  /// c in [0, 1]; where 1 - c was given, the double nearest to c.
  [[nodiscard]] double c() const { return factor_; }
  /// 1 - c in [0, 1]; where c was given, its exact complement.
  [[nodiscard]] double one_minus_c() const { return complement_; }
  /// h = -log c in [0, inf], to one unit in the last place of the number that was given.
  [[nodiscard]] double decay() const { return decay_; }
  /// c^n, n >= 0 (may be infinite; 0^0 = 1, 1^inf = 1).
  [[nodiscard]] double power(double n) const;
  /// 1 - c^n without cancellation, n >= 0.
  [[nodiscard]] double one_minus_power(double n) const;
  /// 1 + c + ... + c^(n-1) = (1 - c^n)/(1 - c), n >= 0; n itself for c = 1.
  [[nodiscard]] double geometric_sum(double n) const;

 private:
  double factor_ = 1.0;
  double complement_ = 0.0;
  double decay_ = 0.0;
};

}  // namespace dpcurves::interpolation
