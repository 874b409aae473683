// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The profile of a composition of one kind of step with little noise, as a sum over the number of jumps. Internal.
///
/// Where mu is large, a step either does not move the law (loss log(1 - q)) or moves it so far (log q + mu x - mu^2 /
/// 2) that it cannot be overlooked. With these losses in place of the true ones delta is a binomial mean of closed
/// forms of normal tails. What the true losses differ by is bounded in closed form; it shrinks like e^{-mu^2 / 8}.
#pragma once

#include <optional>
#include <vector>

#include <dpcurves/accounting/proof/jump_line.hpp>
#include <dpcurves/accounting/proof/plan.hpp>

namespace dpcurves::accounting::proof {

/// delta of the composition, or 1 - delta, between proved ends.
class Jumps {
 public:
  /// \param problem  of one step kind. \param log_target  of the smallest delta (or, `rest`, 1 - delta) asked for.
  Jumps(const Problem& problem, double log_target, bool rest);

  /// Whether the method is for this problem at all: enough noise away, not too many numbers of jumps.
  [[nodiscard]] static bool serves(const Problem& problem);
  [[nodiscard]] bool affordable() const { return affordable_; }

  /// Both ends at one threshold.
  struct Value {
    rigorous::Real lower, upper;  ///< of delta, or of 1 - delta
    double slope = 0.0;           ///< about d/d epsilon of its logarithm
  };
  /// \param epsilon  exact, >= 0.
  [[nodiscard]] Value at(const rigorous::Real& epsilon) const;
  /// For add without a Gaussian part: delta(lower) > target >= delta(upper), or 1 - delta the other way.
  struct Ends {
    rigorous::Real lower, upper;
  };
  [[nodiscard]] Ends add_ends(const rigorous::Real& target) const;
  /// About log of delta (or of 1 - delta) without the difference of the losses.
  [[nodiscard]] double approximate(double epsilon) const;
  /// About where that is log_value.
  [[nodiscard]] double threshold(double log_value) const;

 private:
  struct Term {
    rigorous::Real weight, mean, spread;  ///< of the loss that k jumps make
    double log_weight, plain_mean, plain_spread;
  };
  struct Difference {
    rigorous::Real less, more;  ///< delta is at least the sum - less and at most the sum + more
  };
  [[nodiscard]] Value by_line(const rigorous::Real& epsilon) const;
  [[nodiscard]] Difference difference(const rigorous::Real& epsilon) const;
  [[nodiscard]] double tilt(double epsilon) const;
  void single();
  void binomial(double log_target);

  const Problem& problem_;
  Pair pair_;
  bool rest_, affordable_ = true;
  rigorous::Real q_, none_, mu_, count_, square_;  // rate, 1 - rate, mu, how often, mu^2 of the Gaussian part
  std::vector<Term> terms_;
  std::optional<JumpLaw> law_;                      // in place of terms, where these are too many
  rigorous::Real left_out_below_, left_out_above_;  // weight of fewer and of more jumps
};

}  // namespace dpcurves::accounting::proof
