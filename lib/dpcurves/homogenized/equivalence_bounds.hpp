// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Right-hand sides of the theorems that compare noisy SGD, noisy HSGD and the deterministic risk.
///
/// The constant c_0 exists but is not given, and as printed the theorems need more than they say (features whose
/// quadratic forms concentrate, label noise independent of the features, bounded start, noise and steps): these are
/// rates with hypotheses, never certificates.
///
/// Source: Lin, Kolaczyk, Smith and Paquette, Theorem 3.1, Theorem 4.1, Corollary 4.1, Definition 2, Theorem A.3 (which
/// is Theorem 3.1 without noise).
#pragma once

#include <dpcurves/models/least_squares.hpp>

namespace dpcurves::homogenized {

/// What the theorems' right-hand sides depend on.
struct EquivalenceSetting {
  double quadratic_norm = 1.0;  ///< |q|_C2 >= 0 of the quadratic whose values are compared
  double growth = 1.0;          ///< c_0 > 0, an unspecified constant of the theorems
  double exponent = 0.0;        ///< c_* >= 0 of Assumption 2: |w|_psi2 and |xtilde| are at most d^c_*
  double noise = 0.0;           ///< sigma >= 0
  double iterations = 0.0;      ///< n >= 0
  double dimension = 2.0;       ///< d >= 2
};

/// The right-hand sides and their logarithms.
struct EquivalenceBounds {
  double theorem_3_1 = 0.0;            ///< |q| e^(c_0 n/(8d)) (d^(-1/2+9c) + 2 sigma d^(-1/2+2c) + sigma^2 d^(-1/2))
  double theorem_4_1 = 0.0;            ///< d^(-1/2+2c)
  double corollary_4_1 = 0.0;          ///< 2 |q| e^(c_0 n/(8d)) (d^(-1/2+9c) + sigma d^(-1/2+2c) + sigma^2 d^(-1/2))
  double log_theorem_3_1 = 0.0;        ///< natural logarithms, finite where the values overflow
  double log_corollary_4_1 = 0.0;      ///< of corollary_4_1
  bool iterations_admissible = false;  ///< n <= d ln d/c_0, outside of which nothing is claimed
};

/// \throws DomainError  for values outside the ranges above. Accuracy: relative 1e-14 of the logarithms' size.
[[nodiscard]] EquivalenceBounds equivalence_bounds(const EquivalenceSetting& setting);

/// |P|_C2 = |Sigma| + |Sigma xtilde| + xtilde' Sigma xtilde/2 + E[w^2]/2 of the population risk (Definition 2: operator
/// norm of the Hessian, gradient and value at 0).
[[nodiscard]] double population_risk_norm(const models::LeastSquares& problem);

}  // namespace dpcurves::homogenized
