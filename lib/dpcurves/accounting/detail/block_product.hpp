// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The composition of blocks of steps whose laws of ratios are known. Internal.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include <dpcurves/accounting/detail/additive_law.hpp>
#include <dpcurves/accounting/detail/lattice_power.hpp>
#include <dpcurves/accounting/detail/loss_sums.hpp>

namespace dpcurves::accounting::detail {

/// Both ends of its profile, in one direction.
class BlockProduct {
 public:
  /// \param laws  of one block of each kind. \param counts  how many of each. \param reach  of the window, in
  /// deviations. \param rough  wider, in an eighth of the time.
  BlockProduct(std::vector<RatioLaws> laws, std::vector<double> counts, Direction direction, double reach, bool rough);

  /// At that epsilon.
  [[nodiscard]] Enclosure delta(double epsilon);
  /// For thresholds near: a smaller tilt often has the closer lower end, this one the upper one.
  void prepare(double epsilon);

 private:
  struct Ends {
    LossSums above;
    LossSums below;
    double reach;  // thresholds that are served
  };
  static std::size_t index(Side side) { return side == Side::above ? 0 : 1; }
  const Ends& ends_for(double epsilon);
  const Ends& make(double epsilon);

  std::vector<RatioLaws> laws_;
  std::vector<double> counts_;
  Direction direction_;
  RatioLattice lattice_;
  std::size_t window_ = 0;
  std::vector<LatticeMasses> masses_[2];
  std::map<double, Ends> thresholds_;
};

}  // namespace dpcurves::accounting::detail
