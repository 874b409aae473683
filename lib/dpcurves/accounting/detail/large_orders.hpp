// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Renyi divergences of the pairs without a quadrature of their own, at orders so large that one bump of the integrand
/// is all of it. Internal.
///
/// With M_a = integral of P^a Q^(1 - a) and g = exp(a (a - 1) mu^2 / 2), the moment of the step without sampling:
///
/// fixed_size_remove: P = (1-p) N(-mu) + p N(mu), Q = (1-p) N(-mu) + p N(0) attains the profile at epsilon >= 0. Joint
/// convexity gives M_a <= 1 - p + p g for the dominating pair too; P >= p N(mu), then (1 + s)^(1 - a) >= 1 - (a - 1) s
/// with s = (1-p)/p exp(-mu x - mu^2/2), gives M_a >= p g (1 - (a - 1) (1 - p)/p exp(-a mu^2)).
///
/// fixed_size_add: the profile at epsilon >= 0 is that of the symmetrised pair, and losses below 0 contribute at most 1
/// to either moment: M_a is within 1 of the symmetrised one.
///
/// poisson_replace_one: Q >= (1-p) N(0) and the moment of poisson_remove bound M_a from above; from below, P >= p N(mu)
/// gives M_a >= p^a (1-p)^(1 - a) g (1 - (a - 1) p/(1-p) exp(-a mu^2)).
#pragma once

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting::detail {

/// The divergence of one step between elementary ends, which meet as order mu^2 grows; [0, ...] where they say little.
/// \param pair  fixed_size_remove, fixed_size_add or poisson_replace_one. \param sampling_rate  in (0, 1).
/// \param mu  in (0, 100]. \param order  in (1, 1e12].
[[nodiscard]] Enclosure large_order_renyi(Pair pair, double sampling_rate, double mu, double order);

}  // namespace dpcurves::accounting::detail
