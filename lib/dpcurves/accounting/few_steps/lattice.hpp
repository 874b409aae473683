// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The second, independent method: privacy-loss distributions on a lattice, dominating and dominated. Internal.
///
/// The profile h(x) = delta(log x) of each part is replaced by its chords at x = e^{ih} (pessimistic), and by a convex
/// function below it with kinks at the same points (optimistic: cells of the loss are merged so that their likelihood
/// ratio is exactly a lattice point, cut from the far tail inward). Both are laws on the lattice; their compositions
/// are computed by the Fourier transform of the exponentially tilted masses and bracket delta. Rounding is absolute
/// in the tilted space and is added as such; wrap-around is bounded by Chernoff terms. Where a step's losses crowd
/// beside 0 (a small chance to be sampled), its lattice is moved there.
///
/// Source: Gopi, Lee and Wutschitz (2021), and Doroshenko et al., "Connect the dots" (2022), for the two laws.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <dpcurves/accounting/few_steps/transform.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting::detail {

/// A lattice law composed: tilted masses over one window.
class LatticeSum {
 public:
  /// Which certified end the sum is: pessimistic above delta, optimistic below it.
  enum class Side { pessimistic, optimistic };

  /// \param step    lattice width; \param length  power of 2, points of the window; \param tilt  > 0.
  /// \param reach   losses of one step beyond this are moved to infinity (pessimistic) or dropped (optimistic).
  LatticeSum(const Transform& transform, Side side, double step, std::size_t length, double tilt, double reach,
             const Deadline& deadline);

  /// The certified end of delta(epsilon), epsilon >= 0: upper for pessimistic, lower for optimistic.
  [[nodiscard]] double delta(double threshold) const;

 private:
  struct Tail {  // sums over the window from one point on, of masses and of their errors
    double all = 0.0;
    double excess = 0.0;
    double error_all = 0.0;
    double error_excess = 0.0;
  };
  void accumulate();

  Side side_;
  double step_;
  double tilt_;
  double log_moment_ = 0.0;
  double shift_ = 0.0;  // the lattice of the sum is k step + shift
  long first_ = 0;      // index of the first point of the window
  std::vector<double> mass_;
  std::vector<Tail> tail_;
  double rounding_ = 0.0;  // absolute error of each mass
  double relative_ = 0.0;  // relative error of every mass, from the masses of one step
  double beyond_ = 0.0;  // absolute: mass at infinity and beyond the window; for the lower end, log of what to take off
};

/// Both laws with one tilt, for thresholds near the one they were made for.
class LatticePair {
 public:
  /// Refines up to `points` points until delta(epsilon) is known to `relative`, or the deadline is near.
  LatticePair(const Transform& transform, double epsilon, double relative, std::size_t points,
              const Deadline& deadline);
  /// Both certified ends, any epsilon >= 0; they are close to each other near the threshold the pair was made for.
  [[nodiscard]] Enclosure delta(double epsilon) const;
  /// A pair made for this threshold would say no more.
  [[nodiscard]] bool made_for(double epsilon) const { return std::abs(epsilon - epsilon_) <= 0.01 * epsilon_; }

 private:
  double epsilon_;
  std::vector<LatticeSum> upper_;  // one of each
  std::vector<LatticeSum> lower_;
};

}  // namespace dpcurves::accounting::detail
