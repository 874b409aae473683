// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The standard normal law far into its tails: density, distribution, quantiles and the Mills ratio.
///
/// Phi is the distribution function, phi the density, R(x) = Phi(-x) / phi(x) the Mills ratio. Tails are products
/// phi R with the exponent of phi formed without rounding, so that nothing is lost before underflow.
///
/// Every function accepts infinite x with its limit. Accuracies are relative errors for results that are normal
/// doubles; each is enforced against 50-digit references.
#pragma once

namespace dpcurves::numerics {

/// phi(x) = exp(-x^2/2) / sqrt(2 pi). \throws DomainError for NaN. Accuracy: 1e-15. Cost: about 10 ns.
[[nodiscard]] double normal_density(double x);

/// log phi(x), finite for |x| < 1.8e154. \throws DomainError for NaN. Accuracy: 1e-15.
[[nodiscard]] double log_normal_density(double x);

/// Phi(x). \throws DomainError for NaN. Accuracy: 4e-15. Cost: about 40 ns.
[[nodiscard]] double normal_cdf(double x);

/// Phi(-x) = P(Z > x). \throws DomainError for NaN. Accuracy: 4e-15. Cost: about 40 ns.
[[nodiscard]] double normal_upper_tail(double x);

/// log Phi(-x), finite for x < 1.8e154. \throws DomainError for NaN. Accuracy: 4e-15.
[[nodiscard]] double log_normal_upper_tail(double x);

/// Phi^{-1}(p), infinite at 0 and 1. \param p  probability in [0, 1].
/// \throws DomainError outside. Accuracy: 4e-15. For p near 1 call normal_upper_quantile with the complement.
[[nodiscard]] double normal_quantile(double p);

/// The x with P(Z > x) = upper_tail, infinite at 0 and 1. \param upper_tail  probability in [0, 1].
/// \throws DomainError outside. Accuracy: 4e-15 for every tail down to 1e-300. Cost: about 100 ns.
[[nodiscard]] double normal_upper_quantile(double upper_tail);

/// The x with log P(Z > x) = log_upper_tail. \param log_upper_tail  in [-inf, 0]; down to -1e300 the result is finite.
/// \throws DomainError outside. Accuracy: 4e-15. Cost: below 1 us.
[[nodiscard]] double normal_upper_quantile_from_log(double log_upper_tail);

/// P(|Z| <= x) = 2 Phi(x) - 1, odd in x. \throws DomainError for NaN. Accuracy: 4e-15.
[[nodiscard]] double normal_central_mass(double x);

/// The x with P(|Z| <= x) = mass. \param mass  in [-1, 1]. \throws DomainError outside. Accuracy: 4e-15 for |mass|
/// below 0.9; nearer to 1 call normal_upper_quantile with half the complement.
[[nodiscard]] double normal_central_quantile(double mass);

/// R(x) = Phi(-x) / phi(x); infinite below -38.6, decreasing like 1/x.
/// \throws DomainError for NaN. Accuracy: 4e-15. Cost: about 30 ns.
[[nodiscard]] double mills_ratio(double x);

/// 1 - x R(x) = -R'(x), positive, without cancellation; like 1/x^2 for large x.
/// \throws DomainError for NaN. Accuracy: 4e-15. Cost: about 30 ns.
[[nodiscard]] double mills_slope(double x);

/// R(x) - R(x + width) without cancellation, for widths as small as 1e-300. \param width in [0, inf].
/// \throws DomainError for NaN or a negative width. Accuracy: 1e-14 for x >= -5, 4e-16 x^2 below. Cost: below 0.5 us.
[[nodiscard]] double mills_drop(double x, double width);

}  // namespace dpcurves::numerics
