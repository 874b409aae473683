// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The noise that a subsampled matrix mechanism needs, alone and together with the correlation of lambda-CGD.
#pragma once

#include <optional>

#include <dpcurves/correlated/likelihood_estimate.hpp>
#include <dpcurves/correlated/matrix_mechanism.hpp>
#include <dpcurves/correlated/sensitivity.hpp>

namespace dpcurves::correlated {

/// A noise multiplier that meets a target, and the method.
struct Calibration {
  /// kappa: standard deviation of the noise on the sum of clipped gradients, in units of the clipping norm.
  double noise_multiplier = 0.0;
  Method method = Method::same_batch;  ///< what the number rests on; an estimate for Method::likelihood
  double standard_error = 0.0;         ///< of an estimate
};

/// The noise multiplier of one method at (epsilon, delta), on the safe side by at most a relative 1e-4 (1e-9 for the
/// closed forms); empty where the method does not apply. mechanism.noise_multiplier is not used.
/// \param epsilon  > 0. \param delta  in (0, 1).
[[nodiscard]] std::optional<Calibration> calibrate(const MatrixMechanism& mechanism, Method method, double epsilon,
                                                   double delta, const EstimateBudget& budget = {});
/// The least of the certified methods. \throws ConvergenceError  if none applies.
[[nodiscard]] Calibration calibrate(const MatrixMechanism& mechanism, double epsilon, double delta);

/// lambda-CGD with the least noise that meets a target.
struct JointCalibration {
  double lambda = 0.0;            ///< correlation of the strategy C_{t,u} = lambda^{t-u}, in [0, 0.999]
  Calibration calibration;        ///< the noise multiplier at that lambda
  double cost = 0.0;              ///< noise_multiplier times noise_cost
  double independent_cost = 0.0;  ///< the same at lambda = 0
};

/// Searches lambda in [0, 0.999] for the least noise_cost(retention) times the calibrated noise multiplier, by a scan
/// of 1 - lambda in octaves and golden sections to 4 % of it. Every lambda that is returned meets the target.
/// \param method  empty: the best certified one at every lambda.
[[nodiscard]] JointCalibration calibrate_lambda(const MatrixMechanism& mechanism, NoiseCost cost, double retention,
                                                double epsilon, double delta,
                                                std::optional<Method> method = std::nullopt,
                                                const EstimateBudget& budget = {});

}  // namespace dpcurves::correlated
