// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A step by nodes in doubles: where contours and lattices are planned. Proves nothing. Internal.
#pragma once

#include <complex>
#include <vector>

#include <dpcurves/accounting/detail/saddle_point.hpp>
#include <dpcurves/accounting/mixture/plain_piece.hpp>

namespace dpcurves::accounting::mixture {

/// Nodes of one step.
struct Sketch {
  std::vector<double> loss, log_weight;
  double count;
  /// Of the moment of a real order.
  [[nodiscard]] detail::Cumulants cumulants(double c) const { return detail::cumulants_of(loss, log_weight, c); }
  /// log of the moment of a real order.
  [[nodiscard]] double log_moment(double c) const;
  /// About how many nodes moments of orders up to c + i y take: panels are narrow where e^{i y l} turns, 32 nodes for
  /// about 20 radians, if there is some weight. \param reference  about the log moment of c.
  [[nodiscard]] double nodes(double c, double y, double reference) const;
  /// The moment of the order c + i y over e^{reference}.
  [[nodiscard]] std::complex<double> moment(double c, double y, double reference) const;
};

/// The moments of a sketch at the orders c, c + i h, c + 2 i h, ... over e^{reference}, one after the other: every node
/// turns by its angle from each to the next.
class SketchMoments {
 public:
  SketchMoments(const Sketch& sketch, double c, double h, double reference);
  [[nodiscard]] std::complex<double> next();

 private:
  std::vector<std::complex<double>> term_, turn_;
};

/// The sketch of a step whose pieces are cut at the ranges.
[[nodiscard]] Sketch sketch_of(const Step& step, const std::vector<PlainPiece>& pieces,
                               const std::vector<Range>& ranges);

/// Where the alternative's mass on either side falls below e^{log_mass}.
[[nodiscard]] Range range_of(const PlainPiece& piece, double log_mass);

}  // namespace dpcurves::accounting::mixture
