// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Renyi loss of the last iterate where all eigenvalues are equal and the step size is constant, from inner products
/// alone: the setting of Figure 2(b).
///
/// Source: Lin, Kolaczyk, Smith and Paquette, Theorem 4.3 and section 5.
#pragma once

#include <span>
#include <vector>

#include <dpcurves/homogenized/neighbouring_laws.hpp>
#include <dpcurves/homogenized/renyi_loss.hpp>

namespace dpcurves::homogenized {

/// One pass over n records in dimension d with one eigenvalue.
struct IsotropicPass {
  double eigenvalue = 1.0;      ///< > 0, of multiplicity d
  double regularisation = 0.0;  ///< delta >= 0
  double step_size = 0.0;       ///< eta > 0, constant
  double dimension = 1.0;       ///< d, whole
  double records = 1.0;         ///< n
  double label_noise = 0.0;     ///< E[w^2] >= 0
  double noise = 0.0;           ///< sigma >= 0, per coordinate of a gradient
  double norm2_x0 = 0.0;        ///< |x0|^2
  double dot_x0_xtilde = 0.0;   ///< x0' xtilde
  double norm2_xtilde = 0.0;    ///< |xtilde|^2
  PairProducts pair{};          ///< of one block
};

/// Loss bounds (value plus error) along the iterations.
struct IsotropicLosses {
  std::vector<double> forward;       ///< first || second
  std::vector<double> backward;      ///< second || first, as printed
  std::vector<double> figure_units;  ///< backward, with the published units: see below
};

/// The losses of releasing iterate k, for each k in `iterations`, all in [0, n].
///
/// `figure_units` reproduces the published curve: mean, variance, decay and jump take step eta/d where P_k takes eta,
/// so nothing contracts and the curve rises to a plateau. In consistent units it peaks early and falls.
/// \throws DomainError outside the ranges above. Accuracy: relative 1e-9 below the order limit.
[[nodiscard]] IsotropicLosses isotropic_losses(const IsotropicPass& pass, double renyi_order,
                                               std::span<const double> iterations);

}  // namespace dpcurves::homogenized
