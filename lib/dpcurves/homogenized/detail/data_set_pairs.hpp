// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The worst pair among all pairs of records of a data set, for the Renyi losses of noisy HSGD.
///
/// Source: Lin, Kolaczyk, Smith and Paquette, "High-Dimensional Privacy-Utility Dynamics of Noisy Stochastic Gradient
/// Descent on Least Squares", section 5, which searches among extreme labels only and misses the worst pair.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <dpcurves/homogenized/renyi_loss.hpp>
#include <dpcurves/models/least_squares.hpp>

namespace dpcurves::homogenized {

/// All unordered pairs of a data set, in both orientations: a family for renyi_loss (forward equals backward).
///
/// Inner products of all records come from three matrix products per s (four for joint releases), or where the
/// spectrum has few blocks from Gram matrices formed once. A bound of each pair's divergence from the Frobenius norm
/// of the difference of its covariances decides which pairs need the exact value: the supremum is exact.
///
/// The supremum runs over records of this data set. A record outside it can lose more.
class DataSetPairs {
 public:
  /// \throws DomainError  for fewer than 2 records, a wrong number of features, or a problem without coordinates.
  DataSetPairs(const models::LeastSquares& problem, std::span<const models::Record> records);

  /// Cost: O(records^2 d) per call; O(records^2 blocks) where blocks^2 <= d.
  PairSuprema operator()(const JumpWeights& weights, std::span<const double> orders) const;

  /// The pair with the largest divergence at one order, in its worse orientation.
  struct Worst {
    std::size_t first = 0;    ///< index of a record
    std::size_t second = 0;   ///< index of the other
    double divergence = 0.0;  ///< nats, of the worse orientation; infinite where sigma = 0
  };
  /// \param order  a > 1. Cost: as operator().
  [[nodiscard]] Worst worst(const JumpWeights& weights, double order) const;

  [[nodiscard]] std::size_t records() const;  ///< n of the data set

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

}  // namespace dpcurves::homogenized
