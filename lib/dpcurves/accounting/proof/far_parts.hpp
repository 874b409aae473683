// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Parts of a law whose large losses die out above a contour: heuristics in doubles that prove nothing. Internal.
#pragma once

#include <deque>
#include <vector>

#include <dpcurves/accounting/proof/plan.hpp>
#include <dpcurves/accounting/proof/tail_paths.hpp>

namespace dpcurves::accounting::proof {

/// What a step's moment is at most above order c + i y where its large losses R, a positive part of its law, are
/// integrated by themselves: M(c) - R(c) + |R(c + i y)|. Where steps seldom sample the record no path serves all of
/// the law: one that is high enough for the large losses adds more to the small ones than the large ones have.
class FarParts {
 public:
  /// \param step  is kept by reference. \param log_moment  log M(c).
  FarParts(const Step& step, double c, double log_moment);

  /// R(c) / M(c); 0 if there is no such part.
  [[nodiscard]] double share() const;
  /// About log of that bound; `chosen` gets what gives it. \param y  > 0
  [[nodiscard]] double at(double y, std::vector<FarPart>& chosen);

 private:
  struct Part {
    Part(FarPart shape, Piece of, double c, double moment, double mean, double digits);
    FarPart far;
    Piece law;
    TailPaths paths;        // refer to the law
    double inside;          // R(c) / M(c)
    double fraction = 1.0;  // the best height so far
  };
  /// \param odds  log of the moved share over the other at the left end. \param blur  of the edge.
  void add(std::size_t piece, double odds, double blur);

  /// About |R(c + i y)| / M(c), at most; sets the path of the part that gives it.
  [[nodiscard]] double bound(Part& part, double y) const;

  const Step& step_;
  double c_, log_moment_;
  std::vector<std::deque<Part>> parts_;  // of each piece, to choose from; they stay where they are
};

}  // namespace dpcurves::accounting::proof
