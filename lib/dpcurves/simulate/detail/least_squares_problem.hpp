// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A least-squares problem as the simulators take it: settings, records and risks in the eigenbasis of its features.
///
/// The problems have coordinates. Cost of all: O(dimension), step sizes O(steps).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Core>

#include <dpcurves/models/least_squares.hpp>
#include <dpcurves/simulate/least_squares_data.hpp>
#include <dpcurves/simulate/noisy_least_squares.hpp>

namespace dpcurves::simulate {

/// The entries of x in their order.
[[nodiscard]] std::vector<double> to_vector(const Eigen::ArrayXd& x);

/// eta_k = gamma(k/d)/d for k = 0 ... steps - 1. \throws DomainError  if the schedule ends before.
[[nodiscard]] std::vector<double> step_sizes(const models::LeastSquares& problem, std::size_t steps);

/// Noisy SGD on the problem, without clipping and observed at the last step.
/// \throws DomainError  if the problem has no coordinates or the schedule ends before the last step.
[[nodiscard]] NoisyLeastSquares one_pass(const models::LeastSquares& problem, std::size_t steps);

/// The population risk of the problem. \throws DomainError  if it has no coordinates.
[[nodiscard]] PopulationRisk population_risk(const models::LeastSquares& problem);

/// Features of the problem's second moment and mean 0, labels by its truth with Gaussian noise of its variance.
/// \throws DomainError  if the problem has no coordinates.
[[nodiscard]] RecordLaw records_of(const models::LeastSquares& problem, Entries entries = Entries::gaussian);

/// Given records as a data set, in their order. \param records  of one dimension, not checked.
[[nodiscard]] Records to_records(std::span<const models::Record> records);

}  // namespace dpcurves::simulate
