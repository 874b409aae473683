// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The law of the likelihood ratio of one round of random allocation in which a record is replaced. Internal.
///
/// The ratio is (C + S) / (C - S), C the sum of e^{-mu^2/2} cosh(mu z_i), S that of e^{-mu^2/2} sinh(mu z_i), z
/// standard normal. S is kept on a lattice, C by its mean and its variance given S: at that mean the law below, spread
/// as far as mean, variance and least value allow the law above.
///
/// Source: derived in this project, docs/theory/accountant/random-allocation.md.
#pragma once

#include <dpcurves/accounting/detail/ratio_law.hpp>
#include <dpcurves/accounting/random_allocation.hpp>

namespace dpcurves::accounting::detail {

/// Both laws, and what either end of delta may miss in every round.
struct ReplacedLaws {
  RatioLaws laws;
  double lost = 0.0;
};

/// \param mu  in (0, largest_replaced_mu]. \param steps  of a round, a whole number from 2. \param taken  of these, a
/// whole number from 1 to `steps`: a record that was to come later has ratio 1.
[[nodiscard]] ReplacedLaws replaced_laws(double mu, double steps, double taken);

inline constexpr double largest_replaced_mu = 1.25;  ///< beyond, the lattice would be too long

/// The run as a curve, by these laws: one step is chosen. Deltas below some 1e-9 are seen coarsely.
[[nodiscard]] CurvePtr replaced_rounds_curve(const RandomAllocation& allocation);

}  // namespace dpcurves::accounting::detail
