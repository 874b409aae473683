// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Mechanisms beside the Gaussian step, by their privacy losses, as components of one composition.
///
/// A loss is a set of atoms, a density c e^{r l} on an interval, and a mass at infinity; its moments E[e^{z l}] are
/// closed forms, and the composition is inverted as docs/theory/accountant/mixtures.md says.
///
/// Sources of the pairs: Dwork and Roth (2014) for Laplace and randomised response; Kairouz, Oh and Viswanath (2015)
/// for (epsilon, delta); Canonne, Kamath and Steinke (2020) for the discrete Gaussian; Zhu, Dong and Wang (2022),
/// Theorem 11, for Poisson sampling of a dominating pair.
#pragma once

#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/mechanism/mechanism.hpp>

namespace dpcurves::accounting {

using mechanism::Mechanism;
using mechanism::MechanismKind;

/// The composition; `remove` or `add` matter for sampled mechanisms and given losses only.
/// Both ends proved for the composed pairs; a claim's pair is the worst that the claim allows. Renyi: [0, inf].
/// Relative width of epsilon 1e-9 where atoms have a common measure, else 1e-5. Up to 7e-4 for
/// 1e5 sampled Laplace mechanisms; beyond 1e7 of them the loss lies between two laws of 512 atoms.
/// \throws DomainError  for zcdp and sampled mixtures, with the reason, and for masses above 1.
[[nodiscard]] CurvePtr mechanisms_curve(const std::vector<Mechanism>& mechanisms, bool remove);

/// At least the Renyi divergence of one use. \param order  above 1. Infinite where a loss is.
/// \throws DomainError  as mechanisms_curve, but for zcdp. Cost: one moment of its losses.
[[nodiscard]] double mechanism_renyi(const Mechanism& mechanism, bool remove, double order);

}  // namespace dpcurves::accounting
