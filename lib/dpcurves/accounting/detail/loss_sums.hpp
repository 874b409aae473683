// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The profile of a discrete privacy-loss law, one end of it with all roundings. Internal.
#pragma once

#include <span>
#include <vector>

#include <dpcurves/accounting/detail/lattice_power.hpp>
#include <dpcurves/accounting/detail/ratio_law.hpp>
#include <dpcurves/accounting/subsampled_renyi.hpp>

namespace dpcurves::accounting::detail {

/// delta(epsilon) = sum over losses y > epsilon of mass (1 - e^{epsilon - y}), and what is at infinity.
class LossSums {
 public:
  /// One epoch. `remove`: the loss is log ratio under the alternative; `add`: minus it under the null.
  LossSums(const RatioLaw& law, Side side, Direction direction);
  /// The composition whose logarithmic lattice sums are `power`; ratio_error and mass_error are those of the sum.
  /// \param infinite  mass of an infinite loss, before the window is accounted for.
  LossSums(const LatticePower& power, double step, Side side, Direction direction, double infinite, double mass_error,
           double ratio_error);

  /// The upper end for a law above, the lower end for a law below.
  [[nodiscard]] double delta(double epsilon) const;

 private:
  void accumulate(std::size_t place, double lost, double kept);
  Side side_;
  std::vector<double> loss_;    // increasing
  std::vector<double> mass_;    // of losses from here on, once accumulated
  std::vector<double> excess_;  // delta at loss_[k] without infinity
  double infinite_ = 0.0;
  double mass_error_ = 0.0;  // of logarithms, of masses under the first law of the pair
  double loss_error_ = 0.0;  // of losses
};

/// Where sums of logarithmic lattices are tilted to, at order c of the loss: the tilt of LatticePower.
[[nodiscard]] inline double tilt_at(double c, double step, Direction direction) {
  return step * (direction == Direction::remove ? c + 1.0 : -c);
}

/// The c, within 2 %, where K(c) - c epsilon - log c - log(1 + c) is least, K the loss's cumulants: about what shows
/// most of delta(epsilon). \param step  of the parts' logarithmic lattices. Cost: some 25 times the number of masses.
[[nodiscard]] double saddle(std::span<const LatticePart> parts, double step, Direction direction, double epsilon);

}  // namespace dpcurves::accounting::detail
