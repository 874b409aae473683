// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The expected change of a quadratic in one step of noisy SGD with Gaussian features.
///
/// q(v) = v'Hv/2 + u'v of v = x - xtilde, with H diagonal in the eigenbasis. Leading part (what the diffusion keeps)
/// plus remainder is exactly E[q(v_k) - q(v_{k-1}) | v_{k-1}].
///
/// Source: Lin, Kolaczyk, Smith and Paquette, Lemma A.1, whose remainder counts E[Delta]'H E[Delta] twice; here it is
/// counted once, and the printed remainder is kept under its name.
#pragma once

#include <Eigen/Core>

#include <dpcurves/core/field.hpp>

namespace dpcurves::homogenized {

/// A quadratic, a problem and a state, all in the eigenbasis of the features' second moment.
struct DoobSetting {
  Eigen::ArrayXd eigenvalues;   ///< lambda >= 0, shape (N)
  Eigen::ArrayXd hessian;       ///< diagonal of H, shape (N)
  Eigen::ArrayXd linear;        ///< u, shape (N)
  Eigen::ArrayXd error;         ///< v = x - xtilde before the step, shape (N)
  Eigen::ArrayXd xtilde;        ///< shape (N)
  double rate = 0.0;            ///< gamma = d eta >= 0
  double dimension = 1.0;       ///< d > 0
  double regularisation = 0.0;  ///< delta >= 0
  double noise = 0.0;           ///< sigma >= 0
  double label_noise = 0.0;     ///< E[w^2] >= 0
};

/// The parts of the expected change.
struct DoobStep {
  double leading = 0.0;
  double remainder = 0.0;
  double mean_increment = 0.0;
  double remainder_printed_form = 0.0;
  static constexpr std::tuple fields{
      result("leading", &DoobStep::leading, "drift and diffusion to the order that the diffusion keeps"),
      result("remainder", &DoobStep::remainder, "corrected"),
      result("mean_increment", &DoobStep::mean_increment, "leading + remainder"),
      result("remainder_printed_form", &DoobStep::remainder_printed_form, "with the term that Lemma A.1 prints twice")};
};

/// \throws DomainError  for values outside their ranges or shapes that differ. Accuracy: 1e-13 of the largest term.
[[nodiscard]] DoobStep doob_step(const DoobSetting& setting);

}  // namespace dpcurves::homogenized
