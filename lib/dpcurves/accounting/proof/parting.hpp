// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Large losses of rarely sampled records, counted in closed form. Internal.
///
/// Where few steps sample the record, a single step has losses from far below the threshold to far above it: no line
/// sees both ends. So every law is split by a smooth partition far above the threshold. If any step falls beyond it,
/// the whole loss is above the threshold but for a chance that is bounded, and 1 - e^{epsilon - L} has a closed form;
/// what is left has a short range. Proof: Lemma 14 of docs/theory/accountant/proof.md.
#pragma once

#include <initializer_list>
#include <optional>

#include <dpcurves/accounting/proof/line.hpp>
#include <dpcurves/accounting/proof/plan.hpp>

namespace dpcurves::accounting::proof {

/// Laws without their large losses, and what these add to delta.
struct Parting {
  Problem bulk;
  Line::Apart apart;
};

/// For thresholds up to twice `epsilon` and delta of about e^{log_value}, to a relative e^{-digits}; none where losses
/// are not rare and large, or where no partition leaves the chance of a smaller sum unseen.
/// \param problem  not cut off. \param blurs  of the partitions, times mu. Cost: some 10 ms.
[[nodiscard]] std::optional<Parting> parted(const Problem& problem, double epsilon, double log_value, double digits,
                                            std::initializer_list<double> blurs = {1.0, 0.3});

/// At least the chance under the null that the sum of all losses, or of all but one, is below -t.
/// \param t  exact, > 0. \param problem  without a Gaussian part.
[[nodiscard]] rigorous::Real chance_below(const Problem& problem, const rigorous::Real& t);

}  // namespace dpcurves::accounting::proof
