// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A composition of mixture steps, and what is known of it before anything is integrated. Internal.
#pragma once

#include <vector>

#include <dpcurves/accounting/mixture/law.hpp>

namespace dpcurves::accounting::mixture {

/// Steps beside a Gaussian mechanism.
struct Problem {
  std::vector<Step> steps;
  rigorous::Real gaussian_square;  ///< mu^2 of the Gaussian mechanism
};

/// That some loss is infinite.
[[nodiscard]] rigorous::Real infinite_mass(const Problem& problem);
/// The largest sum of finite losses; infinite where there is none.
[[nodiscard]] rigorous::Real largest_loss(const Problem& problem);
/// Atoms alone come back to their phases again and again.
[[nodiscard]] bool returns(const Problem& problem);
/// Whether a contour's nodes are sums of many terms: in balls, they take seconds.
[[nodiscard]] bool many_terms(const Problem& problem);
/// Whether some step has losses that contours do not know.
[[nodiscard]] bool lattice_only(const Problem& problem);

}  // namespace dpcurves::accounting::mixture
