// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What a composition of a Gaussian and symmetrised subsampled Gaussians gives, unproved, in doubles: to search by.
///
/// delta(epsilon) is the integral of M(z) e^{-z epsilon} / (2 pi i z (z + 1)) over an upright line through the saddle
/// point, where the trapezoidal rule takes some ten nodes; moments are panels of Gauss-Legendre rules. Internal.
#pragma once

#include <optional>

#include <dpcurves/interpolation/sgd_horizon.hpp>

namespace dpcurves::interpolation {

/// log delta at the target's epsilon, or epsilon at its delta; nothing where doubles do not reach, the integrand goes
/// on for long (few steps without a Gaussian part), or the rule does not settle. No bound: accounting proves
/// guarantees.
///
/// \param composition  of symmetrised pairs.
/// Accuracy: about 1e-8, relative for epsilon and absolute for log delta. Cost: 1 ms; 10 ms at most.
[[nodiscard]] std::optional<double> estimated_value(const accounting::Composition& composition,
                                                    const SgdTarget& target);

}  // namespace dpcurves::interpolation
