// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Fluctuations of the risk of noisy SGD, of HSGD and of its linearisation around their common mean, for isotropic
/// features.
///
/// Sigma = lambda I_d, no regularisation, constant gamma: the squared error y = |x - xtilde|^2 has closed moment
/// equations. The three processes have the same mean risk and different variances of order 1/d, so that their laws
/// differ at the first order that is random; no ratio of the three tends to 1 with d.
///
/// Source: derived from equations (1) and (9) of Lin, Kolaczyk, Smith and Paquette by Ito's formula; not in the paper,
/// whose Conjecture 3.1 it limits.
#pragma once

namespace dpcurves::homogenized {

/// Isotropic features, a constant step and no regularisation.
struct IsotropicFluctuationProblem {
  double eigenvalue = 1.0;     ///< lambda >= 0
  double gamma = 0.0;          ///< constant step size d eta >= 0
  double label_noise = 0.0;    ///< E[w^2] >= 0
  double noise = 0.0;          ///< sigma >= 0
  double squared_error = 0.0;  ///< |x_0 - xtilde|^2 >= 0
  double dimension = 1.0;      ///< d > 0
};

/// Mean and variances of the risk P at one time; infinity beyond the range of double.
struct RiskFluctuation {
  double mean = 0.0;             ///< E P, common to all three
  double variance_hsgd = 0.0;    ///< of the stochastic differential equation (1), exact at every d
  double variance_linear = 0.0;  ///< of the linearised equation (9), exact at every d
  double variance_sgd = 0.0;     ///< of noisy SGD with Gaussian features and label noise, leading order in 1/d
};

/// \param time  t >= 0, in units of d steps.
/// \throws DomainError  if a number is outside its range or not finite.
/// Accuracy: relative 1e-11 while gamma lambda t <= 1e4. Cost: about 5 us.
[[nodiscard]] RiskFluctuation risk_fluctuation(const IsotropicFluctuationProblem& problem, double time);

/// E y^p of the stationary law of (1) is finite exactly for p below this: its tails are polynomial.
/// 1 + d (2 - gamma lambda)/(2 gamma lambda). \throws DomainError  unless 0 < gamma lambda < 2.
[[nodiscard]] double stationary_moment_limit(const IsotropicFluctuationProblem& problem);

}  // namespace dpcurves::homogenized
