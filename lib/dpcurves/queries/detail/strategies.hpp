// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Strategies of correlated noise by name, for `calibrate correlated` and `privacy correlated`.
#pragma once

#include <vector>

#include <dpcurves/correlated/strategy_comparison.hpp>
#include <dpcurves/queries/options.hpp>
#include <dpcurves/queries/report.hpp>
#include <dpcurves/queries/subject.hpp>

namespace dpcurves::queries {

/// Whether --strategy names one instead of a file.
[[nodiscard]] bool names_strategy(const Values& values);
/// --epochs, --participation and their like.
[[nodiscard]] std::vector<Option> strategy_options();
/// What is asked of the search. \throws UsageError  for options that do not go together.
[[nodiscard]] correlated::StrategySearch strategy_search(const Values& values);
/// The strategy that --strategy names, for a guarantee at a given noise.
/// \throws UsageError  for names that only a comparison knows.
[[nodiscard]] correlated::Strategy named_strategy(const Values& values);

/// C of --lambda, of --strategy by name or file, or of the coefficients of a run file.
[[nodiscard]] models::StrategyMatrix strategy_matrix(const Values& values);

/// The noise that one strategy, or all of them, need for (epsilon, delta): the answer of `calibrate correlated`.
[[nodiscard]] Report strategy_report(const Values& values, const std::vector<Option>& table, const Effort& effort);

}  // namespace dpcurves::queries
