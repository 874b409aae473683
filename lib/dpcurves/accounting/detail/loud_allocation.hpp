// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Random allocation under little noise: both ends in closed form, by which of the places is loudest. Internal.
///
/// With mu = 1/Z the ratio r = exp(mu z - mu^2/2) of the place that was drawn is far above all others together, and
/// above the largest of t normal variables in the run without the record. Counting the places gives the lower ends, a
/// share kappa of the loudest place for all others the upper ones, up to the chance that they have more.
///
/// Source: derived in this project, docs/theory/accountant/random-allocation.md.
#pragma once

#include <vector>

#include <dpcurves/accounting/detail/sampled_curve.hpp>
#include <dpcurves/accounting/random_allocation.hpp>

namespace dpcurves::accounting::detail {

/// Which pair of runs.
enum class LoudPair {
  remove,   ///< with the record against without it
  add,      ///< without it against with it
  replaced  ///< with one record against with another
};

/// Both ends of delta and of epsilon. May be called from several threads.
class LoudAllocation {
 public:
  /// \param allocation  any noise multiplier > 0; `spared_mu` is not looked at: 0.
  LoudAllocation(const RandomAllocation& allocation, LoudPair pair);

  /// Of the profile at epsilon >= 0.
  [[nodiscard]] Enclosure delta(double epsilon) const;
  /// \param delta  in (0, 1).
  [[nodiscard]] Enclosure epsilon(double delta) const;
  /// Without amplification.
  [[nodiscard]] Enclosure mu() const { return mu_; }

 private:
  // delta >= share (delta of a Gaussian mechanism of mu at epsilon + shift) - lost.
  struct Counted {
    double share, mu, shift, lost;
  };
  // delta <= lost + share (delta of a Gaussian mechanism of hidden_mu_ at epsilon + shift).
  struct Hidden {
    double share, lost, shift;
  };
  // delta <= lost + exp(value - order epsilon).
  struct Chernoff {
    double lost, value, order;
  };
  // delta >= share (1 - e^{epsilon - loss}).
  struct Certain {
    double share, loss;
  };

  void remove(const RandomAllocation& a, double hidden);
  void add(const RandomAllocation& a);
  void replaced(const RandomAllocation& a, double hidden);

  Enclosure mu_;
  Enclosure hidden_mu_;   // of one record beside none
  double rounds_ = 1.0;   // of blocks in which one place is drawn, the last one in full
  double places_ = 1.0;   // of the smallest block
  double step_mu_ = 1.0;  // of one step, rounded up
  double largest_loss_;   // infinite where nothing is known
  double least_ = 0.0;    // epsilon from which on hidden_ holds
  std::vector<Counted> counted_;
  std::vector<Hidden> hidden_;
  std::vector<Chernoff> chernoff_;
  std::vector<Certain> certain_;
};

/// The same as a curve. Renyi divergences are those without amplification.
[[nodiscard]] CurvePtr loud_allocation_curve(const RandomAllocation& allocation, LoudPair pair);

}  // namespace dpcurves::accounting::detail
