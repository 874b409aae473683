// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Where to split laws into a bulk and a rare part: heuristics in doubles that prove nothing. Internal.
#pragma once

#include <functional>
#include <vector>

#include <dpcurves/accounting/proof/plan.hpp>

namespace dpcurves::accounting::proof {

/// A split of every step, a line for it, and what a search for paths wants to know.
struct Split {
  struct Side {
    std::vector<Piece> pieces;
    double reference = 0.0, mean = 0.0;  ///< log of the moment at c, and the mean loss there
  };
  struct Laws {
    Side bulk, rare;
    double count = 0.0;
  };
  std::vector<Laws> steps;
  double c = 0.0, beyond = 0.0, h = 0.0;  ///< see Line
  double bulk_order = 0.0;                ///< where the bulk is bounded, if it is not seen
  double lost = 0.0;                      ///< digits, as a power of e, that cancel on the line
  double log_moment = 0.0;                ///< log prod M(c)^T
};

/// What a split leaves of delta to the bulk: nothing that is seen, or as much as there is, where the bulk has a saddle
/// point that its own largest losses do not hide.
enum class Leaves { nothing, bulk };

/// Splits with partitions of several widths, the likeliest first: delta is about e^{log_value} at epsilon and is wanted
/// to a relative e^{-digits}. \param problem  without large losses that are counted apart, by partitions of one width
/// (see Parting), or whole. \param more  takes one and says whether to go on.
void each_split(const Problem& problem, double epsilon, double log_value, double digits, Leaves leaves,
                const std::function<bool(const Split&)>& more);

}  // namespace dpcurves::accounting::proof
