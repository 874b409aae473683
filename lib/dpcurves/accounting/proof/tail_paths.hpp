// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Paths of integration for bounds on moduli far up a line: heuristics in doubles that prove nothing. Internal.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <dpcurves/accounting/proof/paths.hpp>

namespace dpcurves::accounting::proof {

/// Nodes of all pieces of a step: lower paths take more than the longer contour that they save.
inline constexpr double most_tail_nodes = 16000.0;

/// Horizontal paths of one piece, for the sum of moduli at orders c + i y. They are looked at again as y grows: what
/// does not depend on y is kept.
class TailPaths {
 public:
  /// For terms of about e^{reference}, of which e^{-digits} is not seen. \param piece  is kept by reference.
  /// \param mean  of the loss at order c.
  TailPaths(const Piece& piece, double c, double reference, double mean, double digits);

  /// A path, with the moduli of its terms as exponents that fall linearly in y.
  class Tail {
   public:
    Tail(const Piece& piece, double c, const Path& path) : piece_(&piece), c_(c), path_(path) {}
    [[nodiscard]] const Path& path() const { return path_; }
    /// About the sum of moduli at order c + i y.
    [[nodiscard]] double sum(double y);

   private:
    friend class TailPaths;
    struct Term {
      double log_size, fall;  // at y = 0, and per unit of y
      [[nodiscard]] double at(double y) const { return log_size - y * fall; }
    };
    struct Cell {
      Term above_left, above_right, below_left, below_right;
    };
    [[nodiscard]] double log_error(double y);

    const Piece* piece_;
    double c_;
    Path path_;
    std::optional<double> edge_;  // of a law that is cut off; known with the terms
    std::vector<Term> terms_;
    std::vector<Cell> cells_, caps_;  // of the error: empty until asked for
  };

  /// At `fraction` of the height that the logarithms allow, for order c + i y.
  [[nodiscard]] Tail& at(double y, double fraction);
  [[nodiscard]] double order() const { return demand_.c; }
  /// Points that were looked at so far.
  [[nodiscard]] double looked_at() const { return looked_at_; }

 private:
  const Piece* piece_;
  Demand demand_;
  double looked_at_ = 0.0;
  double strip_;                                   // the last that served: others are looked for near it
  std::map<std::pair<long, double>, Tail> tails_;  // by fraction and strip
};

/// A sum of moduli, and the paths of its pieces; infinite where no path is affordable.
struct LeastSum {
  double sum = std::numeric_limits<double>::infinity();
  std::vector<Path> paths;
};
/// About the least for several pieces at order c + i y: from above the best height so far downwards, until it has
/// grown twice. \param fraction  of that height; set to the best. \param lowest  that is tried.
[[nodiscard]] LeastSum least_sum(std::span<TailPaths> pieces, double y, double& fraction, double lowest);

}  // namespace dpcurves::accounting::proof
