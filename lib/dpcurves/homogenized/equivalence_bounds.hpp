// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Right-hand sides of the theorems that compare noisy SGD, noisy HSGD and the deterministic risk.
///
/// The constant c_0 exists but is not given, and as printed the theorems need more than they say (features whose
/// quadratic forms concentrate, label noise independent of the features, bounded start, noise and steps, a factor
/// d^epsilon in Theorem 4.1): these are rates with hypotheses, never certificates.
///
/// Source: Lin, Kolaczyk, Smith and Paquette, Theorem 3.1, Theorem 4.1, Corollary 4.1, Definition 2, Theorem A.3 (which
/// is Theorem 3.1 without noise).
#pragma once

#include <dpcurves/core/field.hpp>
#include <dpcurves/core/verdict.hpp>
#include <dpcurves/models/least_squares.hpp>

namespace dpcurves::homogenized {

/// What the theorems' right-hand sides depend on.
struct EquivalenceSetting {
  double quadratic_norm = 1.0;
  double growth = 1.0;
  double exponent = 0.0;
  double noise = 0.0;
  double iterations = 0.0;
  double dimension = 2.0;
  static constexpr std::tuple fields{
      required("quadratic_norm", "q_C2_norm", &EquivalenceSetting::quadratic_norm, "[0, inf)",
               "|q|_C2 (Definition 2) of the quadratic whose values are compared"),
      required("growth", "c0", &EquivalenceSetting::growth, "(0, inf)", "the constant that the theorems leave open"),
      required("exponent", "c_star", &EquivalenceSetting::exponent, "[0, inf)", "growth exponent of Assumption 2"),
      required("noise", "sigma", &EquivalenceSetting::noise, "[0, inf)", "noise per coordinate of a gradient"),
      required("iterations", "n", &EquivalenceSetting::iterations, "[0, inf)", "iterations"),
      required("dimension", "dim", &EquivalenceSetting::dimension, "[2, inf)", "dimension d")};
};

/// The right-hand sides and their logarithms.
struct EquivalenceBounds {
  double theorem_3_1 = 0.0;
  double theorem_4_1 = 0.0;
  double corollary_4_1 = 0.0;
  double log_theorem_3_1 = 0.0;
  double log_corollary_4_1 = 0.0;
  Hypothesis iterations_admissible{};
  static constexpr std::tuple fields{
      result("theorem_3_1", &EquivalenceBounds::theorem_3_1,
             "|q| e^(c_0 n/(8d)) (d^(-1/2+9c) + 2 sigma d^(-1/2+2c) + sigma^2 d^(-1/2))"),
      result("theorem_4_1", &EquivalenceBounds::theorem_4_1, "d^(-1/2+2c)"),
      result("corollary_4_1", &EquivalenceBounds::corollary_4_1,
             "2 |q| e^(c_0 n/(8d)) (d^(-1/2+9c) + sigma d^(-1/2+2c) + sigma^2 d^(-1/2))"),
      result("log_theorem_3_1", &EquivalenceBounds::log_theorem_3_1,
             "natural logarithms, finite where the values overflow"),
      result("log_corollary_4_1", &EquivalenceBounds::log_corollary_4_1, "of corollary_4_1"),
      result("iterations_admissible", "n_admissible", &EquivalenceBounds::iterations_admissible,
             "n <= d ln d/c_0, outside of which nothing is claimed")};
};

/// \throws DomainError  for values outside the ranges above. Accuracy: relative 1e-14 of the logarithms' size.
[[nodiscard]] EquivalenceBounds equivalence_bounds(const EquivalenceSetting& setting);

/// |P|_C2 = |Sigma| + |Sigma xtilde| + xtilde' Sigma xtilde/2 + E[w^2]/2 of the population risk (Definition 2: operator
/// norm of the Hessian, gradient and value at 0).
[[nodiscard]] double population_risk_norm(const models::LeastSquares& problem);

}  // namespace dpcurves::homogenized
