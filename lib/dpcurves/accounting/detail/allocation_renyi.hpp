// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Moments of the mean of independent lognormal ratios. Internal.
#pragma once

#include <dpcurves/accounting/detail/ratio_law.hpp>
#include <dpcurves/accounting/subsampled_renyi.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting::detail {

/// log E L^order for a whole order >= 0 up to `largest_closed_order`, L the mean of `steps` ratios of N(mu, 1) to
/// N(0, 1), in balls, for every mu that rounds to this one. Cost: some tens of products of polynomials of that degree.
[[nodiscard]] Enclosure log_moment(double mu, double steps, int order);
constexpr int largest_closed_order = 512;  ///< the largest order of log_moment: its cost is quadratic in the order

/// Renyi divergence of an order > 1 of one epoch. `laws` are those of allocation_laws.
[[nodiscard]] Enclosure allocation_renyi(double mu, double steps, double order, Direction direction,
                                         const RatioLaws& laws);

}  // namespace dpcurves::accounting::detail
