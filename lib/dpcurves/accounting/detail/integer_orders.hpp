// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The Renyi accountant of DP-SGD as it is used in practice: the binomial sum at integer orders 2, ..., 511.
///
/// For comparison with published numbers; subsampled_renyi.hpp has every order and both directions, proved.
///
/// Source: Mironov, Talwar and Zhang, "Renyi differential privacy of the sampled Gaussian mechanism" (2019), section
/// 3.3; conversion of Balle et al. (2020).
#pragma once

#include <dpcurves/divergence/conversion.hpp>

namespace dpcurves::accounting {

/// D_a(with || without) of one Poisson-subsampled Gaussian step, log(sum_k C(a,k) (1-q)^(a-k) q^k e^((k^2-k)/(2 z^2)))
/// /(a - 1), by the sum of its positive terms e^(...) - 1: no cancellation at small q. The other direction is smaller.
///
/// \param sampling_rate  q in (0, 1]. \param noise_multiplier  z > 0, finite.
/// \param order          a whole number in [2, 1e7].
/// \throws DomainError outside. Accuracy: relative 1e-11 up to order 1e5, measured; infinite where it overflows.
/// Cost: 0.1 us times the order.
[[nodiscard]] double integer_order_renyi(double sampling_rate, double noise_multiplier, double order);

/// The smallest epsilon over integer orders 2, ..., 511 of `steps` times that divergence, by the conversion
/// steps D_a + log((a-1)/a) - (log delta + log a)/(a-1); not below 0.
/// The order is the best by that estimate; epsilon is the sum at that order in ball arithmetic, rounded up.
/// \param steps  >= 1. \param delta  in (0, 1). \throws DomainError outside. Cost: 3 ms.
[[nodiscard]] divergence::Conversion epsilon_by_integer_orders(double sampling_rate, double noise_multiplier,
                                                               double steps, double delta);

}  // namespace dpcurves::accounting
