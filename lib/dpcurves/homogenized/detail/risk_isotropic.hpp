// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The expected risk for Sigma = lambda I and a constant step, in closed form.
#pragma once

#include <dpcurves/core/field.hpp>

namespace dpcurves::homogenized {

/// Sigma = lambda I in dimension d, constant gamma = d eta.
struct IsotropicRisk {
  double eigenvalue = 0.0;
  double regularisation = 0.0;
  double noise = 0.0;
  double rate = 0.0;
  double label_noise = 0.0;
  double norm2_x0 = 0.0;
  double dot_x0_xtilde = 0.0;
  double norm2_xtilde = 0.0;
  static constexpr std::tuple fields{
      required("eigenvalue", "lambda_", &IsotropicRisk::eigenvalue, "(0, inf)", "eigenvalue, as many as dim"),
      required("regularisation", "delta", &IsotropicRisk::regularisation, "[0, inf)", "l2 regularisation"),
      required("noise", "sigma", &IsotropicRisk::noise, "[0, inf)", "noise per coordinate of a gradient"),
      required("rate", "gamma", &IsotropicRisk::rate, "(0, inf)", "constant step, d eta"),
      required("label_noise", "E_xi2", &IsotropicRisk::label_noise, "[0, inf)", "variance of the label noise"),
      required("norm2_x0", &IsotropicRisk::norm2_x0, "[0, inf)", "|x0|^2"),
      required("dot_x0_xtilde", &IsotropicRisk::dot_x0_xtilde, "(-inf, inf)", "x0'xtilde"),
      required("norm2_xtilde", &IsotropicRisk::norm2_xtilde, "[0, inf)", "|xtilde|^2")};
};

/// omega = 2 gamma alpha - gamma^2 lambda^2, alpha = lambda + delta: the rate at which the risk reaches its limit; at
/// or below 0 it grows for ever. \throws DomainError  for values outside the ranges above; so for all below.
[[nodiscard]] double decay_rate(const IsotropicRisk& setting);

/// P_t = P_0 exp(-omega t) + c_0 f_0 + (kappa/2) A_1 f_1 with kappa = 2 gamma alpha (Theorem 4.2 of Lin et al.,
/// solved): exact through the critical step (omega = 0) and the resonance omega = kappa/2. \return infinity where the
/// risk exceeds the doubles. Accuracy: relative error below 1e-13 (1 + |omega| t). Cost: about 100 ns. \throws
/// DomainError  unless t >= 0 is finite.
[[nodiscard]] double population_risk(const IsotropicRisk& setting, double t);

/// The limit of P_t, infinity if omega <= 0.
[[nodiscard]] double limiting_risk(const IsotropicRisk& setting);

}  // namespace dpcurves::homogenized
