// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The problem of one-pass noisy SGD on regularised least squares, in the eigenbasis of the features' second moment.
///
/// Features a with second moment Sigma = E[a a'], labels b = a' xtilde + w, and one pass of
/// x <- x - eta_k (a (a'x - b) + delta x + sigma Z), Z ~ N(0, I), eta_k = gamma(k/d)/d. Only the eigenvalues of Sigma
/// and coordinates in its eigenbasis enter any formula.
///
/// Source: Lin, Kolaczyk, Smith and Paquette, sections 2 and 3, Algorithm 1, Assumptions 1 and 2.
#pragma once

#include <Eigen/Core>

#include <dpcurves/models/schedule.hpp>
#include <dpcurves/models/spectrum.hpp>

namespace dpcurves::models {

/// Inner products of the start x0 and the truth xtilde within each block of the spectrum, shape (blocks) each.
struct BlockProducts {
  Eigen::ArrayXd norm2_x0;       ///< |x0|^2
  Eigen::ArrayXd dot_x0_xtilde;  ///< x0' xtilde
  Eigen::ArrayXd norm2_xtilde;   ///< |xtilde|^2
};

/// A least-squares problem with its optimiser.
struct LeastSquares {
  Spectrum spectrum;            ///< of E[a a'], eigenvalues by block
  Eigen::ArrayXd x0{};          ///< shape (spectrum.size()), start; empty if only `products` are known
  Eigen::ArrayXd xtilde{};      ///< shape (spectrum.size()), truth; empty if only `products` are known
  BlockProducts products{};     ///< read only where x0 is empty
  double label_noise = 0.0;     ///< E[w^2], variance of the label noise, >= 0
  double regularisation = 0.0;  ///< delta >= 0 of the penalty delta/2 |x|^2
  double noise = 0.0;           ///< sigma >= 0: standard deviation per coordinate of the noise added to a gradient
  double dimension = 1.0;       ///< d > 0 of the scaling t = k/d, eta = gamma/d; need not be spectrum.size()
  Schedule schedule{};          ///< gamma(t) of the pass

  /// Coordinates of x0 and xtilde are known, not only their products per block.
  [[nodiscard]] bool has_coordinates() const { return x0.size() > 0; }
  /// eta(t) = gamma(t)/d.
  [[nodiscard]] double step_size(double t) const { return schedule.rate(t) / dimension; }
};

/// Throws DomainError unless shapes agree, numbers are finite and in their ranges, and the products can be those of
/// real vectors (|x0' xtilde|^2 <= |x0|^2 |xtilde|^2 up to rounding; a block of one eigenvalue has equality).
void require_valid(const LeastSquares& problem);

/// The products per block, from the coordinates where those are known.
[[nodiscard]] BlockProducts block_products(const LeastSquares& problem);

/// One observation (a, b), the features in the eigenbasis.
struct Record {
  Eigen::ArrayXd features;  ///< a, shape (spectrum.size())
  double label = 0.0;       ///< b
};

/// Two records of which one replaces the other in neighbouring data sets.
struct RecordPair {
  Record first;   ///< the one in the data set as it is
  Record second;  ///< the one that replaces it
};

}  // namespace dpcurves::models
