// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Options that `risk glm` and `calibrate glm` share.
#pragma once

#include <vector>

#include <dpcurves/bounds/glm_plan.hpp>
#include <dpcurves/queries/risk/problem.hpp>
#include <dpcurves/queries/subject.hpp>

namespace dpcurves::queries {

/// Everything about the model but records, epsilon and delta.
[[nodiscard]] std::vector<Option> glm_model_options();

/// The setting of the options that are given; step size and dimension are left for the plan.
[[nodiscard]] bounds::PhasedSetting glm_setting(const Values& values);

/// hidden-units, activation, degree and inputs.
[[nodiscard]] std::vector<Option> glm_two_layer_options();

/// `risk glm` and `calibrate glm` where hidden units are given.
[[nodiscard]] RiskReport two_layer_report(const Values& values);
[[nodiscard]] Report calibrate_two_layer(const std::vector<Option>& table, const Values& values);

/// The head of an answer of `calibrate glm`: schema, inputs, and what is solved for.
[[nodiscard]] Report glm_calibration_head(const std::vector<Option>& table, const Values& values);

}  // namespace dpcurves::queries
