// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Thresholds just below the largest loss, for records added to Poisson batches. Internal.
///
/// A step has the loss -log(1 - q) - Y with Y > 0, so that the sum is above a threshold r below the largest only where
/// all Y together are below r: one power of a polynomial, cut off there, has all of it. Proof: Lemma 15 of
/// docs/theory/accountant/proof.md.
#pragma once

#include <optional>
#include <vector>

#include <dpcurves/accounting/proof/plan.hpp>

namespace dpcurves::accounting::proof {

/// Both ends of delta near the largest loss.
class NearTop {
 public:
  /// For thresholds from `range` below the largest loss on. \param problem  of records added alone, without a Gaussian
  /// part. \param cells  of the range, a power of 2. \throws ConvergenceError  where the largest loss is not seen in
  /// doubles' range. Cost: 3 us a cell, times log2 of the steps.
  NearTop(const Problem& problem, double range, long cells);
  /// Whether that is how a composition can be seen.
  [[nodiscard]] static bool serves(const Problem& problem);

  /// A ball with delta(epsilon), at most as wide as what a step of all Y by a cell does; none below the range.
  [[nodiscard]] std::optional<rigorous::Real> delta(const rigorous::Real& epsilon) const;
  /// epsilon at delta, to the steps' number of cells; none where it is below the range. \param target  positive.
  struct Ends {
    rigorous::Real lower, upper;
  };
  [[nodiscard]] std::optional<Ends> epsilon(const rigorous::Real& target) const;

 private:
  static constexpr slong value_bits = 128;
  /// E[(1 - e^{-(r - S)})+] for S rounded down to whole cells, with r a whole number of them.
  [[nodiscard]] rigorous::Real rounded(long r) const;

  double cell_;
  long steps_;
  rigorous::Real top_;
  std::vector<rigorous::Real> mass_, grown_;  // sums up to each cell: of the chances of S, and of these times e^S
};

}  // namespace dpcurves::accounting::proof
