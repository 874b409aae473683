// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Compositions below others: what is proved of one composition holds for all whose parameters are no larger. Internal.
///
/// Source: docs/theory/accountant/proof.md, Lemma 13.
#pragma once

#include <cstddef>
#include <deque>

#include <dpcurves/accounting/composition.hpp>

namespace dpcurves::accounting {

/// Whether `other` has the same Poisson steps, none with a smaller rate, mean or count: then it is nowhere more
/// private.
[[nodiscard]] bool dominated(const Composition& one, const Composition& other);

/// What questions along a sweep prove about the direction that does not decide: one of its epsilons, of a composition
/// that is somewhat larger, serves all that come later and are below that.
class UpperBounds {
 public:
  /// Whether epsilon at `delta` is proved to lie below `epsilon`, by more than any bracket is wide. A `false` says
  /// nothing. Cost: microseconds, or an epsilon_at() of another composition, which is rare: after one that did not help
  /// only for every 64th question.
  [[nodiscard]] bool prove(const Composition& composition, double epsilon, double delta, const Accuracy& accuracy);

 private:
  struct Bound {
    Composition of;
    double epsilon, delta;
  };
  std::deque<Bound> known_;  // the last few
  double larger_ = 0.01;     // by so much, relatively, is the next composition larger that is asked
  double last_delta_ = 0.0;
  std::size_t quiet_ = 0;  // questions that are left until one is asked again
};

}  // namespace dpcurves::accounting
