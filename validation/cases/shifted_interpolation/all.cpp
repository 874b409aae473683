// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <iterator>

#include "validation/cases/shifted_interpolation/topics.hpp"

namespace dpcurves::validation {

std::vector<Case> shifted_interpolation_cases() {
  std::vector<Case> all;
  const std::vector<std::vector<Case>> topics{
      shifted_interpolation::accountant_cases(),
      shifted_interpolation::composition_cases(),
      shifted_interpolation::contraction_cases(),
      shifted_interpolation::divergence_cases(),
      shifted_interpolation::interpolated_process_cases(),
      shifted_interpolation::limits_cases(),
      shifted_interpolation::lower_bounds_cases(),
      shifted_interpolation::noisy_cgd_cases(),
      shifted_interpolation::noisy_gd_cases(),
      shifted_interpolation::noisy_sgd_cases(),
      shifted_interpolation::one_step_cases(),
      shifted_interpolation::privacy_loss_cases(),
      shifted_interpolation::sampling_cases(),
      shifted_interpolation::sgd_horizons_cases(),
      shifted_interpolation::shift_problem_cases(),
      shifted_interpolation::simulator_cases(),
      shifted_interpolation::subsampling_cases(),
      shifted_interpolation::tradeoff_cases(),
      shifted_interpolation::training_cases(),
  };
  for (auto topic : topics) {
    std::move(topic.begin(), topic.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace dpcurves::validation
