// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// DP-SGD on deep ReLU networks with projected layers and averaged iterates, and its baselines.
///
/// Poisson batches at rate M/n, clipped sums plus noise divided by the fixed M (the paper divides by the random |B_t|,
/// which is not accounted for and may be 0), then each |W_l|_F (or |W_l - W_{l,0}|_F) cut down to R; what is returned
/// is the average of the iterates 1, ..., T. The baselines are the same run without noise and clipping, and DP-SGD as
/// it is usually done: neither projection nor average.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks", Algorithm 10; Abadi et al.,
/// "Deep learning with differential privacy" (2016), for plain DP-SGD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <dpcurves/models/relu_network.hpp>
#include <dpcurves/simulate/dp_sgd.hpp>

namespace dpcurves::simulate {

/// The centre of the balls that layers are projected on. Around the origin a radius below sqrt(2 max(m, d)) moves the
/// start itself, whose layers have |W_{l,0}|_F^2 = 2 d, 2 m, ..., 1 on average.
enum class BallCentre { origin, start };

/// A run of Algorithm 10, or of a baseline.
struct NetworkRun {
  double batch_size = 1.0;                                  ///< M in (0, n]: expected size of a Poisson batch
  double step_size = 0.1;                                   ///< eta > 0
  std::size_t steps = 1;                                    ///< T >= 1
  double clip = 1.0;                                        ///< C > 0; infinity: no clipping, only without noise
  double noise_multiplier = 0.0;                            ///< z >= 0: noise on the sum of clipped gradients, over C
  double radius = std::numeric_limits<double>::infinity();  ///< R > 0; infinity: no projection
  BallCentre centre = BallCentre::origin;                   ///< of the balls of every layer
  bool average = true;                                      ///< return the mean of the iterates, else the last
};

/// What the weights returned are worth, and what happened on the way.
struct NetworkOutcome {
  models::NetworkQuality train;   ///< of the weights returned
  models::NetworkQuality test;    ///< of the weights returned
  double clipped = 0.0;           ///< share of the gradients that were clipped
  double largest_gradient = 0.0;  ///< before clipping
  std::size_t projected = 0;      ///< steps in which a layer was projected
  bool start_moved = false;       ///< the start is outside the balls: the first projection moves it
};

/// The constraint of Algorithm 10 on a vector of all weights. \param start  kept by value.
[[nodiscard]] Constraint layer_balls(const models::NetworkShape& shape, double radius, BallCentre centre,
                                     std::span<const double> start);

/// Runs Algorithm 10 from the start of (seed, path); runs with the same seed and path share start, batches and noise.
/// \param test  must have the shape of `train`.
/// \throws DomainError  for a setting outside its ranges.
/// Cost per step: three products per layer of a batch, one pass over the weights for noise, projection and average.
[[nodiscard]] NetworkOutcome train_network(const NetworkRun& setting, models::NetworkLosses& train,
                                           models::NetworkLosses& test, std::uint64_t seed, std::uint32_t path);

}  // namespace dpcurves::simulate
