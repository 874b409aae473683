// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Piecewise linear trade-off functions as lists of their vertices.
///
/// A table lists vertices from type I error 0 to type I error 1. Between them the function is linear, so a table is
/// exactly the trade-off function of a pair of discrete laws: each piece is an outcome with probabilities (run, drop).
///
/// Source: Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024), Lemma 2.3, Definition 4.7.
#pragma once

#include <span>
#include <vector>

namespace dpcurves::tradeoff {

/// A point of a trade-off curve.
struct ErrorPair {
  double type_one_error = 0.0;  ///< a in [0, 1]
  double type_two_error = 0.0;  ///< b in [0, 1 - a] on a trade-off curve

  friend bool operator==(const ErrorPair&, const ErrorPair&) = default;
};

using Table = std::vector<ErrorPair>;  ///< vertices, ascending in the type I error, from (0, b) to (1, 0)

/// Whether samples can belong to a trade-off function: convex, non-increasing, within [0, 1 - type_one_error].
///
/// \param samples    type I errors strictly increasing in [0, 1]; otherwise the answer is false.
/// \param tolerance  allowed excess of a value over its bound, over its left neighbour or over the chord of its
///                   neighbours, >= 0; the default is a few roundings.
[[nodiscard]] bool is_tradeoff(std::span<const ErrorPair> samples, double tolerance = 1e-15);

/// The largest convex function below the samples, as a table from 0 to 1. The samples may come in any order and from
/// several functions; (0, 1) and (1, 0) are added. \throws DomainError  for samples outside the unit square.
[[nodiscard]] Table convex_minorant(std::vector<ErrorPair> samples);

/// The value of a table by linear interpolation. \param type_one_error in [0, 1].
[[nodiscard]] double interpolate(const Table& table, double type_one_error);

/// A table that lies nowhere above the convex function the samples were taken from.
///
/// In each cell the two neighbouring chords, extended, bound a convex function from below; their crossing points are
/// the vertices. Values are lowered by 4e-12 (1 - value) + 2e-15 of themselves for the rounding of the samples.
/// \param samples  at least 3 values of a trade-off function at type I errors increasing from 0 to 1.
/// \throws DomainError  if they are not.
[[nodiscard]] Table tangent_table(std::span<const ErrorPair> samples);

/// The table of the composition: products of all pairs of outcomes in order of their likelihood ratio.
///
/// Exact but for rounding: 1e-15 relative at both ends. Cost: n m log(n m) for n and m pieces.
/// \throws DomainError  if n m exceeds 4e6.
[[nodiscard]] Table tensor(const Table& f, const Table& g);

}  // namespace dpcurves::tradeoff
