// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <iterator>

#include "validation/cases/topics.hpp"

namespace dpcurves::validation {

const std::vector<Case>& all_cases() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> all;
    for (auto* topic : {&shifted_interpolation::accountant_cases,
                        &shifted_interpolation::composition_cases,
                        &shifted_interpolation::contraction_cases,
                        &shifted_interpolation::divergence_cases,
                        &shifted_interpolation::interpolated_process_cases,
                        &shifted_interpolation::limits_cases,
                        &shifted_interpolation::lower_bounds_cases,
                        &shifted_interpolation::noisy_cgd_cases,
                        &shifted_interpolation::noisy_gd_cases,
                        &shifted_interpolation::noisy_sgd_cases,
                        &shifted_interpolation::one_step_cases,
                        &shifted_interpolation::privacy_loss_cases,
                        &shifted_interpolation::sampling_cases,
                        &shifted_interpolation::sgd_horizons_cases,
                        &shifted_interpolation::shift_problem_cases,
                        &shifted_interpolation::simulator_cases,
                        &shifted_interpolation::subsampling_cases,
                        &shifted_interpolation::tradeoff_cases,
                        &shifted_interpolation::training_cases,
                        &noisy_hsgd::noisy_least_squares_cases,
                        &noisy_hsgd::equivalence_cases,
                        &noisy_hsgd::fluctuation_cases,
                        &noisy_hsgd::doob_step_cases,
                        &noisy_hsgd::release_cases,
                        &noisy_hsgd::risk_cases,
                        &noisy_hsgd::section_5_cases,
                        &accountant::likelihood_ratio_cases,
                        &accountant::random_allocation_cases,
                        &accountant::additive_test_cases,
                        &accountant::allocation_bound_cases,
                        &accountant::mixture_cases,
                        &accountant::shuffled_cases,
                        &accountant::part_of_run_cases,
                        &accountant::false_claim_cases,
                        &attack_risk::runs_cases,
                        &attack_risk::formulas_cases,
                        &audit::multi_run_cases,
                        &audit::one_run_cases,
                        &kan_correlated_noise::dominating_pair_cases,
                        &kan_correlated_noise::kan_concentration_cases,
                        &kan_correlated_noise::kan_descent_cases,
                        &kan_correlated_noise::kan_model_cases,
                        &kan_correlated_noise::kan_noise_cases,
                        &kan_correlated_noise::kan_rate_cases,
                        &kan_correlated_noise::kan_stability_cases,
                        &kan_correlated_noise::privacy_cases,
                        &kan_correlated_noise::strategy_cases,
                        &long_tail_memorization::long_tail_concentration_cases,
                        &long_tail_memorization::long_tail_privacy_cases,
                        &long_tail_memorization::long_tail_sign_cases,
                        &long_tail_memorization::patch_model_cases,
                        &long_tail_memorization::patch_training_cases,
                        &long_tail_memorization::patch_experiment_cases,
                        &dp_glm_networks::glm_bound_cases,
                        &dp_glm_networks::glm_phased_cases,
                        &dp_glm_networks::phased_sgd_cases,
                        &dp_glm_networks::glm_model_cases,
                        &dp_glm_networks::glm_privacy_cases,
                        &dp_glm_networks::glm_relu_cases,
                        &dp_glm_networks::glm_two_layer_cases,
                        &dp_glm_networks::network_law_cases,
                        &dp_glm_networks::network_privacy_cases,
                        &dp_glm_networks::network_training_cases}) {
      auto more = topic();
      std::move(more.begin(), more.end(), std::back_inserter(all));
    }
    return all;
  }();
  return cases;
}

}  // namespace dpcurves::validation
