// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The privacy of an algorithm: every theorem that speaks of it, side by side, the best one marked.
#pragma once

#include <vector>

#include <dpcurves/queries/subject.hpp>

namespace dpcurves::queries {

/// The algorithms with their options, in the order in which help shows them.
[[nodiscard]] const std::vector<Subject>& privacy_subjects();

/// {"algorithm": "dp-sgd", "noise_multiplier": 1.1, ..., "delta": [1e-5]}: one result for each delta or epsilon, and
/// for each value of a sweep. \throws UsageError  for unknown names and values outside their ranges; DomainError  where
/// no theorem applies, with what each needs; ConvergenceError  where none has an answer. Cost: milliseconds to seconds
/// for each result.
[[nodiscard]] Report privacy(const Record& question, const Effort& effort = {});

/// Renyi losses of one pass of noisy SGD on least squares. It reads a problem file and answers with Renyi losses, which
/// no mu or trade-off curve summarises: that is why it is no entry of the table of algorithms.
[[nodiscard]] Subject privacy_of_noisy_least_squares();

}  // namespace dpcurves::queries
