// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Panels for the integral that defines the moment generating function, with a bound on their error. Internal.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include <dpcurves/accounting/few_steps/deadline.hpp>
#include <dpcurves/accounting/few_steps/loss_law.hpp>

namespace dpcurves::accounting::detail {

/// pi in the precision of Real.
template <class Real>
[[nodiscard]] Real pi_of();

/// An interval of the variable t of HalfLaw.
struct Panel {
  double begin = 0.0;  ///< t >= 0
  double end = 0.0;    ///< > begin; infinite panels are not made
};

/// The panels of one half and what is known of them.
struct PanelSet {
  std::vector<Panel> panels;  ///< ascending, without those that cannot matter
  double log_scale = 0.0;     ///< log of the size of the largest integrand, at least 0
  double end = 0.0;           ///< beyond it next to nothing is left
  double error = 0.0;         ///< bound on the quadrature error over growth(frequency), in units of exp(log_scale)
};

/// How the integrand of M(c + i w) - M(c) grows with the frequency. The two halves of a symmetric pair are taken
/// together, null (e^{(z+1) l} + e^{-z l} - 1 - e^l), whose derivative in z is l (e^{(z+1) l} - e^{-z l}):
/// |integrand| <= growth l^2 null e^{top l}. A half by itself has |integrand| <= growth l (1 + l) null e^{top l}.
[[nodiscard]] inline double frequency_growth(bool paired, double c, double w) {
  return paired ? w * (std::abs(2.0 * c + 1.0) + 2.0 * w) : w;
}
/// The same for the integrand of M(c) - 1. A half by itself is taken as null (e^{e l} - 1 - e (e^l - 1)) with e = c + 1
/// on the right and e = -c on the left; the subtracted terms of the two halves cancel in the sum.
[[nodiscard]] inline double moment_growth(double c) { return std::abs(c) * (c + 1.0); }
/// The exponent e of a half and, with the null's own and the alternative's exponents 0 and 1, the largest.
[[nodiscard]] inline double half_exponent(bool left, double c) { return left ? -c : c + 1.0; }

/// What the panels are for: lowest <= |Im z| <= frequency on Re z = c, c > -1.
struct PanelTask {
  double c = 1.0;          ///< the line, c > -1
  bool paired = true;      ///< both halves of a symmetric pair at once
  bool left = false;       ///< of one half: which
  double frequency = 0.0;  ///< the largest |Im z| that matters
  double target = 1e-15;   ///< wanted bound on the error, in units of exp(log_scale)
  int points = 20;         ///< Gauss-Legendre points of a panel
  double lowest = 0.0;     ///< only |Im z| from here on matter: what is known better otherwise may be left out
  double reach = std::numeric_limits<double>::infinity();  ///< only losses up to here
  bool moment = true;                                      ///< M(c) - 1 is wanted from them as well
};

/// Panels such that a rule of `points` points errs by at most `target` exp(log_scale) in this half's part of
/// M(z) - M(c), or of what losses up to `reach` contribute to it, including what is left out. The bound is analytic;
/// `error` reports it, also where it stays above the target. \throws ConvergenceError  if that takes too many panels,
/// or the deadline passes.
[[nodiscard]] PanelSet make_panels(const HalfLaw& half, const PanelTask& task, const Deadline* deadline = nullptr);

}  // namespace dpcurves::accounting::detail
