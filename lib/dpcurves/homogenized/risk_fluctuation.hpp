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

#include <dpcurves/core/field.hpp>

namespace dpcurves::homogenized {

/// Isotropic features, a constant step and no regularisation.
struct IsotropicFluctuationProblem {
  double eigenvalue = 1.0;
  double gamma = 0.0;
  double label_noise = 0.0;
  double noise = 0.0;
  double squared_error = 0.0;
  double dimension = 1.0;
  static constexpr std::tuple fields{
      required("eigenvalue", "lambda_", &IsotropicFluctuationProblem::eigenvalue, "[0, inf)", "the eigenvalue"),
      required("gamma", &IsotropicFluctuationProblem::gamma, "[0, inf)", "constant step size d eta"),
      required("label_noise", "E_xi2", &IsotropicFluctuationProblem::label_noise, "[0, inf)",
               "variance of the label noise"),
      required("noise", "sigma", &IsotropicFluctuationProblem::noise, "[0, inf)", "noise per coordinate of a gradient"),
      required("squared_error", "norm2_error0", &IsotropicFluctuationProblem::squared_error, "[0, inf)",
               "|x0 - xtilde|^2"),
      required("dimension", "dim", &IsotropicFluctuationProblem::dimension, "(0, inf)", "dimension d")};
};

/// Mean and variances of the risk P at one time; infinity beyond the range of double.
struct RiskFluctuation {
  double mean = 0.0;
  double variance_hsgd = 0.0;
  double variance_linear = 0.0;
  double variance_sgd = 0.0;
  static constexpr std::tuple fields{
      result("mean", "mean_P", &RiskFluctuation::mean, "E P, common to all three"),
      result("variance_hsgd", "var_P_hsgd", &RiskFluctuation::variance_hsgd,
             "of the stochastic differential equation (1), exact at every d"),
      result("variance_linear", "var_P_linear", &RiskFluctuation::variance_linear,
             "of the linearised equation (9), exact at every d"),
      result("variance_sgd", "var_P_sgd_leading", &RiskFluctuation::variance_sgd,
             "of noisy SGD with Gaussian features and label noise, leading order in 1/d")};
};

/// \param time  t >= 0, in units of d steps.
/// \throws DomainError  if a number is outside its range or not finite.
/// Accuracy: relative 1e-11 while gamma lambda t <= 1e4. Cost: about 5 us.
[[nodiscard]] RiskFluctuation risk_fluctuation(const IsotropicFluctuationProblem& problem, double time);

/// E y^p of the stationary law of (1) is finite exactly for p below this: its tails are polynomial.
/// 1 + d (2 - gamma lambda)/(2 gamma lambda). \throws DomainError  unless 0 < gamma lambda < 2.
[[nodiscard]] double stationary_moment_limit(const IsotropicFluctuationProblem& problem);

}  // namespace dpcurves::homogenized
