// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The rows of C^{-1} Z one after the other, Z with independent standard normal rows of any dimension.
///
/// Memory: one row for lambda-CGD (the last Z), min(bandwidth, steps) - 1 rows otherwise (the last noises).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <dpcurves/models/strategy_matrix.hpp>

namespace dpcurves::models {

/// Row t of C^{-1} Z, from row t of Z and what is remembered of earlier rows. For one training run.
class CorrelatedNoise {
 public:
  /// \param dimension  of a row, at least 1. \throws DomainError if 0.
  CorrelatedNoise(StrategyMatrix strategy, std::size_t dimension);

  /// Replaces `row`, which holds Z_t, by (C^{-1} Z)_t and goes to the next step. Cost: O(dimension bandwidth),
  /// O(dimension) for lambda-CGD; no allocation.
  /// \throws DomainError  for another length or past the last step.
  void correlate(std::span<double> row);

  /// Draws Z_t (Purpose::noise, numbers t dimension2, ... of the path; dimension2 = dimension rounded up to even) and
  /// correlates it. Two runs with the same seed and path but different strategies share Z.
  void draw(std::span<double> row, std::uint64_t seed, std::uint32_t path);

  /// t: how many rows were given out.
  [[nodiscard]] std::size_t step() const { return step_; }
  /// Numbers remembered between steps.
  [[nodiscard]] std::size_t memory() const { return past_.size(); }

 private:
  StrategyMatrix strategy_;
  std::size_t dimension_;
  std::size_t step_ = 0;
  std::size_t remembered_ = 0;  ///< rows in the ring
  std::vector<double> past_;    ///< ring of rows: the last Z (lambda-CGD) or the last noises
};

}  // namespace dpcurves::models
