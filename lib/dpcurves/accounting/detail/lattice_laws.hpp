// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// One step on a lattice of losses: a law above it and a law below it. Internal; see lattice_profile.hpp.
///
/// Source: docs/theory/accountant/lattice.md, sections "Two laws" and "Far down".
#pragma once

#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <dpcurves/accounting/detail/lattice_power.hpp>
#include <dpcurves/accounting/proof/piece.hpp>

namespace dpcurves::accounting::detail {

/// Where the points are, and how far out the laws are wanted.
struct Lattice {
  double h = 0.0;      ///< distance of the points
  double order = 0.0;  ///< masses will be tilted by e^{order loss} beside the alternative
  double reach = 9.0;  ///< standard deviations to which large losses of a Gaussian mechanism are kept
  /// Larger losses of a step count as this one: no threshold in question tells them from it.
  double highest = std::numeric_limits<double>::infinity();

  /// Whether small deltas are wanted: steps have cuts, and every mass is counted that they leave.
  [[nodiscard]] bool far() const { return order > 0.0; }
};

/// A law at the points k h + shift, with what it has at ratio 0 and at infinity.
struct LatticeLaw {
  LatticeMasses masses;      ///< under the null
  double shift = 0.0;        ///< of the points, in losses
  double count = 1.0;        ///< how often it is composed
  double units = 64.0;       ///< of the size of a loss, by which it errs
  double least_error = 0.0;  ///< a size below which losses err no less

  /// The mean size of a loss under the law with masses times e^{tilt loss}. Cost: the number of points.
  [[nodiscard]] double mean_size(double h, double tilt) const;
};

/// Both laws of one step.
struct LatticeLaws {
  LatticeLaw above;  ///< its delta is at least the step's
  LatticeLaw below;  ///< its delta is at most the step's
};

/// A loss and the logarithm of its mass under the alternative, of a step cut into many; for planning.
struct LossNode {
  double loss;      ///< log of the ratio
  double log_mass;  ///< logarithm of its mass under the alternative
};
/// By the trapezoidal rule, with the atom of loss 0 if there is one. Unproved. Cost: a few thousand nodes.
[[nodiscard]] std::vector<LossNode> loss_nodes(const proof::Step& step);

/// The smallest and the largest loss that are kept; 0 is between them.
[[nodiscard]] std::pair<double, double> losses(const proof::Step& step);

/// The laws of a step. Accuracy: masses to 1e-13, losses to LatticeLaw::units. Cost: about .1 us a point.
[[nodiscard]] LatticeLaws lattice_laws(const proof::Step& step, const Lattice& lattice);
/// The laws of a Gaussian mechanism of parameter mu > 0.
[[nodiscard]] LatticeLaws lattice_laws(double mu, const Lattice& lattice);

/// A density of the alternative on an interval on which the loss does not fall.
struct LatticeDensity {
  std::function<std::pair<double, double>(double)> loss;  ///< and its derivative
  std::function<double(double)> log_density;              ///< of the alternative
  double left = 0.0;                                      ///< end of the interval
  double right = 0.0;                                     ///< end of the interval
  double steepest = 1.0;  ///< at least the slopes of the logarithms of both densities' terms
};
/// A mass of the alternative at one loss.
struct LatticeAtom {
  double loss = 0.0;      ///< finite
  double log_mass = 0.0;  ///< natural logarithm
};
/// Any step, known by its parts.
struct LatticeStep {
  std::vector<LatticeDensity> densities;  ///< may be empty
  std::vector<LatticeAtom> atoms;         ///< may be empty, but then there are densities
  double count = 1.0;                     ///< how often it is composed
  double beyond = 0.0;       ///< mass of the alternative that the parts lack, on a lattice near 0 of either law
  double least_error = 0.0;  ///< as of LatticeLaw
};

/// The smallest and the largest loss of its parts. Cost: as many calls as there are parts.
[[nodiscard]] std::pair<double, double> losses(const LatticeStep& step);
/// The laws of such a step. Atoms cost the least, and lie closest, where their distances are multiples of lattice.h.
[[nodiscard]] LatticeLaws lattice_laws(const LatticeStep& step, const Lattice& lattice);

}  // namespace dpcurves::accounting::detail
