// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Runs of DP-SGD in which a record stands at random positions: what is missing for a theorem, and the curves.
/// Internal.
///
/// Source: docs/theory/accountant/positions.md.
#pragma once

#include <optional>
#include <vector>

#include <dpcurves/accounting/dp_sgd.hpp>

namespace dpcurves::accounting::detail {

/// Whether the sampler has a law of all its steps together and does not compose with others.
[[nodiscard]] constexpr bool stands_alone(mechanism::Sampler sampler) {
  return sampler == mechanism::Sampler::random_allocation || sampler == mechanism::Sampler::balls_in_bins ||
         sampler == mechanism::Sampler::b_min_sep;
}

/// What balls in bins or minimum separation needs beyond finite steps. \param sampler  one of the two.
[[nodiscard]] std::vector<Violation> position_violations(const DpSgd& run, mechanism::Sampler sampler);

/// Fills directions, curve and note. \param sampler  as above, without violations.
void add_position_curves(Guarantee& guarantee, const DpSgd& run, mechanism::Sampler sampler);

/// The guarantee of a random order, beside the one without amplification; empty where it has no curve here: several
/// phases or other releases, more than 1e6 batches.
[[nodiscard]] std::optional<Guarantee> shuffled_guarantee(const DpSgd& run);

}  // namespace dpcurves::accounting::detail
