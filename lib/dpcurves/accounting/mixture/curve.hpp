// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Compositions of mixture steps as a privacy curve. Internal.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <dpcurves/accounting/mixture/profile.hpp>
#include <dpcurves/accounting/privacy_curve.hpp>

namespace dpcurves::accounting::mixture {

/// What is known of one direction of a mechanism.
struct Bounds {
  std::vector<Problem> above;  ///< every one dominates it
  CurvePtr attained;           ///< of a pair that it dominates; null: it attains the first of those above
  std::optional<Problem>
      exact;  ///< it attains this one, which only lattices hold: where they do, the rest is not asked
  std::optional<double> most_mu = {};                ///< of a Gaussian mechanism that dominates it too
  double most_used = 1.0;                            ///< at least the chance that anything is used
  std::function<std::vector<Problem>()> below = {};  ///< single steps that an attained one dominates, each by itself
  std::function<Bounds()> deeper = {};               ///< rarer uses kept, for smaller deltas; empty: nothing is gained
};

/// Upper ends from the least of those above, lower ends from the one that is attained. The Renyi divergence is not
/// computed: [0, inf]. \param relative  wanted width of delta. Asked from several threads, it answers one at a time.
[[nodiscard]] CurvePtr mixture_curve(Bounds bounds, double relative = 3e-7);
/// What a curve made so has below it.
[[nodiscard]] CurvePtr attained_by(const PrivacyCurve& curve);

}  // namespace dpcurves::accounting::mixture
