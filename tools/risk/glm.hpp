// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Options that `risk glm` and `calibrate glm` share.
#pragma once

#include <vector>

#include <dpcurves/bounds/glm_plan.hpp>

#include "risk/risk.hpp"
#include "support/leaves.hpp"
#include "support/options.hpp"

namespace dpcurves::tools {

/// Everything about the model but records, epsilon and delta.
[[nodiscard]] std::vector<Option> glm_model_options();

/// The setting of the options that are given; step size and dimension are left for the plan.
[[nodiscard]] bounds::PhasedSetting glm_setting(const Values& values);

/// hidden-units, activation, degree and inputs.
[[nodiscard]] std::vector<Option> glm_two_layer_options();

/// `risk glm` and `calibrate glm` where hidden units are given.
[[nodiscard]] RiskReport two_layer_report(const Values& values);
int calibrate_two_layer(const std::vector<Option>& table, const Common& common, const Values& values);

/// dpcurves calibrate glm.
[[nodiscard]] Leaf calibration_of_glm();

}  // namespace dpcurves::tools
