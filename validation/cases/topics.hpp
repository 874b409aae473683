// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The cases, one list per topic, each in a file of its name.
#pragma once

#include <vector>

#include "validation/case.hpp"

/// Of "Shifted Interpolation for Differential Privacy".
namespace dpcurves::validation::shifted_interpolation {
[[nodiscard]] std::vector<Case> accountant_cases();
[[nodiscard]] std::vector<Case> composition_cases();
[[nodiscard]] std::vector<Case> contraction_cases();
[[nodiscard]] std::vector<Case> divergence_cases();
[[nodiscard]] std::vector<Case> interpolated_process_cases();
[[nodiscard]] std::vector<Case> limits_cases();
[[nodiscard]] std::vector<Case> lower_bounds_cases();
[[nodiscard]] std::vector<Case> noisy_cgd_cases();
[[nodiscard]] std::vector<Case> noisy_gd_cases();
[[nodiscard]] std::vector<Case> noisy_sgd_cases();
[[nodiscard]] std::vector<Case> one_step_cases();
[[nodiscard]] std::vector<Case> privacy_loss_cases();
[[nodiscard]] std::vector<Case> sampling_cases();
[[nodiscard]] std::vector<Case> sgd_horizons_cases();
[[nodiscard]] std::vector<Case> shift_problem_cases();
[[nodiscard]] std::vector<Case> simulator_cases();
[[nodiscard]] std::vector<Case> subsampling_cases();
[[nodiscard]] std::vector<Case> tradeoff_cases();
[[nodiscard]] std::vector<Case> training_cases();
}  // namespace dpcurves::validation::shifted_interpolation

/// Of "High-Dimensional Privacy-Utility Dynamics of Noisy SGD on Least Squares".
namespace dpcurves::validation::noisy_hsgd {
[[nodiscard]] std::vector<Case> noisy_least_squares_cases();
[[nodiscard]] std::vector<Case> equivalence_cases();
[[nodiscard]] std::vector<Case> fluctuation_cases();
[[nodiscard]] std::vector<Case> doob_step_cases();
[[nodiscard]] std::vector<Case> release_cases();
[[nodiscard]] std::vector<Case> risk_cases();
[[nodiscard]] std::vector<Case> section_5_cases();
}  // namespace dpcurves::validation::noisy_hsgd

/// Of the accountant of DP-SGD.
namespace dpcurves::validation::accountant {
[[nodiscard]] std::vector<Case> additive_test_cases();
[[nodiscard]] std::vector<Case> allocation_bound_cases();
[[nodiscard]] std::vector<Case> false_claim_cases();
[[nodiscard]] std::vector<Case> likelihood_ratio_cases();
[[nodiscard]] std::vector<Case> mixture_cases();
[[nodiscard]] std::vector<Case> part_of_run_cases();
[[nodiscard]] std::vector<Case> random_allocation_cases();
[[nodiscard]] std::vector<Case> shuffled_cases();
}  // namespace dpcurves::validation::accountant

/// Of attack risk.
namespace dpcurves::validation::attack_risk {
[[nodiscard]] std::vector<Case> runs_cases();
[[nodiscard]] std::vector<Case> formulas_cases();
}  // namespace dpcurves::validation::attack_risk

/// Of audits.
namespace dpcurves::validation::audit {
[[nodiscard]] std::vector<Case> multi_run_cases();
[[nodiscard]] std::vector<Case> one_run_cases();
}  // namespace dpcurves::validation::audit

/// Of "Population Risk Bounds for Kolmogorov-Arnold Networks Trained by DP-SGD with Correlated Noise".
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

/// Of "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed Data".
namespace dpcurves::validation::long_tail_memorization {
[[nodiscard]] std::vector<Case> long_tail_concentration_cases();
[[nodiscard]] std::vector<Case> long_tail_sign_cases();
[[nodiscard]] std::vector<Case> long_tail_privacy_cases();
[[nodiscard]] std::vector<Case> patch_model_cases();
[[nodiscard]] std::vector<Case> patch_training_cases();
[[nodiscard]] std::vector<Case> patch_experiment_cases();
}  // namespace dpcurves::validation::long_tail_memorization

/// Of "Differentially Private Non-convex Learning for Multi-layer Neural Networks".
namespace dpcurves::validation::dp_glm_networks {
[[nodiscard]] std::vector<Case> glm_bound_cases();
[[nodiscard]] std::vector<Case> glm_phased_cases();
[[nodiscard]] std::vector<Case> phased_sgd_cases();
[[nodiscard]] std::vector<Case> glm_model_cases();
[[nodiscard]] std::vector<Case> glm_privacy_cases();
[[nodiscard]] std::vector<Case> glm_relu_cases();
[[nodiscard]] std::vector<Case> glm_two_layer_cases();
[[nodiscard]] std::vector<Case> network_law_cases();
[[nodiscard]] std::vector<Case> network_privacy_cases();
[[nodiscard]] std::vector<Case> network_training_cases();
}  // namespace dpcurves::validation::dp_glm_networks
