// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Noisy descent for ReLU regression: projected descent on all records (Algorithm 7), and one pass in disjoint batches
/// with noise that follows the iterate (Algorithm 8). Both take gradients of the convex surrogate, (link(<w, x>) - y)
/// x.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks".
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <dpcurves/models/link.hpp>
#include <dpcurves/simulate/glm_records.hpp>

namespace dpcurves::simulate {

/// Algorithm 7 on its (projected) records: w <- ball of `radius` (w - eta (mean gradient + N(0, noise^2 I))), w_1 = 0.
/// The paper's radius is 2 W after a projection to R^m; without one and with radius W it is the classical projected
/// noisy descent, a baseline.
struct ProjectedDescent {
  models::Link link{models::LinkKind::relu, 1.0};  ///< of the surrogate loss
  double step_size = 0.5;                          ///< eta > 0; the bound asks for at most 1/2
  std::uint64_t steps = 1;                         ///< T >= 1
  double noise = 0.0;                              ///< s >= 0, standard deviation per coordinate of the gradient noise
  double radius = 2.0;                             ///< > 0
  /// (1/T) sum of w_T as printed, which is the last of the averaged iterates instead of their mean.
  bool printed_average = false;
};

/// The mean of w_1, ..., w_T, shape (dimension). Holds all n rows: n (dimension + 1) numbers, read once.
/// \throws DomainError  for a setting out of range. Cost: T n products of length `dimension`.
[[nodiscard]] std::vector<double> projected_descent(const ProjectedDescent& setting, RecordSource& records,
                                                    std::uint64_t seed, std::uint32_t path);

/// Algorithm 7 from records in R^d: projects each row once, returns Phi^T of the mean.
[[nodiscard]] std::vector<double> projected_descent(const ProjectedDescent& setting, RecordSource& records,
                                                    models::JohnsonLindenstrauss& map, std::uint64_t seed,
                                                    std::uint32_t path);

/// Algorithm 8: T disjoint batches of floor(n/T) records, w <- w - eta (mean gradient of the batch + N(0, s^2 I)), with
/// s = noise(|w|) of the iterate before the step. Memory O(64 d).
struct BatchedDescent {
  models::Link link{models::LinkKind::relu, 1.0};  ///< of the surrogate loss
  double step_size = 0.0625;                       ///< eta > 0; the theorem asks for at most 1/16
  std::uint64_t batches = 1;                       ///< T in [1, n]
  std::vector<double> start{};                     ///< w_0; empty: 0
  std::function<double(double)> noise{};           ///< empty: none
  /// Called after every step with i >= 1 and w_i, if given.
  std::function<void(std::uint64_t step, std::span<const double> iterate)> observe{};
};

/// w_T, shape (dimension). \throws DomainError  for a setting out of range or a noise that is not in [0, inf).
[[nodiscard]] std::vector<double> batched_descent(const BatchedDescent& setting, RecordSource& records,
                                                  std::uint64_t seed, std::uint32_t path);

}  // namespace dpcurves::simulate
