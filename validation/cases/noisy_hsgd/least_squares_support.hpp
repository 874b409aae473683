// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What the cases about noisy least squares share: problems, runs of the simulators, and comparisons of means.
#pragma once

#include <cstdint>
#include <vector>

#include <dpcurves/models/least_squares.hpp>
#include <dpcurves/simulate/detail/least_squares_problem.hpp>
#include <dpcurves/simulate/hsgd.hpp>
#include <dpcurves/simulate/noisy_least_squares.hpp>

#include "validation/draws.hpp"
#include "validation/statistics.hpp"

namespace dpcurves::validation::noisy_hsgd {

/// d eigenvalues 2 (i/d + 0.05), start d^{-1/2}, truth 1.2 cos(i) d^{-1/2}, label noise 0.09, regularisation 0.1,
/// gamma = 0.8, noise 0.5.
[[nodiscard]] models::LeastSquares base_model(std::size_t dimension);

/// Sigma = I, no regularisation, |x0 - xtilde| = 1.
[[nodiscard]] models::LeastSquares isotropic_model(std::size_t dimension, double gamma, double label_noise,
                                                   double noise);

/// Noisy SGD for `steps` steps, observed at all of them or at the last.
enum class Observed { every_step, last_step };
[[nodiscard]] simulate::NoisyLeastSquares descent_of(const models::LeastSquares& problem, std::size_t steps,
                                                     Observed observed);

/// The law of the linearised equation at growing times.
[[nodiscard]] simulate::LinearLaw linear_law(const models::LeastSquares& problem, const std::vector<double>& times);

/// Which of the two processes a run is of.
enum class Process { descent, diffusion };

/// For each run the largest |P(x_k) - reference_k| over the steps of [0, horizon], shape (runs); the reference has
/// one entry per step and one more.
[[nodiscard]] std::vector<double> largest_deviations(const models::LeastSquares& problem, Process process,
                                                     const std::vector<double>& reference, std::size_t runs,
                                                     std::uint64_t seed);
/// The risks of each run at every step, shape (runs x (steps + 1)).
[[nodiscard]] std::vector<std::vector<double>> risk_paths(const models::LeastSquares& problem, Process process,
                                                          std::size_t steps, std::size_t runs, std::uint64_t seed);
/// P_t of the Volterra equation at t = k/d, k = 0 ... steps.
[[nodiscard]] std::vector<double> mean_risks(const models::LeastSquares& problem, std::size_t steps);

[[nodiscard]] double median(std::vector<double> values);
[[nodiscard]] double largest_gap(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace dpcurves::validation::noisy_hsgd
