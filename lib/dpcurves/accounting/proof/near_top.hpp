// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Thresholds below the largest loss, for records added to Poisson batches. Internal.
///
/// A step has the loss -log(1 - q) - Y with Y > 0, so that the sum is above a threshold r below the largest only where
/// all Y together are below r: powers of polynomials, cut off there, have all of it. Proof: Lemma 15 of
/// docs/theory/accountant/proof.md.
#pragma once

#include <vector>

#include <dpcurves/accounting/proof/plan.hpp>

namespace dpcurves::accounting::proof {

/// Both ends of delta near the largest loss.
class NearTop {
 public:
  /// For thresholds from `range` below the largest loss on. \param problem  of records added alone, without a Gaussian
  /// part. \param cells  of the range; where they are so small that balls do not tell their ends apart nothing is
  /// known. Cost: 3 us a cell and kind of step, and as much times log2 of its count.
  NearTop(const Problem& problem, double range, long cells);
  /// Whether that is how a composition can be seen.
  [[nodiscard]] static bool serves(const Problem& problem);

  /// At most delta(epsilon): what a test of rounded losses sees. \param epsilon  exact.
  [[nodiscard]] rigorous::Real least(const rigorous::Real& epsilon) const;
  /// At least delta(epsilon); 1 below the range. \param epsilon  exact.
  [[nodiscard]] rigorous::Real most(const rigorous::Real& epsilon) const;
  /// Ends of epsilon at delta; 0 and infinity where the range ends before. \param target  positive.
  struct Ends {
    rigorous::Real lower, upper;
  };
  [[nodiscard]] Ends epsilon(const rigorous::Real& target) const;

 private:
  static constexpr slong value_bits = 128;

  double cell_;
  rigorous::Real top_;
  std::vector<rigorous::Real> mass_, grown_;  // of cells spread to their ends: sums of chances, and of these times e^S
  std::vector<rigorous::Real> here_, there_;  // of cells rounded down: chances under the alternative, e^top of the null
  std::vector<rigorous::Real> all_here_, all_there_;  // their sums
};

}  // namespace dpcurves::accounting::proof
