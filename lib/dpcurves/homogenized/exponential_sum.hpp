// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Sums of decaying exponentials over a spectrum, and their compression to a few terms with errors of known
/// signs, up to rounding, which is estimated.
///
/// f(tau) = sum_k weight_k exp(-rate_k tau) with weights >= 0 is the integral of exp(-x tau) over a positive measure.
/// Even derivatives of exp(-x tau) in x are positive and odd ones negative, so the error of a Gauss rule of that
/// measure and that of a Gauss-Radau rule with its fixed node at (or below) the smallest rate have fixed signs:
/// Gauss <= f <= Radau for every tau >= 0. A Volterra equation with a nonnegative kernel is monotone in it, so the two
/// rules enclose its solution too. Bins of eigenvalues would converge like 1/m^2, the Gauss rule geometrically.
///
/// Source: derived for this project from the classical theory of Gauss quadrature (Golub and Meurant, "Matrices,
/// Moments and Quadrature", 2010); the kernel is that of Theorem 4.2 of Lin, Kolaczyk, Smith and Paquette.
#pragma once

#include <Eigen/Core>

#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::homogenized {

/// f(tau) = sum_k weights_k exp(-rates_k tau).
struct ExponentialSum {
  Eigen::ArrayXd rates;    ///< shape (terms), >= 0
  Eigen::ArrayXd weights;  ///< shape (terms), >= 0

  /// f(tau). \param tau  >= 0. Cost: an exponential per term.
  [[nodiscard]] double operator()(double tau) const { return (weights * (-rates * tau).exp()).sum(); }
};

/// A lower and an upper bound of one sum of exponentials, for every tau >= 0.
struct CompressedSum {
  ExponentialSum lower;  ///< Gauss rule with at most m terms
  ExponentialSum upper;  ///< Gauss-Radau rule with at most m + 1 terms, one at the smallest rate
};

/// Gauss and Gauss-Radau rules of a sum by Lanczos with full reorthogonalisation.
///
/// Sums of more than 4096 terms are first replaced, within intervals of rates of ratio 0.8, by rules of six nodes of
/// the same sign: Gauss of Gauss is below, Radau of Radau above. If there are at most m different rates, both are the
/// sum itself. \throws DomainError  unless m >= 1, rates and weights are finite and >= 0, of equal length >= 1.
///
/// Accuracy: the order lower <= f <= upper holds up to 1e-14 f(0) of rounding. Cost: about 4 m^2 operations per term
/// up to 4096 terms; 0.2 us per term beyond.
[[nodiscard]] CompressedSum compress(const ExponentialSum& sum, int m);

/// Compresses with the least m of 8, 16, 32, 64, 128 for which upper - lower <= tolerance f(0) on [0, longest].
/// \param gap  if not null, receives the largest (upper - lower)/f(0) seen at 200 points of [0, longest].
[[nodiscard]] CompressedSum compress_to(const ExponentialSum& sum, double longest, double tolerance,
                                        double* gap = nullptr);

/// Both bounds at tau, widened by 1e-14 f(0) for rounding.
[[nodiscard]] Enclosure enclose(const CompressedSum& sum, double tau);

}  // namespace dpcurves::homogenized
