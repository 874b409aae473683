// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Paths in x for steep contours: heuristics in doubles that prove nothing. Internal.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <dpcurves/accounting/proof/paths.hpp>
#include <dpcurves/accounting/proof/steep.hpp>

namespace dpcurves::accounting::proof {

/// An order of the contour or of a displaced one, and the logarithm of the error that its moment may have.
struct Order {
  Plain z;
  double cut = 0.0;
  double radius = 0.0;  ///< of the disc around it that is bounded as a whole
};

/// The path with the fewest nodes, of those that leave l = 0 upwards, stay below the branch point, and rise beyond it.
/// \param known  where an earlier search ended; replaced. \throws ConvergenceError  if every path is too long.
[[nodiscard]] Path steep_path(const Piece& piece, const std::vector<Order>& orders, std::optional<Bearing>& known);

}  // namespace dpcurves::accounting::proof
