// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The parameter that just meets (epsilon, delta) or a limit on attacks, on the safe side.
#pragma once

#include <vector>

#include <dpcurves/queries/subject.hpp>

namespace dpcurves::queries {

/// The algorithms that have a parameter to find, with their options, in the order in which help shows them.
[[nodiscard]] const std::vector<Subject>& calibrate_subjects();

/// {"algorithm": "dp-sgd", "solve_for": "noise_multiplier", "epsilon": 1, "delta": 1e-5, ...}: the value found by each
/// theorem; the guarantee holds at it.
/// \throws UsageError  for unknown names and values outside their ranges; DomainError  where no value meets the target.
/// Cost: some tens of answers of `privacy`.
[[nodiscard]] Report calibrate(const Record& question, const Effort& effort = {});

/// The noise multiplier of DP-SGD with correlated noise by methods of its own, or lambda together with it.
[[nodiscard]] Subject calibration_of_correlated();

/// The records, the epsilon or the noise that meet a risk of private generalised linear models.
[[nodiscard]] Subject calibration_of_glm();

}  // namespace dpcurves::queries
