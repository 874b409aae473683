// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The composition of blocks of steps whose laws of ratios are known. Internal.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include <dpcurves/accounting/detail/additive_law.hpp>
#include <dpcurves/accounting/detail/lattice_power.hpp>
#include <dpcurves/accounting/detail/loss_sums.hpp>
#include <dpcurves/accounting/detail/saddle_point.hpp>

namespace dpcurves::accounting::detail {

/// Both ends of its profile, in one direction.
class BlockProduct {
 public:
  /// \param laws  of one block of each kind; where those below are empty there are no lower ends. \param counts  how
  /// many of each. \param reach  of the window, in deviations. \param rough  wider, in an eighth of the time.
  BlockProduct(std::vector<RatioLaws> laws, std::vector<double> counts, Direction direction, double reach, bool rough);

  /// At that epsilon.
  [[nodiscard]] Enclosure delta(double epsilon);
  /// About where delta is that, and the slope of its logarithm there, by the saddle point of the law above.
  [[nodiscard]] SaddlePoint about(double delta) const;
  /// For thresholds near: a smaller tilt often has the closer lower end, this one the upper one.
  void prepare(double epsilon);

 private:
  struct Ends {
    LossSums above;
    std::optional<LossSums> below;
    double reach;  // thresholds that are served
    [[nodiscard]] Enclosure delta(double epsilon) const;
  };
  static std::size_t index(Side side) { return side == Side::above ? 0 : 1; }
  void sketch(const RatioLaw& law);
  [[nodiscard]] Cumulants cumulants(double order) const;
  const Ends& ends_for(double epsilon);
  const Ends& make(double epsilon);

  std::vector<RatioLaws> laws_;
  std::vector<std::vector<double>> losses_, log_masses_;  // of the laws above, about, under the first of the pair
  std::vector<double> counts_;
  Direction direction_;
  RatioLattice lattice_;
  std::size_t window_ = 0;
  std::vector<LatticeMasses> masses_[2];
  std::map<double, Ends> thresholds_;
};

}  // namespace dpcurves::accounting::detail
