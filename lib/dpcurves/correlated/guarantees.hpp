// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Every bound of a subsampled matrix mechanism, applied to one setting, and the noise it asks for.
///
/// Step t releases (C G)_t + noise in the equivalent form G + C^{-1} Z, where row t of G is the sum of the clipped
/// gradients of a batch, in units of the clipping norm. Gradients may depend on earlier releases; all are published.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/correlated/likelihood_estimate.hpp>
#include <dpcurves/correlated/mixture_pair.hpp>
#include <dpcurves/correlated/sensitivity.hpp>
#include <dpcurves/models/strategy_matrix.hpp>

namespace dpcurves::correlated {

/// How the batch of a step is drawn: each record with probability r, or B = r n of n records without replacement.
enum class Batches { poisson, fixed_size };

/// Which data sets are neighbours. With Poisson batches, adding or removing a record is zeroing it out.
enum class Neighbours { zero_out, replace_one };

struct MatrixMechanism {
  models::StrategyMatrix strategy = models::StrategyMatrix::exponential(0.0, 1);
  double sampling_rate = 1.0;     ///< r in (0, 1]
  double noise_multiplier = 1.0;  ///< kappa > 0
  Batches batches = Batches::poisson;
  Neighbours neighbours = Neighbours::zero_out;
};

/// The ways to bound it.
enum class Method {
  closed_form,  ///< Theorem F.12, lambda-CGD only
  same_batch,   ///< derived-1
  composition,  ///< independent noise only: the exact pair of one step (Theorem F.8; derived-2), composed
  mixture,      ///< derived-3: certified bound of the pair of all steps
  likelihood    ///< the pair of all steps by Monte Carlo: an estimate
};

/// Multiples of the pair of all steps, the direction "remove".
[[nodiscard]] MeanMultiples multiples(Batches batches, Neighbours neighbours);

/// One method. A method that does not apply names the hypotheses that fail and has no curve.
/// \param accuracy  of the composition. \param budget  of the likelihood.
/// \throws DomainError  if a number of the mechanism is outside its range.
[[nodiscard]] accounting::Guarantee guarantee(const MatrixMechanism& mechanism, Method method,
                                              const accounting::Accuracy& accuracy = {},
                                              const EstimateBudget& budget = {});

/// The certified methods that speak of the mechanism, applicable or not.
[[nodiscard]] std::vector<accounting::Guarantee> guarantees(const MatrixMechanism& mechanism,
                                                            const accounting::Accuracy& accuracy = {});

/// A noise multiplier that meets a target, and the method.
struct Calibration {
  double noise_multiplier = 0.0;
  Method method = Method::same_batch;
  double standard_error = 0.0;  ///< of an estimate
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
  double lambda = 0.0;
  Calibration calibration;
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
