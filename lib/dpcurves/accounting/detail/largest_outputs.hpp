// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What the largest output of each epoch shows, of one position in every epoch: lower ends of a profile. Internal.
///
/// The ratios of epochs are rounded down to a lattice and composed by powers of their transform (lattice_power.hpp):
/// any test's delta is a lower end, and rounding down tells less.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

#include <dpcurves/accounting/detail/loss_sums.hpp>
#include <dpcurves/accounting/detail/ratio_law.hpp>

namespace dpcurves::accounting::detail {

/// The law of the ratio of one epoch under the null, by the largest of its outputs, in cells of that.
/// \param batches  outputs of an epoch, of which one has the mean, or under the null the other one. Accuracy: the
/// errors that the law names. Cost: 10 to 40 ms.
[[nodiscard]] RatioLaw largest_law(double batches, double mean, double null_mean);

/// The lattice law below of one epoch, and its sums over E epochs, certified from below; sharp near where they are
/// tilted to.
class EpochsBelow {
 public:
  /// \param window  points of the lattice of sums.
  EpochsBelow(const RatioLaw& law, double epochs, Direction direction, std::size_t window);
  /// The tilt that shows most of delta(epsilon).
  [[nodiscard]] double tilt(double epsilon) const;
  /// Of a tilt near that: neighbouring thresholds share them. May be called from several threads.
  [[nodiscard]] std::shared_ptr<const LossSums> sums(double tilt) const;

 private:
  double epochs_;
  Direction direction_;
  std::size_t window_;
  RatioLattice lattice_;
  LatticeMasses masses_;
  double mass_error_, ratio_error_;
  struct Kept {
    double place;  // of the tilt on its grid
    std::shared_ptr<const LossSums> sums;
  };
  mutable std::mutex mutex_;
  mutable std::deque<Kept> kept_;  // the last ones first
};

/// The test by the largest output of each epoch, its laws built once.
class LargestOutputs {
 public:
  /// \param law  largest_law().
  LargestOutputs(const RatioLaw& law, double epochs, Direction direction);
  /// A lower end.
  [[nodiscard]] double delta(double epsilon) const;
  /// An epsilon in [0, high] at which delta is at least `delta`. \param bar  roughly, where it is below that.
  [[nodiscard]] double epsilon(double delta, double high, double bar) const;

 private:
  EpochsBelow coarse_, fine_;
};

}  // namespace dpcurves::accounting::detail
