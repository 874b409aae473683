// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// One record in a run: its uses in every phase, and draws of what the run publishes with it and without it.
///
/// The record's gradient has the full clipping norm, the others are 0 where they say nothing and opposite where they
/// fill its place in a batch: the worst pair of data sets that is known. The run is that of a file, the same one that
/// accountants read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <dpcurves/mechanism/run.hpp>
#include <dpcurves/simulate/detail/record_uses.hpp>

namespace dpcurves::simulate {

/// The uses of the record in the phases that have steps and noise, and in the sums beside them. Sums over all records
/// are one sum of a smaller noise where every step is published; an iterate weighs the steps, and its sums are not
/// drawn. \throws DomainError  above 1e7 steps, for a sum without noise, where nothing is left to draw, and for what
/// mechanism::sampling_rate and noise_over_record miss. O(phases).
[[nodiscard]] std::vector<RecordUses> uses_of(const mechanism::Run& run);

/// A number that is larger under the alternative, of `paths` runs: the log-likelihood ratio of all steps, or the
/// iterate that the run publishes. \param null, first_path, threads  as for log_likelihood_ratios. \throws DomainError
/// as uses_of, and for a step size times strong convexity above 1. Cost: as log_likelihood_ratios.
[[nodiscard]] std::vector<double> statistics(const mechanism::Run& run, bool null, std::size_t paths,
                                             std::uint64_t seed, std::uint32_t first_path, unsigned threads);

/// What a reader of the draws should know: what stands for the losses, and what of the run is not drawn.
[[nodiscard]] std::vector<std::string> simplifications(const mechanism::Run& run);

}  // namespace dpcurves::simulate
