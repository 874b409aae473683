// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// How far k participations of one record move the encoded sums of a strategy matrix, and what its noise costs.
///
/// s(k) = max over sets y of at most k steps of || |C| y ||, in units of the clipping norm. For a Toeplitz matrix with
/// nonnegative coefficients that do not increase (lambda-CGD is one) the maximum is at the first k steps; for other
/// matrices that is false, and the bound is the square root of the k largest row sums of |C|'|C| added up.
///
/// Source: Wang et al., "Population risk bounds for Kolmogorov-Arnold networks trained by DP-SGD with correlated
/// noise", Lemma F.11, and the exact maximiser proved in docs/theory/kan-correlated-noise/privacy.md.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <dpcurves/models/strategy_matrix.hpp>

namespace dpcurves::correlated {

/// (1 - lambda^steps) / (1 - lambda), the largest row sum of lambda-CGD; `steps` at lambda = 1.
/// \param lambda  in [0, 1]. \param steps  >= 1. \throws DomainError outside. Accuracy: 4e-16 relative.
[[nodiscard]] double gain(double lambda, double steps);

/// s(k) of lambda-CGD. Accuracy: relative 1e-13. Cost: O(min(k, 10000)).
/// \param participations  k in [0, steps]. \throws DomainError outside.
[[nodiscard]] double encoded_sensitivity(double lambda, double participations, double steps);

/// The bound of Lemma F.11 as printed, gain sqrt(k).
[[nodiscard]] double printed_encoded_sensitivity(double lambda, double participations, double steps);

/// Sensitivities for every number of participations.
struct EncodedSensitivities {
  std::vector<double> values;  ///< s(0), ..., s(steps), or upper bounds
  bool exact = false;          ///< the maximum; otherwise the bound by row sums
};

/// Accuracy: relative 1e-12, so callers that promise something round up by that.
/// Cost: O(steps) for lambda-CGD, O(steps bandwidth) otherwise.
[[nodiscard]] EncodedSensitivities encoded_sensitivities(const models::StrategyMatrix& strategy);

/// What the noise of a run costs, per unit noise multiplier.
enum class NoiseCost {
  maximum,  ///< the largest standard deviation that builds up in a prefix sum of the steps
  mean,     ///< the root mean square of those of all steps
  last,     ///< that of the last step
};
[[nodiscard]] std::string_view name(NoiseCost cost);  ///< "maximum"
/// \throws DomainError  for a name that is not one of the above.
[[nodiscard]] NoiseCost noise_cost_of(std::string_view name);

/// \param retention  1 - step size times curvature, in [-1, 1]: the noise is accumulated by gradient descent on a
///                   quadratic of that curvature. 1 (no curvature) gives the plain prefix sums.
[[nodiscard]] double noise_cost(const models::StrategyMatrix& strategy, NoiseCost cost, double retention = 1.0);

}  // namespace dpcurves::correlated
