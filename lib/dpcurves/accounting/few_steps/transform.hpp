// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The composition as the inversion sees it: K(c), its derivatives and saddle points. Internal.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/few_steps/deadline.hpp>
#include <dpcurves/accounting/few_steps/loss_law.hpp>

namespace dpcurves::accounting::detail {

/// Equal steps of a composition, joined.
struct Part {
  LossLaw law;   ///< of one step
  double count;  ///< how many steps, a whole number up to 1e15
};

/// K(c) = log E exp(c loss) under the alternative, with two derivatives; `error` bounds the error of `value`.
struct Cumulant {
  double value = 0.0;   ///< K(c)
  double error = 0.0;   ///< bound on its absolute error
  double first = 0.0;   ///< K'(c)
  double second = 0.0;  ///< K''(c) >= 0
};

/// A composition with Gaussian parts merged, trivial parts dropped and equal parts joined.
class Transform {
 public:
  /// \throws DomainError  for values outside the ranges of Composition.
  explicit Transform(const Composition& composition);

  /// mu of all Gaussian parts together: the root of the sum of their squares.
  [[nodiscard]] double gaussian_mu() const { return gaussian_mu_; }
  /// The subsampled parts, all different.
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  /// The two laws of the composition may be exchanged.
  [[nodiscard]] bool symmetric() const;
  /// The supremum of the total loss.
  [[nodiscard]] double largest() const;
  /// log of the probability that every subsampled part has loss 0.
  [[nodiscard]] double log_atom() const;

  /// Leave out large positive losses of single steps, of probability exp(log_mass) at most over all steps and under
  /// both laws: where the chance of being sampled is small, far jumps that never happen would rule K(c) otherwise.
  void truncate(double log_mass);
  /// Bound on the probability of what was left out.
  [[nodiscard]] double lost() const { return lost_; }

  /// From now on the functions below throw TimeUp when the deadline has passed.
  void limit(const Deadline& deadline) { deadline_ = deadline; }
  /// The deadline in force; 1e8 seconds if none was set.
  [[nodiscard]] const Deadline& deadline() const { return deadline_; }

  /// The c and K(c) that were computed so far.
  [[nodiscard]] const std::map<double, Cumulant>& known() const { return cumulants_; }
  /// K at c > -1, remembered.
  [[nodiscard]] const Cumulant& cumulant(double c) const;
  /// The c > 0 (or in (-1/2, 0)) where exp(K(c) - c epsilon) / |c (c + 1)| is least.
  [[nodiscard]] double saddle_right(double epsilon) const;
  [[nodiscard]] double saddle_left(double epsilon) const;  ///< The same in (-1/2, 0), for thresholds near 0.
  /// K(c) - c epsilon - log|c| - log(1 + c) - log(2 pi curvature)/2: the saddle-point estimate of log delta.
  [[nodiscard]] double log_estimate(double c, double epsilon) const;
  /// The threshold whose saddle point is c.
  [[nodiscard]] double threshold_of(double c) const;
  /// Points to the right of c whose K bounds the aliasing from the right.
  [[nodiscard]] std::vector<double> beyond(double c) const;
  /// Second derivative of K(c) - log|c| - log(1 + c).
  [[nodiscard]] double curvature(double c) const;

 private:
  double gaussian_mu_ = 0.0;
  std::vector<Part> parts_;
  double lost_ = 0.0;
  Deadline deadline_{1e8};
  mutable std::map<double, Cumulant> cumulants_;
};

}  // namespace dpcurves::accounting::detail
