// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A piece of a law on cells of one width, in doubles: for plans, which prove nothing. Internal.
#pragma once

#include <cstddef>
#include <vector>

#include <dpcurves/accounting/proof/piece.hpp>

namespace dpcurves::accounting::proof {

constexpr double cell_grid = 1.0 / 16.0;  ///< the widest cells; places where laws are cut are multiples of it

/// A law on the real line: losses and log masses of cells that begin at `first`.
struct CellLaw {
  Piece piece;
  double first = 0.0, width = 0.0;
  std::vector<double> loss, log_mass, mass;
  [[nodiscard]] double place(std::size_t j) const { return first + (static_cast<double>(j) + 0.5) * width; }
  /// Losses of this law may be rare and large.
  [[nodiscard]] bool rises() const { return piece.side() > 0; }
};

/// \param least  log of the density where it ends. \param beyond  deviations that it is known past that.
[[nodiscard]] CellLaw law_on_cells(const Piece& p, double least, double beyond);

}  // namespace dpcurves::accounting::proof
