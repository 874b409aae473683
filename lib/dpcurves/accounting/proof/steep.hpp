// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Contours that leave the saddle point steeply towards the side on which e^{-z epsilon} decays, for compositions whose
/// transform does not decay upwards: few steps, rare steps, atoms. Heuristics in doubles that prove nothing. Internal.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <dpcurves/accounting/proof/plan.hpp>

namespace dpcurves::accounting::proof {

/// Where the search for a path ended: a start for the next one.
struct Bearing {
  std::array<double, 4> at{};
  double cost = 0.0;  ///< nodes over digits
};
/// Of every step and piece.
using Bearings = std::vector<std::vector<std::optional<Bearing>>>;

/// A contour through c that turns away by more than 45 degrees, with paths in x that keep |e^{z l}| small along it.
/// \param bearings  kept from plan to plan.
/// \param most_work  nodes of contour and paths together, a third of a microsecond each.
/// \param digits  delta is wanted to e^{-digits} of the integral of the modulus at c. \throws ConvergenceError  if none
/// was found.
[[nodiscard]] Plan steep_plan(const Problem& problem, double c, double epsilon, double digits, Bearings& bearings,
                              double most_work = 1e7);

}  // namespace dpcurves::accounting::proof
