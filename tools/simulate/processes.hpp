// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The processes of dpcurves simulate beside noisy descent, each declared in a file of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <dpcurves/queries/detail/run_forms.hpp>

#include "support/simulation.hpp"

namespace dpcurves::tools {

/// An answer whose options a run file may say; it has the run as it is drawn under "run".
[[nodiscard]] std::function<Simulation(const Asked&)> from_run(queries::Training training,
                                                               std::function<Simulation(const Asked&)> answer);
/// Why a process has no --run, and what to type in its place; empty where it has one.
[[nodiscard]] std::string no_run_of(const std::string& process);

[[nodiscard]] Leaf run_file_simulation();                     ///< --run FILE: DP-SGD as a file describes it
[[nodiscard]] Leaf correlated_simulation();                   ///< what a run with correlated noise publishes
[[nodiscard]] std::vector<Leaf> least_squares_simulations();  ///< noisy SGD on least squares and its diffusion limit
[[nodiscard]] Leaf conditional_simulation();                  ///< the exact law given the data
[[nodiscard]] Leaf kan_simulation();
[[nodiscard]] Leaf mlp_simulation();
[[nodiscard]] Leaf long_tail_simulation();
[[nodiscard]] Leaf influence_simulation();
[[nodiscard]] Leaf glm_simulation();
[[nodiscard]] Leaf relu_regression_simulation();
[[nodiscard]] Leaf two_layer_simulation();

}  // namespace dpcurves::tools
