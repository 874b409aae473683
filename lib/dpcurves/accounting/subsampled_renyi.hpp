// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Renyi divergence of one step of DP-SGD, in nats: the Poisson-subsampled Gaussian mechanism at every real order, in
/// both directions, and a bound for batches of a fixed size.
///
/// Poisson sampling takes the record with probability q. The outputs without it and with it are, in units of the noise,
/// P = N(0, 1) and Q = (1 - q) N(0, 1) + q N(mu, 1), mu = 1 / noise_multiplier for gradients clipped to norm 1.
/// With r = dQ/dP the moments are those of docs/accuracy.md: exp((a - 1) D_a) is E_P r^a for D_a(Q || P) and
/// E_P r^(1 - a) for D_a(P || Q).
///
/// Source: Mironov, Talwar and Zhang, "Renyi differential privacy of the sampled Gaussian mechanism" (2019), for the
/// pair and the integer orders; Wang, Balle and Kasiviswanathan, "Subsampled Renyi differential privacy and analytical
/// moments accountant" (2019), Theorem 9, for fixed batches. The symmetrised pair C_q(G(mu)) is that of Bok, Su and
/// Altschuler, "Shifted Interpolation for Differential Privacy" (2024), Definition 4.7.
#pragma once

#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting {

/// Which of the two data sets comes first. One of them has one record more.
enum class Direction {
  remove,  ///< D(with the record || without it)
  add      ///< D(without the record || with it)
};

/// D_a of the Poisson-subsampled Gaussian pair.
///
/// \param sampling_rate  q in [0, 1]; 0 gives 0 and 1 gives order mu^2 / 2.
/// \param mu             in [0, 100]; 0 gives 0.
/// \param order          a in (1, 1e12] or infinite: then inf for remove and -log(1 - q) for add.
/// \throws DomainError        outside.
///
/// Accuracy: proved (ball arithmetic): the trapezoidal rule with a bound of its error, with as many bits as the
/// divergence needs. At most three doubles apart for every q in (0, 1), mu in (0, 100] and order while the rule takes
/// less than 3e6 nodes, which it does to order 1e7 and, but near the order where q^a e^(a (a - 1) mu^2 / 2) passes 1 or
/// for add at q within 1e-12 of 1, to 1e12; else the elementary bounds of Minkowski and of quasi-convexity.
///
/// Cost: 0.2 to 1 ms for mu <= 1 and a divergence above 1e-20, 0.1 s at mu = 100; more bits where the divergence is
/// tiny (10 ms at 1e-300) and seconds at the limit of nodes; below 10 us at high orders of remove.
[[nodiscard]] Enclosure poisson_renyi(double sampling_rate, double mu, double order, Direction direction);

/// The same, error estimated: about 1e-12 relative. To choose orders by; a guarantee needs the function above.
/// \throws ConvergenceError  past 4e6 evaluations of the integrand. Cost: 5 to 20 us for mu <= 1.
[[nodiscard]] double estimated_poisson_renyi(double sampling_rate, double mu, double order, Direction direction);

/// D_a of the pair of C_q(G(mu)), the same in both directions; at least both of the above. One step of
/// accounting::renyi, with full relative accuracy however small or large the divergence is.
/// Domain, errors and accuracy as for poisson_renyi, infinite at infinite order. Cost: about three times as much.
[[nodiscard]] Enclosure symmetrised_renyi(double sampling_rate, double mu, double order);

/// D_a of a replaced record, (1 - q) N(0, 1) + q N(mu, 1) against (1 - q) N(0, 1) + q N(-mu, 1), the same in both
/// directions. Domain and errors as for poisson_renyi, infinite at infinite order.
/// Accuracy: three doubles to 3e4 nodes, in practice where order mu^2 is below 1000; beyond, no more than the
/// divergence of unsampled steps as the upper end. Cost: 1 to 5 ms.
[[nodiscard]] Enclosure replaced_renyi(double sampling_rate, double mu, double order);

/// An upper bound, not the divergence, for batches of a fixed size drawn without replacement from data sets that differ
/// in the value of one record; the same in both directions. With R(j) = j mu^2 / 2 and binomial coefficients C(a, j),
///
///     (a - 1) D_a <= log(1 + q^2 C(a, 2) min(4 (e^R(2) - 1), 2 e^R(2)) + 2 sum_{j=3}^a q^j C(a, j) e^((j - 1) R(j)))
///
/// and D_a <= R(a), which every mixture with common weights satisfies; the smaller is returned, rounded up.
///
/// \param sampling_rate  q = batch / records, in [0, 1].
/// \param mu             distance of the outputs of two batches that differ in one record, in units of the noise:
///                       2 / noise_multiplier for gradients clipped to norm 1. In [0, 100].
/// \param order          an integer from 2 to 1e5, the theorem's; fixed_size_renyi_curve has the others, by convexity.
/// \throws DomainError   outside.
///
/// Accuracy: rounded up, to one of the two doubles above the formula (ball arithmetic). Cost: about 0.3 us times the
/// order.
[[nodiscard]] double fixed_size_renyi_bound(double sampling_rate, double mu, double order);

}  // namespace dpcurves::accounting
