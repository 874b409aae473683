// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The Renyi divergence of two mixtures with the same weights, bounded by those of their components.
///
/// Source: Lin, Kolaczyk, Smith and Paquette, Lemma C.3 (joint convexity of exp((a - 1) D_a)).
#pragma once

#include <span>

namespace dpcurves::divergence {

/// log(sum_j w_j exp((a - 1) D_j)) / (a - 1), the weights divided by their sum: at least D_a of the two mixtures.
///
/// \param renyi_order  a > 1, finite. \param divergences  in [0, inf]. \param weights  > 0, as many.
/// \throws DomainError  outside, or for empty lists. Accuracy: relative 4e-15, also where every divergence is tiny or
/// huge.
[[nodiscard]] double mixture_renyi(double renyi_order, std::span<const double> divergences,
                                   std::span<const double> weights);

}  // namespace dpcurves::divergence
