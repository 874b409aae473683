// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The cases of "Population Risk Bounds for Kolmogorov-Arnold Networks Trained by DP-SGD with Correlated Noise", one
/// list per topic.
#pragma once

#include <vector>

#include "validation/case.hpp"

namespace dpcurves::validation::kan_correlated_noise {

[[nodiscard]] std::vector<Case> dominating_pair_cases();
[[nodiscard]] std::vector<Case> kan_concentration_cases();
[[nodiscard]] std::vector<Case> kan_descent_cases();
[[nodiscard]] std::vector<Case> kan_model_cases();
[[nodiscard]] std::vector<Case> kan_noise_cases();
[[nodiscard]] std::vector<Case> kan_rate_cases();
[[nodiscard]] std::vector<Case> kan_stability_cases();
[[nodiscard]] std::vector<Case> privacy_cases();
[[nodiscard]] std::vector<Case> strategy_cases();

}  // namespace dpcurves::validation::kan_correlated_noise
