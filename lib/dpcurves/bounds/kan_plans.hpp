// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Plans of the corollaries: which batch, number of steps, step size and width for n, d, epsilon and gamma.
///
/// Rates: every constant and polylogarithm is 1, numbers are real and not rounded.
///
/// Source: Wang et al., "Population Risk Bounds for Kolmogorov-Arnold Networks Trained by DP-SGD with Correlated
/// Noise", Corollaries 5.3 = C.24, 5.5 and 5.6.
#pragma once

#include <dpcurves/core/verdict.hpp>

namespace dpcurves::bounds {

/// The sizes of a run and the rate that they reach.
struct Plan {
  double iterates = 0.0;   ///< T
  double batch = 0.0;      ///< B
  double step_size = 0.0;  ///< eta
  double units = 0.0;      ///< m
  double rate = 0.0;       ///< of the population risk
};

/// Corollary 5.3: correlated noise, B = rho n, T = min(sqrt n/gamma, n epsilon gamma^2/sqrt d), eta = 1.
struct CorrelatedPlan {
  Plan plan;                 ///< with B = rho n
  Hypothesis privacy_valid;  ///< rho T >= 3 log(2/delta) and epsilon <= 1, as Theorem 5.1 needs
  Hypothesis delta_valid;    ///< delta <= min(1/(n sqrt m), gamma/n)
};
/// \param records  n >= 2. \param inputs  d >= 1. \param margin  in (0, 1]. \param epsilon  > 0.
/// \param delta  in (0, 1). \param share  rho in (0, 1].
[[nodiscard]] CorrelatedPlan correlated_plan(double records, double inputs, double margin, double epsilon, double delta,
                                             double share);

/// Corollary 5.5: independent noise, B = gamma sqrt n, T = sqrt n/gamma. It makes no claim of privacy: the noise of
/// Theorem 5.4 is too small in just this regime.
[[nodiscard]] Plan independent_plan(double records, double inputs, double margin, double epsilon);

/// Corollary 5.6: no noise, eta = B/n, T = n^2/(gamma^2 B).
struct NonPrivatePlan {
  Plan plan;                       ///< units 0: the corollary does not fix them
  double optimisation_rate = 0.0;  ///< 1/n
  Hypothesis batch_valid;          ///< B <= gamma sqrt n
};
/// \param records  n >= 2. \param margin  gamma in (0, 1]. \param batch  B in [1, n].
[[nodiscard]] NonPrivatePlan non_private_plan(double records, double margin, double batch);

}  // namespace dpcurves::bounds
