// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Concentration of Poisson batches, Gaussian noise and freshly initialised networks: the pieces of the analysis of
/// DP-SGD on deep networks that have constants.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks", Lemmas 20 to 27. Lemma 24 is
/// corrected: the printed bound is kept under its own name, and is exceeded by the truth.
#pragma once

namespace dpcurves::bounds {

/// A probability with its logarithm, which does not underflow.
struct Tail {
  double probability = 0.0;  ///< in [0, 1]; 0 where it underflows
  double log = 0.0;          ///< natural, in [-inf, 0]
};

/// P(Bin(trials, rate) <= count), exactly.
///
/// \param trials  a whole number in [0, inf). \param rate  in [0, 1]. \param count  a whole number; below 0 gives 0.
/// \throws DomainError outside. Accuracy: absolute error of the logarithm 1e-10 + 1e-15 |log|, whatever the sizes.
/// Cost: at most 1e6 terms, 5 ms; long flat tails are integrated (Euler and Maclaurin).
[[nodiscard]] Tail binomial_lower_tail(double trials, double rate, double count);

/// Lemma 23: a Poisson batch at rate q from n records, of expected size M = q n, has at most (1 - a) M records.
struct BatchTail {
  Tail single;                ///< P(|B| <= floor((1 - a) q n + 1e-9)), exact
  Tail any;                   ///< of T independent batches
  double log_chernoff = 0.0;  ///< of the bound exp(-a^2 M/2) of one batch
  double count = 0.0;         ///< floor((1 - a) q n + 1e-9); the 1e-9 keeps .1 * 10 from becoming 0
};
/// \param records  n in [1, inf), whole. \param rate  q in (0, 1]. \param shortfall  a in [0, 1]. \param steps  T >= 1,
/// whole. \throws DomainError outside.
[[nodiscard]] BatchTail batch_tail(double records, double rate, double shortfall, double steps);

/// P(|X| > t) for X ~ N(0, sigma^2 I) in R^dim, exactly: Q(dim/2, t^2/(2 sigma^2)).
struct NormTail {
  Tail exact{};              ///< its logarithm is finite where the probability underflows
  double log_bound = 0.0;    ///< Lemma 24 corrected: log of 2 exp(-t^2/(2 dim sigma^2)), valid for every dim and t
  double log_printed = 0.0;  ///< log of 2 exp(-t/(2 dim sigma^2)): false for t < 1, for example dim = 1, sigma = t = .1
};
/// \param dimension  a whole number in [1, 1e15]. \param deviation  sigma > 0. \param threshold  t > 0; both finite.
/// \throws DomainError outside. Accuracy: absolute error of log 1e-12 + 1e-15 |log| for dim up to 1e6, 1e-9 at 1e12.
[[nodiscard]] NormTail norm_tail(double dimension, double deviation, double threshold);

/// Lemma 26 with its constant: max over n records of |f(W_0, x_i)| <= h sqrt(2 log(2n/xi)) with probability at least
/// 1 - xi, h the largest norm of a last hidden layer, about 1.
/// \param hidden  h >= 0. \param records  n >= 1. \param failure  xi in (0, 1). \throws DomainError outside.
[[nodiscard]] double initial_output_bound(double hidden, double records, double failure);

/// Lemma 27 with its constant: S omega sum_l |grad_l f| at initialisation and large width, which bounds the change of a
/// loss within |W_l - W_l^0|_F <= omega to first order: S omega sqrt(m) ((L - 1)/sqrt 2 + 1).
/// \param slope  S >= 0. \param radius  omega >= 0. \throws DomainError outside.
[[nodiscard]] double loss_change(double slope, double radius, double width, double depth);

/// E|noise|_F^2 of one step of Algorithm 10: deviation^2 (m d + (L - 2) m^2 + m) (used by Lemma 25).
[[nodiscard]] double noise_energy(double deviation, double width, double depth, double inputs);

}  // namespace dpcurves::bounds
