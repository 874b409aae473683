// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Strategies for the running sum of the gradients, by name: what is published, with parameters that are searched for.
///
/// All are Toeplitz matrices, given by the power series c(x) = c_0 + c_1 x + ... of their first column, with c_0 = 1.
/// The noise of a step is the product of C^{-1} with independent normals, that of the running sums the product of
/// A C^{-1}, A the lower-triangular matrix of ones.
///
/// | name     | c(x)                                                   | parameters                      |
/// |----------|--------------------------------------------------------|---------------------------------|
/// | identity | 1: independent noise                                   |                                 |
/// | lambda   | 1/(1 - lambda x)                                       | lambda in [0, 1)                |
/// | bsr      | (1 - x)^{-1/2} cut after p coefficients                | bands p                         |
/// | bisr     | one over (1 - x)^{1/2} cut after p coefficients        | bands p                         |
/// | blt      | 1 + sum over j of omega_j x/(1 - theta_j x)            | buffers                         |
/// | band-mf  | any polynomial of degree p - 1                         | bands p                         |
///
/// The searches are heuristic, and nothing rests on them: sensitivity and errors are those of the parameters found,
/// which are rounded to multiples of 2^-40.
///
/// Sources: Kalinin and Lampert (2024) for bsr; Kalinin, McMahan, Upadhyay and Lampert, "Back to square roots: an
/// optimal bound on the matrix factorization error for multi-epoch differentially private SGD" (2025) for bisr;
/// Dvijotham et al., "Efficient and near-optimal noise generation for streaming differential privacy" (2024) for blt;
/// Choquette-Choo et al., "(Amplified) banded matrix factorization" (2023), for band-mf; the paper on KANs for lambda.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <dpcurves/correlated/participation.hpp>
#include <dpcurves/correlated/sensitivity.hpp>
#include <dpcurves/models/strategy_matrix.hpp>

namespace dpcurves::correlated {

/// The names above.
enum class StrategyKind { identity, lambda, bsr, bisr, blt, band_mf };
[[nodiscard]] std::string_view name(StrategyKind kind);  ///< "band-mf"
/// Empty for a name that is none of the above.
[[nodiscard]] std::optional<StrategyKind> strategy_kind_of(std::string_view name);

/// A Toeplitz strategy with its inverse.
struct Strategy {
  StrategyKind kind = StrategyKind::identity;                                   ///< its name
  models::StrategyMatrix matrix = models::StrategyMatrix::exponential(0.0, 1);  ///< C
  std::vector<double> inverse{1.0};                  ///< first column of C^{-1}; zeros at its end are left out
  double entry_error = 0.0;                          ///< of the entries of `matrix`, relative; 0 where they define it
  double lambda = 0.0;                               ///< of lambda
  std::size_t bands = 1;                             ///< of bsr, band-mf (C) and bisr (C^{-1})
  std::vector<std::pair<double, double>> buffers{};  ///< (theta, omega) of blt
};

/// What one unit of noise becomes, in the release that the matrix is for.
struct StrategyError {
  double mean = 0.0;     ///< root mean square of the deviations of all running sums
  double maximum = 0.0;  ///< the largest deviation
  double last = 0.0;     ///< that of the last sum
};

/// Independent noise. \param steps  T in [1, 1e7], here and below. \throws DomainError outside.
[[nodiscard]] Strategy identity_strategy(std::size_t steps);
/// \param lambda  in [0, 1).
[[nodiscard]] Strategy lambda_strategy(std::size_t steps, double lambda);
/// \param bands  p in [1, steps]. Cost: O(steps bands), O(steps) where bands = steps.
[[nodiscard]] Strategy bsr_strategy(std::size_t steps, std::size_t bands);
/// \param bands  p in [1, steps], of the inverse. Cost: O(steps bands).
[[nodiscard]] Strategy bisr_strategy(std::size_t steps, std::size_t bands);
/// \param buffers  decay theta in [0, 1] and weight omega >= 0 of each. Cost: O(steps buffers).
[[nodiscard]] Strategy blt_strategy(std::size_t steps, std::vector<std::pair<double, double>> buffers);
/// \param coefficients  c_0 = 1, c_1, ..., at most `steps`. Cost: O(steps bands).
[[nodiscard]] Strategy banded_strategy(std::size_t steps, std::vector<double> coefficients);

/// Errors of the sums s_t = retention s_{t-1} + x_t: retention 1 the running sums, less with weight decay, or for the
/// iterates of gradient descent on a quadratic. Accuracy: relative 1e-12. Cost: O(steps).
/// \param retention  in [-1, 1]. \throws DomainError otherwise.
[[nodiscard]] StrategyError strategy_error(const Strategy& strategy, double retention = 1.0);
/// Errors of the products A x for another lower-triangular Toeplitz A, such as that of momentum.
/// \param workload  the first column of A, from its diagonal; the rest is 0. Accuracy: a relative 1e-12 of the sums of
/// absolute values. Cost: O(steps size), of the workload or of the inverse.
[[nodiscard]] StrategyError strategy_error(const Strategy& strategy, const std::vector<double>& workload);

/// What is searched, and for what.
struct StrategySearch {
  std::size_t steps = 1;                 ///< T
  ParticipationPattern pattern{};        ///< of a record
  NoiseCost cost = NoiseCost::mean;      ///< the error that is least, times the sensitivity
  std::optional<double> lambda{};        ///< fixes it
  std::optional<std::size_t> bands{};    ///< fixes them
  std::optional<std::size_t> buffers{};  ///< fixes their number
};
/// The best parameters found. The same bits whatever runs beside it.
/// Cost: about 0.1 s at 2000 steps; O(steps) per trial for lambda and blt, O(steps bands) for the others.
[[nodiscard]] Strategy search_strategy(StrategyKind kind, const StrategySearch& search);

}  // namespace dpcurves::correlated
