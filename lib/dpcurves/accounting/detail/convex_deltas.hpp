// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Sums of many deltas of one curve, of which few are asked for. Internal.
///
/// delta is the largest of the lines P(E) - e^s Q(E), so that it is convex in e^s: between two places that are known it
/// lies below their chord, and above the continued chords beside them.
#pragma once

#include <map>
#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>

namespace dpcurves::accounting::detail {

/// An epsilon and what its delta weighs.
struct WeightedPlace {
  double at;      ///< epsilon of the delta
  double weight;  ///< >= 0
};

/// What is known of a curve. Later sums use what earlier ones asked.
class ConvexDeltas {
 public:
  /// Takes the questions that it may ask.
  explicit ConvexDeltas(DeltaQuestions ask) : ask_(std::move(ask)) {}

  /// One end of the sum of weight times delta, within 1e-12 of it and of `others` for up to 64 places, else 1e-6.
  /// \param others  what stands beside it. \param up  which end.
  [[nodiscard]] double sum(const std::vector<WeightedPlace>& places, double others, bool up);

 private:
  /// A place between two that are known, and what follows for it.
  struct Between {
    double at, weight;
    Enclosure delta;
    bool known;
    [[nodiscard]] double open() const { return known ? 0.0 : weight * delta.width(); }
  };

  [[nodiscard]] Enclosure bounds(double at) const;
  void learn(double at);

  DeltaQuestions ask_;
  std::map<double, Enclosure> known_;
};

}  // namespace dpcurves::accounting::detail
