// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What the text of `privacy` says of its answers: the theorems side by side, notes, a line per value of a sweep.
#pragma once

#include <string>
#include <vector>

#include <dpcurves/queries/detail/algorithm.hpp>
#include <dpcurves/queries/detail/explanation.hpp>
#include <dpcurves/queries/detail/privacy_answers.hpp>
#include <dpcurves/queries/detail/sweep.hpp>
#include <dpcurves/queries/report.hpp>

namespace dpcurves::queries::answered {

/// "epsilon" or "delta"; "" where only mu is asked for.
[[nodiscard]] std::string asked_name(const Target& target);

/// Why the ends of the composition engine lie further apart than a millionth; empty where they do not or wider is
/// asked.
[[nodiscard]] std::string width_note(const Row& row, const Target& target);

/// Every theorem of the result with what became of it.
[[nodiscard]] std::vector<Considered> considered(const Result& result);

/// Appends the blocks of one result. \param explain  with every theorem's standing.
void add_words(Report& report, const Algorithm& algorithm, const Result& result, bool explain);

/// Appends a line per value of a sweep: what one looks for there. \param results  at least one.
void add_sweep_words(Report& report, const Algorithm& algorithm, const Sweep& sweep,
                     const std::vector<Result>& results);

}  // namespace dpcurves::queries::answered
