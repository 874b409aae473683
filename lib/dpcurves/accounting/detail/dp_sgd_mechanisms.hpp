// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Runs of DP-SGD with other mechanisms beside the steps. Internal.
///
/// Poisson and unsampled steps compose with the pairs of the mechanisms, exactly. Beside other batches, a mechanism
/// counts as the (epsilon, delta) that it has. Beside releases known by Renyi divergences, its own are added.
#pragma once

#include <vector>

#include <dpcurves/accounting/dp_sgd.hpp>

namespace dpcurves::accounting::detail {

/// The guarantee of a run before anything is computed: theorem, setting and what is assumed.
[[nodiscard]] Guarantee described(const DpSgd& run);
/// Of less than all steps only upper ends are known, and the note says so.
void mark_release(Guarantee& guarantee, mechanism::Release release);
/// dp_sgd_guarantee of a run whose steps have noise.
[[nodiscard]] Guarantee composed_guarantee(const DpSgd& run, const Accuracy& accuracy);
/// Whether something beside the steps is known by its Renyi divergences alone.
[[nodiscard]] bool by_renyi(const DpSgd& run);
/// What is missing. \param run  with mechanisms.
[[nodiscard]] std::vector<Violation> mechanism_violations(const DpSgd& run);
/// Whether the pairs themselves are composed. \param run  as above, without violations.
[[nodiscard]] bool composes_pairs(const DpSgd& run);
/// Whether every mechanism is a normal sum or attains the worst of its epsilon and delta. \param run  as above.
[[nodiscard]] bool composes_claims(const DpSgd& run);
/// The run with claims in place of mechanisms. \param run  as above.
[[nodiscard]] DpSgd with_claims(DpSgd run);
/// Every release as a mechanism. \param run  whose pairs are composed.
[[nodiscard]] std::vector<mechanism::Mechanism> as_mechanisms(const DpSgd& run);
/// At least the Renyi divergence of all mechanisms whose losses are finite.
[[nodiscard]] double mechanisms_renyi(const DpSgd& run, bool remove, double order);
/// The claims among the mechanisms that may reveal everything.
[[nodiscard]] std::vector<ClaimedRelease> unbounded(const DpSgd& run);

}  // namespace dpcurves::accounting::detail
