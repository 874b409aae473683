// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A guarantee that is known by its profile delta(epsilon); the rest follows from it. Internal, not installed.
#pragma once

#include <span>
#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>

namespace dpcurves::correlated {

/// epsilon of delta, trade-off function and no Renyi divergence, from `delta`.
class ProfileCurve : public accounting::PrivacyCurve {
 public:
  /// \param both  whether the profile holds in both directions.
  explicit ProfileCurve(bool both = true) : both_(both) {}

  /// Found by rough_delta, promised where delta(...).value says so: both ends move out until it does.
  [[nodiscard]] accounting::Answer epsilon(double delta) const override;

  /// The largest of the lines 1 - delta(e) - exp(e) a, which lie below the trade-off function for every e, over a fixed
  /// set of thresholds e and those that are best at one of `type_one_errors`. All lines count at every type I error, so
  /// that the result is convex and does not increase, whatever the searches find.
  /// Cost: 129 evaluations of delta and two more per type I error; about 80 of rough_delta per type I error.
  [[nodiscard]] std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override;

  /// Nothing is known.
  [[nodiscard]] Enclosure renyi(double order) const override;

 protected:
  /// delta(epsilon).value.upper or a quicker value near it: it directs searches, nothing rests on it.
  [[nodiscard]] virtual double rough_delta(double epsilon) const { return delta(epsilon).value.upper; }
  /// delta at a negative epsilon by the symmetry of the worst of both directions.
  [[nodiscard]] accounting::Answer symmetric(double epsilon) const;

 private:
  bool both_;
};

}  // namespace dpcurves::correlated
