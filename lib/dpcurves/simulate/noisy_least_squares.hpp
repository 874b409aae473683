// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// One-pass noisy SGD on regularised least squares, with and without clipping: every record is used once.
///
/// x_{k+1} = x_k - eta_k (g_k + noise N(0, I)), g_k = a_k (a_k' x_k - b_k) + regularisation x_k. With a clip norm c the
/// whole of g_k, regulariser included, is multiplied by min(1, c/|g_k|) before the noise is added; the noise does not
/// depend on c. Runs with different clip norms share records and noise, so that they differ by the clipping alone.
///
/// Source: Lin, Kolaczyk, Smith and Paquette, "High-Dimensional Privacy-Utility Dynamics of Noisy Stochastic Gradient
/// Descent on Least Squares", Algorithm 1 and Section 5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include <dpcurves/core/parallel.hpp>
#include <dpcurves/core/share.hpp>
#include <dpcurves/simulate/least_squares_data.hpp>

namespace dpcurves::simulate {

/// A pass, with one or several clip norms at once.
struct NoisyLeastSquares {
  std::vector<double> start;       ///< x_0, shape (dimension)
  double regularisation = 0.0;     ///< delta >= 0
  double noise = 0.0;              ///< sigma >= 0, standard deviation per coordinate of the gradient noise
  std::vector<double> step_sizes;  ///< eta_k, shape (steps), >= 0
  std::vector<double> clip_norms{std::numeric_limits<double>::infinity()};  ///< each > 0; infinity: no clipping
  std::vector<std::size_t> observed;  ///< iterations k at which x_k is shown, ascending, each <= steps
};

/// Which runs are made, and how. A result depends on neither `threads` nor how paths are divided over calls.
struct Paths {
  std::size_t count = 1;    ///< >= 1
  std::uint64_t seed = 1;   ///< of all draws
  std::uint32_t first = 0;  ///< number of the first path
  unsigned threads = 0;     ///< 0: as many as the machine has
  Progress progress = {};   ///< paths done of paths in all; false stops
  /// Names what the observer keeps of a path, counted from 0 within the call, for other processes (core/share.hpp);
  /// without it each process runs all paths.
  std::function<void(std::size_t path, Archive& archive)> kept = {};
};

/// For the procedures of this folder that take Paths: shared_for over pieces of `per_piece` paths, where `kept` says
/// what their observer keeps, else parallel_for. `values` names what the procedure itself keeps of a piece.
void for_pieces(const Paths& paths, std::size_t per_piece, const std::function<void(std::size_t piece)>& work,
                const std::function<void(std::size_t piece, Archive& archive)>& values = {});

/// Where an iterate belongs.
struct Observation {
  std::size_t path = 0;   ///< counted from 0 within the call
  std::size_t clip = 0;   ///< index into clip_norms
  std::size_t index = 0;  ///< index into observed
};

/// Receives the iterates, from several threads; those of one path and clip norm come in order from one thread.
using IterateObserver = std::function<void(const Observation&, std::span<const double> iterate)>;

/// What clipping did to the runs with one clip norm.
struct Clipping {
  std::size_t clipped = 0;    ///< steps whose gradient was longer than the clip norm, summed over the paths
  double largest_norm = 0.0;  ///< the longest gradient before clipping, over all paths; 0 if nothing is clipped
};

/// Runs on records that are drawn afresh for every path.
/// \return shape (clip_norms); the norms are computed only if a clip norm is finite.
/// \throws DomainError  if a number is outside its range or the shapes do not fit; Error if stopped by the progress.
/// Cost: per step two normals per coordinate and one pass over them; about 6 us at dimension 1000 on one core.
std::vector<Clipping> noisy_sgd(const NoisyLeastSquares& setting, const RecordLaw& law, const Paths& paths,
                                const IterateObserver& observe);

/// Runs on one data set, whose records are used in order: paths differ by their noise alone.
/// \throws DomainError  also if there are fewer records than steps.
std::vector<Clipping> noisy_sgd(const NoisyLeastSquares& setting, const Records& records, const Paths& paths,
                                const IterateObserver& observe);

/// 1/2 (x - target)' Sigma (x - target) + floor with Sigma = diag(eigenvalues) + spike spike'. O(dimension).
struct PopulationRisk {
  std::vector<double> eigenvalues;  ///< shape (dimension)
  std::vector<double> target;       ///< shape (dimension)
  double floor = 0.0;               ///< half the variance of the label noise
  std::vector<double> spike;        ///< shape (dimension); empty: none

  /// P(x) in units of the squared loss over 2. \param x  shape (dimension).
  [[nodiscard]] double operator()(std::span<const double> x) const;
};

}  // namespace dpcurves::simulate
