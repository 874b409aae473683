// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A step by nodes in doubles: where contours and lattices are planned. Proves nothing. Internal.
#pragma once

#include <complex>
#include <vector>

#include <dpcurves/accounting/mixture/plain_piece.hpp>

namespace dpcurves::accounting::mixture {

/// Nodes of one step.
struct Sketch {
  std::vector<double> loss, log_weight;
  double count;
  /// log of the moment of a real order.
  [[nodiscard]] double log_moment(double c) const;
  /// The moment of the order c + i y over e^{reference}.
  [[nodiscard]] std::complex<double> moment(double c, double y, double reference) const;
  /// log of the modulus at c + i y.
  [[nodiscard]] double log_modulus(double c, double y) const;
};

/// The sketch of a step whose pieces are cut at the ranges.
[[nodiscard]] Sketch sketch_of(const Step& step, const std::vector<PlainPiece>& pieces,
                               const std::vector<Range>& ranges);

/// Where the alternative's mass on either side falls below e^{log_mass}.
[[nodiscard]] Range range_of(const PlainPiece& piece, double log_mass);

}  // namespace dpcurves::accounting::mixture
