// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Laws of one-pass noisy SGD on least squares that need neither sampling nor a diffusion limit.
///
/// Over random data the first two moments close if the features have independent coordinates; given the data the
/// iterates are Gaussian. Both are oracles for the simulators and for the theory of the diffusion limit.
#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include <dpcurves/models/least_squares.hpp>
#include <dpcurves/simulate/least_squares_data.hpp>

namespace dpcurves::simulate {

/// E P(x_k), k = 0 ... steps, over features with independent coordinates of mean 0, variance lambda_i and the given
/// kurtosis in the eigenbasis, and label noise independent of them.
///
/// The recursion is exact: it has no sampling error and no dimension needs to be large. P = 1/2 sum lambda_i
/// (x_i - xtilde_i)^2 + 1/2 E[w^2]. A risk beyond the range of double is infinity.
/// \param problem        with coordinates; eta_k = gamma(k/d)/d.
/// \param entry_kurtosis  E z^4 of one entry, >= 1: Gaussian 3, centred uniform 1.8, Rademacher 1.
/// \throws DomainError  if the problem is not valid, lacks coordinates, or the schedule ends before the last step.
/// Accuracy: 1e-15 times the number of steps, relative. Cost: O(dimension) per step.
[[nodiscard]] std::vector<double> exact_mean_risks(const models::LeastSquares& problem, double entry_kurtosis,
                                                   std::size_t steps);

/// Noisy SGD given its data, started at `start`: step k uses record k with step size eta_k.
struct ConditionalSgd {
  Records records;                   ///< the data, in the order of their use
  Eigen::VectorXd start;             ///< shape (dimension)
  std::vector<double> step_sizes{};  ///< shape (steps), at most one per record, >= 0
  double regularisation = 0.0;       ///< delta >= 0
  double noise = 0.0;                ///< sigma >= 0
};

/// N(mean, covariance), the law of an iterate given the data.
struct ConditionalLaw {
  Eigen::VectorXd mean;        ///< shape (dimension)
  Eigen::MatrixXd covariance;  ///< shape (dimension x dimension)
};

/// The laws of one iterate under two data sets that differ in one record, in the form in which their difference does
/// not cancel: covariance_i = common - eta (w2_i w1_i' + w1_i w2_i') + eta^2 q_i w1_i w1_i',
/// mean_1 - mean_2 = -eta (r_1 w1_1 - r_2 w1_2).
struct ConditionalPair {
  ConditionalLaw original;   ///< the law under the data as given
  Eigen::MatrixXd common;    ///< shape (dimension x dimension), positive definite if sigma > 0
  Eigen::MatrixX4d factors;  ///< columns w1_1, w2_1, w1_2, w2_2
  double step_size = 0.0;    ///< eta of the step that uses the record; 0 if that step is not among those made
  double q1 = 0.0;           ///< a_1' V a_1 with V the covariance before that step
  double q2 = 0.0;           ///< a_2' V a_2
  double residual1 = 0.0;    ///< r_1 = a_1' m - b_1 with m the mean before that step
  double residual2 = 0.0;    ///< r_2 = a_2' m - b_2
};

/// The exact law of x_steps given the data. \throws DomainError  if shapes or ranges do not fit.
/// Cost: O(dimension^2) per step.
[[nodiscard]] ConditionalLaw conditional_law(const ConditionalSgd& setting, std::size_t steps);

/// The laws of x_steps under the data and under the data with record `index` replaced.
/// \throws DomainError  as above, or if index is not that of a record.
/// Cost: O(dimension^2) per step.
[[nodiscard]] ConditionalPair conditional_pair(const ConditionalSgd& setting, std::size_t steps, std::size_t index,
                                               const models::Record& replacement);

/// The two laws in coordinates in which both are N(0, I) but for at most four axes: shape (axes) of those.
struct ReducedPair {
  Eigen::VectorXd mean1;        ///< of the first law, shape (axes)
  Eigen::VectorXd mean2;        ///< of the second
  Eigen::MatrixXd covariance1;  ///< of the first law, shape (axes x axes)
  Eigen::MatrixXd covariance2;  ///< of the second
};

/// Whitens the common part and keeps the span of the factors: divergences of the two laws are those of the result.
/// \throws DomainError  unless the common part is positive definite, which it is if sigma > 0 and a step was made.
/// Accuracy: 1e-15 times the condition number of the common part. Cost: O(dimension^3), one factorisation.
[[nodiscard]] ReducedPair reduced(const ConditionalPair& pair);

}  // namespace dpcurves::simulate
