// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What the steps of DP-SGD are dominated by, for each way of drawing batches and each notion of neighbours, and their
/// composition in each direction. Internal.
#pragma once

#include <string>
#include <vector>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/random_allocation.hpp>

namespace dpcurves::accounting::detail {

/// The pair of a direction and the distance that one step can move, in units of Z.
struct Law {
  const char* direction;  ///< "remove", "add" or "both"
  Pair pair;              ///< of one step
  double distance;        ///< 2 where a record is replaced, else 1
};

/// Empty: there is no theorem.
[[nodiscard]] std::vector<Law> laws(mechanism::Sampler sampling, mechanism::Adjacency adjacency);
/// Each once, in the order of the phases; that of the run where there is no phase.
[[nodiscard]] std::vector<mechanism::Sampler> samplers(const DpSgd& run);
/// Whether a phase has a law of all its steps together.
[[nodiscard]] bool allocated(const DpSgd& run);
/// "remove" and "add" as far as the pair of some phase knows them, else "both".
[[nodiscard]] std::vector<std::string> direction_names(const DpSgd& run);
/// The same with the pairs of mechanisms: two directions unless all pairs are symmetric.
[[nodiscard]] std::vector<std::string> mechanism_directions(const DpSgd& run);
/// Rounds of floor(uses / q) steps, the last one counted in full.
[[nodiscard]] RandomAllocation allocation(const DpSgd& run);
/// The releases of one record by shuffled and cyclic phases: in each epoch one, of its step with the least noise.
struct EpochUses {
  double noise_multiplier = 1.0;  ///< of that step
  double count = 0.0;             ///< of such epochs
};
/// Those of all phases together.
///
/// An epoch has floor(1/q) steps, and one more where a smaller batch makes it whole. Numbered phases go on where the
/// one before ended, and start in the middle of an epoch if their number says so. Of shuffled phases without numbers it
/// is not known whether a phase begins an epoch: the worse of the two is counted. O(phases).
[[nodiscard]] std::vector<EpochUses> epoch_uses(const DpSgd& run);
/// Composition of one direction. A phase whose pair is symmetric is the same in all.
[[nodiscard]] Composition compose(const DpSgd& run, const std::string& direction);
/// The claims, and the sums without noise as claims that reveal everything.
[[nodiscard]] std::vector<ClaimedRelease> claims_of(const DpSgd& run);

}  // namespace dpcurves::accounting::detail
