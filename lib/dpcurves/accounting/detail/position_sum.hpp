// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The profile of one position at one threshold, by sums of independent values on a lattice. Internal.
///
/// docs/theory/accountant/positions.md: delta = (1/t) E (sum of h(z_i))_+ over t normal z_i, cut where one of them
/// decides alone.
#pragma once

#include <cstddef>
#include <vector>

#include <dpcurves/accounting/detail/ratio_law.hpp>
#include <dpcurves/accounting/one_position.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::accounting::detail {

/// How fine the laws of a sum are.
struct PositionTuning {
  std::size_t cells;   ///< of 26 deviations and more; what a cell loses is of the order of its square
  std::size_t window;  ///< of the lattice, which reaches 20 deviations of the sum
};

/// Which ends are computed, that below by the values joined from either end.
struct AskedEnds {
  bool above = true, from_bottom = true, from_top = true;
};

/// Both ends, 0 and 1 where they are not asked for, and what gave them.
struct FoundEnds {
  Enclosure delta{0.0, 1.0};
  double above = 1.0, below = 1.0;  ///< factors
  bool from_top = false;            ///< the end below
};
/// The best of both.
[[nodiscard]] FoundEnds narrower(const FoundEnds& a, const FoundEnds& b);

/// Where jumps are told apart, in units of the jump that decides: what is tried.
inline constexpr double position_factors[] = {1.0, 0.5, 2.0, 0.25, 4.0, 8.0};

/// The pair with m > n, reflected if need be, at one threshold.
class PositionSum {
 public:
  PositionSum(const OnePosition& pair, double epsilon, const PositionTuning& tuning);
  /// From z0 where jumps are any of the factors times those that decide: untold, so that ends of small deltas are told
  /// apart.
  [[nodiscard]] FoundEnds everywhere() const;
  /// From one z0.
  [[nodiscard]] FoundEnds at(double factor, const AskedEnds& asked) const;
  /// P(max > z0) - a Q(max > z0), in balls.
  [[nodiscard]] rigorous::Real largest(double z0) const;
  /// The same in doubles.
  [[nodiscard]] double largest_fast(double z0) const;
  /// Ends of the cells of z.
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  struct Cell {  // of z: mass under N(0, 1), and what h does there
    double mass, mean, least, most;
    double pad;  // what the three may be off by
  };
  [[nodiscard]] double edge(std::size_t k) const;
  // What lies before z0, and what lies beyond.
  [[nodiscard]] FoundEnds cut_at(double jump, const AskedEnds& asked) const;
  // h = first - second
  [[nodiscard]] double first(double z) const;
  [[nodiscard]] double second(double z) const;
  [[nodiscard]] double h(double z) const;
  void make_cells();
  // A jump that the other positions hardly ever cancel: the drift of the sum and 8 deviations, without what is rarer
  // than one in 20 epochs.
  [[nodiscard]] double jump_that_decides() const;
  // How many cells lie before the point from which h stays above `value`; those beyond the turn only.
  [[nodiscard]] std::size_t cells_below(double value) const;
  // The event that some z_i lies beyond the first `count` cells: both ends of what it adds. \param above  whether the
  // upper one is asked for.
  [[nodiscard]] Enclosure beyond(std::size_t count, bool above) const;
  // log of a bound of E (-jump - sum over t - 1 positions of min(h, jump))_+, where none is below `down`:
  // (x)_+ <= e^{c x} / (e c) for every c > 0.
  [[nodiscard]] double cancellation(std::size_t count, double down, double jump) const;
  // (1/t) E (sum h)_+ on the event that all positions lie in the first `count` cells or below.
  [[nodiscard]] FoundEnds inside(std::size_t count, const AskedEnds& asked) const;
  // Where t log E e^{c h} - 2 log c is least.
  [[nodiscard]] double saddle(std::size_t count) const;
  // (1/t) E (sum)_+ from a law above or below; only the end of that side means anything.
  [[nodiscard]] Enclosure positive_part(const RatioLaw& law, Side side, const RatioLattice& lattice, double tilt,
                                        bool from_top = false) const;

  PositionTuning tuning_;
  double t_, m_, n_, a_, epsilon_;  // a = e^epsilon
  double low_ = 0.0, high_ = 0.0;   // of the cells
  double turn_ = -infinity;         // where h turns, if it does
  std::vector<Cell> cells_;
};

}  // namespace dpcurves::accounting::detail
