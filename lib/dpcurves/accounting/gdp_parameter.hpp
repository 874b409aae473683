// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The smallest mu for which a composition is mu-GDP, and the one that is enough where delta matters.
///
/// A subsampled Gaussian step is mu-GDP with the mu of the step without sampling, and with no smaller one: sampling
/// makes large losses rare, it does not make them small. So the smallest mu of a composition is sqrt(sum mu_j^2),
/// whatever the rates: for DP-SGD sqrt(T)/Z, which says little. The profile lies below that of a much smaller m
/// wherever delta is at least a floor such as 1e-15; that m is a number to compare mechanisms by.
///
/// Proofs: docs/theory/accountant/gdp.md.
#pragma once

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting {

/// The smallest mu for which the composition is mu-GDP, that is T(Q, P) >= G(mu) at every type I error.
///
/// \throws DomainError  for values outside the ranges of Composition.
/// Accuracy: proved (ball arithmetic); the ends are at most three doubles apart, except with steps of
/// poisson_replace_one at rates in (1/2, 1), where the contribution of such a step is only known to lie between its mu
/// and 2 mu.
[[nodiscard]] Enclosure gdp_parameter(const Composition& composition);

/// The smallest m with delta(epsilon) <= delta of G(m) at every epsilon >= 0 where delta(epsilon) is from `delta_floor`
/// to 1 - 1e-6, beyond which a double says too little about 1 - delta.
///
/// Not a GDP parameter: below the floor the profile leaves that of G(m). Found by bisecting the epsilons: delta is
/// convex in exp(epsilon), so that chords from above and tangents of the Gaussian profile bound m between two nodes.
/// The comparisons are made in ball arithmetic: the ends are as sure as those of the curve.
/// \param curve        both ends of its delta are used.
/// \param delta_floor  in (0, 1 - 1e-6). \param relative  wanted relative width, in (0, 1).
/// \throws DomainError  outside. \throws ConvergenceError  where no finite epsilon is proved at the floor. Cost: about
/// 30 evaluations of the curve where m has its maximum over epsilon in one place; where the profile is nearly Gaussian,
/// 200 to 400, and a bracket of about 3e-4.
[[nodiscard]] Enclosure gdp_parameter_above(const PrivacyCurve& curve, double delta_floor, double relative = 1e-6);

}  // namespace dpcurves::accounting
