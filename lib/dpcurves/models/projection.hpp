// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Euclidean projections onto the convex sets that descent is constrained to.
#pragma once

#include <cstddef>
#include <span>

namespace dpcurves::models {

/// The nearest point of a closed convex set. Projections do not increase distances.
class Projection {
 public:
  /// The whole space: nothing moves.
  [[nodiscard]] static Projection none() { return Projection(Kind::none, 0.0); }
  /// [-half_width, half_width]^d. \throws DomainError unless half_width is in (0, inf).
  [[nodiscard]] static Projection box(double half_width);
  /// |x| <= radius. \throws DomainError unless radius is in (0, inf).
  [[nodiscard]] static Projection ball(double radius);
  /// x >= 0, sum x = total. \throws DomainError unless total is in (0, inf).
  [[nodiscard]] static Projection simplex(double total);

  /// Moves x to the nearest point of the set. Cost: O(d), simplex O(d log d).
  void apply(std::span<double> x) const;

  /// The diameter D of the set in R^d; infinite for the whole space.
  [[nodiscard]] double diameter(std::size_t dimension) const;

 private:
  enum class Kind { none, box, ball, simplex };
  Projection(Kind kind, double size) : kind_(kind), size_(size) {}

  Kind kind_;
  double size_;
};

}  // namespace dpcurves::models
