// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// C_p(G(mu)): one step of the subsampled Gaussian mechanism, its profile and its privacy loss.
///
/// With f = G(mu) and f_p = p f + (1 - p) Id, C_p(f) is the largest trade-off function below f_p and its inverse. It
/// follows f_p up to the fixed point x* = Phi(-mu/2) of G(mu), then a segment of slope -1 to
/// y* = p Phi(-mu/2) + (1 - p) Phi(mu/2), then the inverse of f_p. Its privacy loss has an atom at 0.
///
/// The one-sided pair N(0, 1) against (1 - p) N(0, 1) + p N(mu, 1) is another, weaker object: adjacency by adding or
/// removing a record, with Poisson sampling. Its functions carry `one_sided` in their names.
///
/// Throughout: sampling_rate p in [0, 1], mu in [0, inf), DomainError outside. Accuracies are relative errors for p
/// from 1e-12 to 1 and mu up to 100, measured; near the largest loss of a one-sided pair they do not hold, so that no
/// guarantee rests on anything but the enclosure.
///
/// Source: Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024), Definition 4.7,
/// Propositions D.1 to D.4, footnote 13; the extremal family: proof that Theorem 4.8 is tight for one step.
#pragma once

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/tradeoff/table.hpp>

namespace dpcurves::tradeoff {

/// C_p(G(mu)) at a type I error in [0, 1].
/// Accuracy: 1e-12, on the segment of slope -1 no better than 4e-16 absolute. Cost: 1 us, 5 us past y*.
[[nodiscard]] double subsampled_gaussian(double type_one_error, double sampling_rate, double mu);

/// 1 - C_p(G(mu)) without cancellation. Accuracy and cost as `subsampled_gaussian`.
[[nodiscard]] double subsampled_gaussian_power(double type_one_error, double sampling_rate, double mu);

/// The profile of C_p(G(mu)): p delta_mu(log(1 + (exp(epsilon) - 1) / p)) for epsilon >= 0, and by symmetry below.
/// \param epsilon  any real number or an infinity. Accuracy: 1e-12.
[[nodiscard]] double subsampled_gaussian_delta(double epsilon, double sampling_rate, double mu);

/// The profile between proved ends (ball arithmetic), at most three doubles apart for every argument of the domain.
/// \param epsilon  any real number or an infinity. Cost: about 20 us.
[[nodiscard]] Enclosure subsampled_gaussian_delta_enclosure(double epsilon, double sampling_rate, double mu);

/// P(privacy loss = 0) under either hypothesis: (1 - p) (2 Phi(mu/2) - 1), or 1 if p or mu is 0. Accuracy: 4e-15.
[[nodiscard]] double privacy_loss_atom(double sampling_rate, double mu);

/// P(Y <= loss) for the privacy loss Y = log dQ/dP under Q; under P the loss is -Y in law. Right-continuous: it
/// contains the atom at 0. Accuracy: 1e-12.
[[nodiscard]] double privacy_loss_cdf(double loss, double sampling_rate, double mu);

/// P(Y > loss). Accuracy: 1e-12.
[[nodiscard]] double privacy_loss_upper_tail(double loss, double sampling_rate, double mu);

/// Trade-off function of N(0, 1) against the mixture: p G(mu)(a) + (1 - p) (1 - a). Accuracy: 1e-14.
[[nodiscard]] double one_sided_subsampled_gaussian(double type_one_error, double sampling_rate, double mu);

/// Hockey-stick divergence of order exp(epsilon) of the mixture from N(0, 1): a record is added. Accuracy: 1e-12.
[[nodiscard]] double one_sided_delta_of_adding(double epsilon, double sampling_rate, double mu);

/// Hockey-stick divergence of N(0, 1) from the mixture: a record is removed.
/// Equal to 1 - exp(epsilon) (1 - one_sided_delta_of_adding(-epsilon)). Accuracy: 1e-12.
[[nodiscard]] double one_sided_delta_of_removing(double epsilon, double sampling_rate, double mu);

/// Errors of the test that rejects above `threshold` between p N(-(1 - share) mu, 1) + (1 - p) N(0, 1) and
/// p N(share mu, 1) + (1 - p) N(0, 1).
///
/// For share in [0, 1] these curves lie above C_p(G(mu)), touch it, and their infimum over share is C_p(G(mu)): one
/// step of subsampled descent with gradients (1 - share) L and -share L attains it. share = 1 is the one-sided pair.
/// The test is the likelihood-ratio test, because the ratio rises with the observation. Accuracy: 1e-14.
[[nodiscard]] ErrorPair extremal_pair(double threshold, double share, double sampling_rate, double mu);

/// The trade-off function of that family at a type I error in [0, 1]. Accuracy: 1e-12. Cost: about 5 us.
[[nodiscard]] double extremal_tradeoff(double type_one_error, double share, double sampling_rate, double mu);

}  // namespace dpcurves::tradeoff
