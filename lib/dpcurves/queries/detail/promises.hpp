// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// An algorithm's theorems for questions about whole curves, such as those of attack, curve attack and audit.
#pragma once

#include <dpcurves/queries/attack.hpp>
#include <dpcurves/queries/detail/algorithm.hpp>
#include <dpcurves/queries/subject.hpp>

namespace dpcurves::queries {

/// Every theorem at the values; those with free parameters once for each of some targets. The values are completed
/// first, by the file of --run. Errors as Algorithm::guarantees.
[[nodiscard]] Promises promises(const Algorithm& algorithm, Values& values, const std::vector<Option>& table);

/// Puts what was read from the file of --run before the words and beside the data.
void finish(Report& report, const Values& values);

/// The options of an algorithm for questions about whole curves: --certificate proves one epsilon and is left out.
[[nodiscard]] std::vector<Option> curve_options(const Algorithm& algorithm);

/// The algorithms with the options of `attack`, in the order in which help shows them.
[[nodiscard]] const std::vector<Subject>& attack_subjects();

}  // namespace dpcurves::queries
