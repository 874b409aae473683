// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The sum over the number of jumps as an inversion, where that number has many likely values. Internal.
///
/// One step's loss is s with chance 1 - q and j + N(mu^2 / 2, mu^2) with chance q: its moments are
///   M(z) = (1 - q) e^{z s} + q e^{z j + z (z + 1) mu^2 / 2},
/// and Lemma 9 of docs/theory/accountant/proof.md holds for this law. Cost: some fifty nodes for any number of steps.
#pragma once

#include <dpcurves/accounting/proof/line.hpp>

namespace dpcurves::accounting::proof {

/// The law of a step and how often it is composed.
struct JumpLaw {
  rigorous::Real q, stay, jump, mu;  ///< q, s, j and mu
  double count = 0.0;
  rigorous::Real gaussian_square;  ///< mu^2 of a Gaussian part

  /// About log E[(1 - e^{epsilon - L})_+], L the sum of the losses, or, `rest`, of 1 less that: the saddle point's
  /// estimate.
  [[nodiscard]] double log_estimate(double epsilon, bool rest) const;
  /// About where that is log_value.
  [[nodiscard]] double threshold(double log_value, bool rest) const;
};

/// E[(1 - e^{epsilon - L})_+] near one threshold, or, `rest`, 1 less that: E[min(1, e^{epsilon - L})].
class JumpLine final : public Line {
 public:
  /// \param digits  the value is wanted to a relative e^{-digits}. \throws ConvergenceError  where too few jumps are
  /// likely.
  JumpLine(const JumpLaw& law, double epsilon, double digits, bool rest);
};

}  // namespace dpcurves::accounting::proof
