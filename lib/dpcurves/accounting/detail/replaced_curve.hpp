// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// One record replaced as one removed and another added. Internal.
///
/// For every event and every e1 + e2 = epsilon, P(A) <= e^e1 R(A) + delta_remove(e1) and R(A) <= e^e2 Q(A) +
/// delta_add(e2), R the run without either record: delta <= delta_remove(e1) + e^e1 delta_add(e2).
///
/// Source: the triangle inequality of hockey-stick divergences; docs/theory/accountant/random-allocation.md.
#pragma once

#include <string>

#include <dpcurves/accounting/detail/sampled_curve.hpp>

namespace dpcurves::accounting {

/// \param remove, add  guarantees of one record removed, and of the other added.
/// \param below        lower ends, asked for epsilons in [0, 200].
/// \param mu           the guarantee is mu.upper-GDP.
/// \param method       of the answers.
/// Every split of delta holds; two are tried for an epsilon. Cost: two epsilons, or 11 deltas, of either curve.
/// \throws DomainError  if a curve is null.
[[nodiscard]] CurvePtr replaced_curve(CurvePtr remove, CurvePtr add, LowerEnd below, Enclosure mu, std::string method);

}  // namespace dpcurves::accounting
