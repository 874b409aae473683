// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The risk of a model along a run, what it tends to, and which parameters it allows.
#pragma once

#include <vector>

#include <dpcurves/queries/subject.hpp>

namespace dpcurves::queries {

/// The problems with their options, in the order in which help shows them.
[[nodiscard]] const std::vector<Subject>& risk_subjects();

/// {"problem_class": "kan", "units": 512, ...}: facts, notes and a curve.
/// \throws UsageError  for unknown names and values outside their ranges; else as the theorems of the problem. Cost:
/// milliseconds to seconds.
[[nodiscard]] Report risk(const Record& question, const Effort& effort = {});

}  // namespace dpcurves::queries
