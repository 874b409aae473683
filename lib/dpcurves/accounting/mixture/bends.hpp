// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Where the paths that bound moments of far orders leave the real line (Nodes::beyond). In doubles: proves nothing.
/// Internal.
#pragma once

#include <cstddef>
#include <vector>

#include <dpcurves/accounting/mixture/law.hpp>

namespace dpcurves::accounting::mixture {

/// A path that leaves the real line at `from` and goes on at the height, if that is positive; below the line if losses
/// fall there. `total` is about what bounds moments of far orders along it.
struct Bend {
  double total = 0.0, height = 0.0, from = 0.0;
  bool below = false;
};

/// The paths of one piece at one order, computed once for all heights of orders.
class Bends {
 public:
  /// \param reference  about log M(order): sizes are over e^{reference}. \param count  of the step: where so many
  /// copies of the piece hardly count there are no paths.
  Bends(const Piece& piece, const Range& range, double order, double reference, double count);

  /// The best of them, up to that height, for orders from order + i y on.
  [[nodiscard]] Bend best(double y, double highest) const;
  /// Along the real line.
  [[nodiscard]] Bend straight() const { return {real_.back(), 0.0, ends_.back(), false}; }

 private:
  struct Sample {  // log of the modulus at the order, and what y is multiplied with there
    double log_size, turn;
    [[nodiscard]] double size(double y) const;
  };
  struct Exit {  // a place to leave the real line, how many samples lie beyond it, and the way up from it
    std::size_t end, beyond;
    std::vector<Sample> up;
  };
  struct Path {
    double height;
    bool below;
    std::vector<Sample> along;  // from the right
    std::vector<Exit> exits;
  };
  std::vector<double> ends_, real_;  // such places, and the integral up to them
  std::vector<Path> paths_;
};

}  // namespace dpcurves::accounting::mixture
