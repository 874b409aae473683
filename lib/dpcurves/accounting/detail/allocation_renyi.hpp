// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Moments of the mean of independent lognormal ratios. Internal.
#pragma once

#include <dpcurves/accounting/detail/ratio_law.hpp>
#include <dpcurves/accounting/subsampled_renyi.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting::detail {

/// Up to it, moments of whole orders are coefficients of power series, in balls.
constexpr int largest_closed_order = 512;

/// Renyi divergence of an order > 1 of one epoch, for every mu that rounds to this one. `laws` are those of
/// allocation_laws. Cost: some tens of products of polynomials of the order as degree.
[[nodiscard]] Enclosure allocation_renyi(double mu, double steps, double order, Direction direction,
                                         const RatioLaws& laws);

}  // namespace dpcurves::accounting::detail
