// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The losses of one step in cells, and the laws above and below it that they give. Internal; see lattice_laws.hpp.
///
/// Source: docs/theory/accountant/lattice.md, section "Two laws".
#pragma once

#include <algorithm>
#include <vector>

#include <dpcurves/accounting/detail/lattice_laws.hpp>

namespace dpcurves::accounting::detail {

/// Masses are kept under the null where the loss is negative and times a power of the ratio elsewhere: none underflows
/// where it counts.
struct Scale {
  double power = 1.0;  ///< 1 and the order of the tilt
  /// The logarithm of the factor at a loss.
  double operator()(double point) const { return power * std::max(point, 0.0); }
};

/// Masses of one step in the cells [k h + shift, (k+1) h + shift) of the loss, in the scale of the lower end, and what
/// the mean of the ratio exceeds that end by, in units of it, times the mass.
struct Cells {
  Scale scale;                 ///< of the masses
  double h = 0.0;              ///< width of a cell
  double shift = 0.0;          ///< lower end of the cell 0
  long first = 0;              ///< the lowest cell
  std::vector<double> mass;    ///< of the cells from the lowest one on
  std::vector<double> excess;  ///< of the same
  double atom = 0.0;           ///< mass of loss 0
  double dropped = 0.0;        ///< mass of the alternative below the lowest cell
  bool fixed = false;          ///< whether the crowd is an atom at the point 0, which is not moved
  /// The highest cell.
  [[nodiscard]] long last() const { return first + static_cast<long>(mass.size()) - 1; }
  /// The lower end of cell k.
  [[nodiscard]] double point(long k) const { return static_cast<double>(k) * h + shift; }
};

/// To the ends of the cells. The last point takes what is above it, with the rest of its mean at infinity; the first
/// one what is below it, so that its mean is kept, with the rest of its mass at 0.
/// \param beyond  the mass that is in no cell.
[[nodiscard]] LatticeLaw law_above(const Cells& cells, double beyond);

/// What is within h of the crowd becomes one point, its mean, and the lattice goes through it.
[[nodiscard]] LatticeLaw law_below(const Cells& cells);

}  // namespace dpcurves::accounting::detail
