// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// delta of a single mixture step, both ends proved, however small it is. Internal.
///
/// Every piece is cut where its loss crosses the threshold: what is proved to be above it counts in both ends, what is
/// proved to be below it in none, and the slivers where the sign is not known in the upper end alone. Source:
/// docs/theory/accountant/mixtures.md, section "One step".
#pragma once

#include <optional>
#include <vector>

#include <dpcurves/accounting/mixture/problem.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting::mixture {

/// A problem that is one step, taken once, with nothing beside it.
class OneStep {
 public:
  /// Nothing where it is not, or has losses that are known on lattices alone.
  [[nodiscard]] static std::optional<OneStep> of(const Problem& problem);

  /// What is proved at a threshold, and about the derivative there.
  struct Value {
    Enclosure delta;
    double slope = 0.0;
  };
  /// \param epsilon  finite. Cost: some 100 logarithms of sums of the components for each piece; the slopes of losses
  /// that are not monotone are told once, by up to some 10^4 of them.
  [[nodiscard]] Value at(double epsilon) const;
  /// The least epsilon >= 0 with delta(epsilon) <= delta, infinite where there is none. \param delta  in (0, 1).
  [[nodiscard]] Enclosure epsilon(double delta) const;

 private:
  struct Segment {
    double left, right;
    int sign;            // of the slope of the loss; 0 where it is not known
    double least, most;  // losses on it
  };
  struct Sorted {
    Piece piece;
    LogRatio ratio;
    std::vector<Segment> segments;  // from left to right
    double left = 0.0, right = 0.0;
  };
  static void split(Sorted& sorted, double left, double right, int& cells);
  explicit OneStep(const Step& step);
  std::vector<Sorted> pieces_;
  Step step_;
};

}  // namespace dpcurves::accounting::mixture
