// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Releases of which only a guarantee is known, composed with others of which the pair of laws is.
///
/// An (e, d)-private mechanism is dominated by the pair that with probability d reveals everything and otherwise
/// answers by randomised response with odds e^e. With delta_1 the profile of the rest, k such releases make
///
///     delta(s) = 1 - (1 - d)^k (1 - sum_j Bin(j; k, p) delta_1(s - (2j - k) e)),   p = e^e / (1 + e^e),
///
/// which is an upper bound, attained for that pair. Several claims make the product of such sums.
///
/// Source: Kairouz, Oh and Viswanath, "The composition theorem for differential privacy" (2015), for the pair;
/// docs/guide/transcripts.md.
#pragma once

#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>

namespace dpcurves::accounting {

/// A release that somebody guarantees to be (epsilon, delta)-private, several times.
struct ClaimedRelease {
  double epsilon = 0.0;  ///< in [0, inf]
  double delta = 0.0;    ///< in [0, 1]; (0, 1) reveals everything
  double count = 1.0;    ///< a whole number in [0, 1e15]
};

/// A release whose Renyi divergence of every order a > 1 is at most rho a + xi, several times.
struct ConcentratedRelease {
  double rho = 0.0;    ///< in [0, inf)
  double xi = 0.0;     ///< in [0, inf)
  double count = 1.0;  ///< a whole number in [0, 1e15]
};

/// The rest beside such releases, adaptively composed.
///
/// Both ends are of the formula above, whose upper end may be promised. More than 4096 terms are merged: their losses
/// are rounded up to a grid for the upper end and down for the lower.
/// \param rest  asked at negative epsilons too.
/// \throws DomainError  for values outside the ranges above, or a curve that is null.
/// Accuracy: that of the rest and a relative 1e-14 times the counts. Cost: the terms times that of the rest, for an
/// epsilon some twenty times that.
[[nodiscard]] CurvePtr claimed_curve(CurvePtr rest, const std::vector<ClaimedRelease>& claims);

}  // namespace dpcurves::accounting
