// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Phased SGD with the identity link on the unit sphere: the exact mean square distance from w*.
///
/// With x uniform on the unit sphere of R^d, y = <w*, x> + noise of variance s^2, the second moments of the iterates,
/// of their sum and of their product follow a linear recursion. Its power to the size of a phase is formed by squaring,
/// with entries that are sums of positive numbers and diagonals kept as differences from 1, so that a phase of 2^60
/// records costs 60 products of 4 x 4 matrices and no digits.
///
/// The risk excess is E|w_k - w*|^2/d, the surrogate excess half of it.
#pragma once

#include <cstdint>

#include <dpcurves/core/field.hpp>

namespace dpcurves::simulate {

/// A run of phased SGD with the identity link.
struct PhasedIdentityRun {
  std::uint64_t records = 2;
  double dimension = 2.0;
  double step_size = 1.0;
  double noise_per_step = 0.0;
  double label_variance = 0.0;
  double start_squared = 1.0;
  static constexpr std::tuple fields{
      required("records", "n", &PhasedIdentityRun::records, whole("[2, 9e18]"), "records"),
      required("dimension", "d", &PhasedIdentityRun::dimension, whole("[2, inf)"), "dimension"),
      required("step_size", "eta", &PhasedIdentityRun::step_size, "(0, inf)", "step size; phase i takes eta/4^i"),
      required("noise_per_step", "tau_over_eta", &PhasedIdentityRun::noise_per_step, "[0, inf)",
               "c: phase i adds noise c eta_i per coordinate"),
      required("label_variance", "noise_var", &PhasedIdentityRun::label_variance, "[0, inf)",
               "variance of the label noise"),
      required("start_squared", "D2", &PhasedIdentityRun::start_squared, "[0, inf)", "|w_0 - w*|^2")};
};

/// What the exact law of a run says.
struct PhasedIdentityLaw {
  double squared_distance = 0.0;  ///< E|w_k - w*|^2, infinite where it overflows
  double gradient_squared = 0.0;  ///< the largest E|gradient|^2 of a step, v_t/d + s^2: Theorem 1 asks for 4 B^2
};

/// \throws DomainError for values outside the ranges above.
/// Accuracy: 1e-13 relative while eta_1 <= d, beyond it 1e-13 of the terms of an alternating sum.
[[nodiscard]] PhasedIdentityLaw phased_identity_law(const PhasedIdentityRun& run);

}  // namespace dpcurves::simulate
