// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Runs of DP-SGD whose steps are mixture pairs: groups of records, batches with replacement, cyclic and truncated
/// Poisson batches, a record more or less of fixed-size batches. Internal.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/mixture/curve.hpp>

namespace dpcurves::accounting::mixture {

/// \throws DomainError  for a size that no group has.
void require_group(const DpSgd& run);
/// Whether some phase, or the group, needs these pairs.
[[nodiscard]] bool needs_mixtures(const DpSgd& run);
/// What is missing for a theorem.
[[nodiscard]] std::vector<Violation> violations(const DpSgd& run);
/// "remove", "add" or "both", each with its curve. \param run  without violations.
[[nodiscard]] std::vector<DirectedCurve> curves(const DpSgd& run);
/// A run of Poisson steps with the same pairs: where one record is in cyclic Poisson batches, or is added to or removed
/// from batches of a fixed size, which are those of half the noise; and where records of one owner are added or removed
/// and a batch is a single draw.
[[nodiscard]] std::optional<DpSgd> as_poisson(const DpSgd& run);
/// The same where truncated Poisson batches are told apart by how many of the others are kept: other upper ends. None
/// for other samplers, and where a loss would be infinite. \param beside  of curves(), whose lower ends are shared.
[[nodiscard]] std::vector<DirectedCurve> curves_by_others(const DpSgd& run, std::span<const DirectedCurve> beside = {});
/// About the parameter of a Gaussian mechanism of that size.
[[nodiscard]] double approximate_mu(const DpSgd& run);

}  // namespace dpcurves::accounting::mixture
