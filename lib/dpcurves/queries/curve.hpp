// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Curves of an algorithm: a trade-off function, a privacy profile, a Renyi curve or the rates of attacks, with both
/// certified ends.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <dpcurves/queries/subject.hpp>

namespace dpcurves::queries {

/// The kinds of curves with a line of summary each, in the order in which help shows them: "tradeoff", "profile",
/// "renyi", "attack".
[[nodiscard]] const std::vector<std::pair<std::string, std::string>>& curve_kinds();

/// The algorithms with their options for one kind. \throws UsageError  for a kind that is none.
[[nodiscard]] const std::vector<Subject>& curve_subjects(const std::string& kind);

/// {"curve": "tradeoff", "algorithm": "noisy-gd", "points": 21, ...}: columns of abscissas and of both ends.
/// \throws UsageError  for unknown names and values outside their ranges; DomainError  where no theorem applies, with
/// what each needs. Cost: that of as many answers as there are points.
[[nodiscard]] Report curve(const Record& question, const Effort& effort = {});

}  // namespace dpcurves::queries
