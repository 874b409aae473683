// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Composition of Gaussian and subsampled Gaussian mechanisms.
///
/// For symmetrised pairs the composed trade-off function is f = G(gaussian_mu) tensor the product over j of
/// C_{p_j}(G(mu_j)) to the power count_j, with C_p the subsampling operator; the other pairs compose likewise. The
/// privacy profile delta(epsilon) comes from a contour integral in ball arithmetic, from a closed form, or from two
/// laws on a lattice of losses; the cost does not depend on the counts, the digits do not depend on load or threads.
/// Every number carries both ends, proved; where no method narrows them they are as wide as Chernoff's bound, and
/// `method` says so.
///
/// Source: Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024), Definition 4.7,
/// Proposition D.4; the inversion and its proof: docs/theory/accountant/proof.md; the lattice: lattice.md there.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting {

/// Which pair of laws one step of a subsampled Gaussian mechanism is dominated by. With noise of unit variance, N(a)
/// the normal law of mean a, and p the sampling rate (first law: the alternative, whose loss is composed):
enum class Pair {
  symmetrised,          ///< C_p(G(mu)), symmetric. Fixed-size batches, one record replaced: mu = 2 / noise multiplier
  poisson_remove,       ///< (1-p) N(0) + p N(mu) against N(0); mu = 1 / noise multiplier
  poisson_add,          ///< N(0) against (1-p) N(0) + p N(mu)
  poisson_replace_one,  ///< (1-p) N(0) + p N(mu) against (1-p) N(0) + p N(-mu), symmetric
  fixed_size_remove,    ///< fixed-size batches, the differing record zeroed out in the null; mu = 1 / noise multiplier
  fixed_size_add,       ///< the same with the laws exchanged
};

/// One step of a subsampled Gaussian mechanism composed with itself `count` times.
struct SubsampledGaussian {
  double sampling_rate = 1.0;     ///< p in [0, 1]
  double mu = 0.0;                ///< mu >= 0, finite
  double count = 1.0;             ///< a nonnegative integer up to 1e15
  Pair pair = Pair::symmetrised;  ///< the pair of laws that dominates the step
};

/// One Gaussian mechanism and any number of subsampled ones.
struct Composition {
  double gaussian_mu = 0.0;                    ///< >= 0, finite
  std::vector<SubsampledGaussian> components;  ///< may be empty: then a Gaussian mechanism alone
};

/// What an answer has to reach.
struct Accuracy {
  double relative =
      1e-9;             ///< wanted relative width of epsilon or delta, in (0, 1); the effort grows with its logarithm
  bool verify = false;  ///< also prove by a second contour and compare
  double bar = 0.0;     ///< an answer below it may be wide, because a larger one decides: dear ways are not asked, and
                        ///< none once it is 1e-3 wide. Other answers are the same as without
};

/// The profile of a composition at one epsilon.
struct ProfilePoint {
  Enclosure delta;             ///< delta(epsilon)
  Enclosure type_one_error;    ///< P(loss > epsilon) under the null: alpha of the threshold test
  Enclosure power;             ///< P(loss > epsilon) under the alternative: 1 - beta of the threshold test
  std::string method{};        ///< how the ends were proved, for example "contour" or "closed form"
  Enclosure type_two_error{};  ///< 1 - power, with its own digits where it is small
};

/// An epsilon with the method that proved it.
struct EpsilonBound {
  Enclosure epsilon;   ///< in [0, inf]
  std::string method;  ///< as in ProfilePoint
};

/// A delta with the method that proved it.
struct DeltaBound {
  Enclosure delta;     ///< in [0, 1]; [0, the least positive double] where it lies below that
  std::string method;  ///< as in ProfilePoint
};

/// The pair with its two laws exchanged.
[[nodiscard]] Pair reversed(Pair pair);
/// The composition with the two laws of every pair exchanged.
[[nodiscard]] Composition reversed(const Composition& composition);

/// delta at `epsilon` (any real number).
/// \throws DomainError         for values outside the ranges above.
/// \throws ConvergenceError    if nothing could be proved.
/// \throws ContradictionError  if two proofs do not meet.
[[nodiscard]] DeltaBound delta_at(const Composition& composition, double epsilon, const Accuracy& accuracy = {});

/// delta_at for many thresholds at once; shares the contours between them.
[[nodiscard]] std::vector<DeltaBound> deltas_at(const Composition& composition, std::span<const double> epsilons,
                                                const Accuracy& accuracy = {});

/// delta_at for thresholds that depend on earlier answers: contours are kept between the questions, so that most cost
/// below a millisecond. Both ends hold whatever was asked before; their last digits depend on it. One thread at a time.
class DeltaSession {
 public:
  /// \throws DomainError  for values outside the ranges above.
  explicit DeltaSession(const Composition& composition, const Accuracy& accuracy = {});
  DeltaSession(const DeltaSession&) = delete;
  DeltaSession& operator=(const DeltaSession&) = delete;
  ~DeltaSession();
  /// As delta_at.
  [[nodiscard]] DeltaBound delta(double epsilon);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// delta with the type I error and the power of the test with threshold `epsilon`, which take a second derivative's
/// worth of digits more. Errors as delta_at. Where several losses are equal to epsilon the errors are those on one
/// side.
[[nodiscard]] ProfilePoint profile_at(const Composition& composition, double epsilon, const Accuracy& accuracy = {});

/// profile_at for many thresholds at once.
[[nodiscard]] std::vector<ProfilePoint> profile(const Composition& composition, std::span<const double> epsilons,
                                                const Accuracy& accuracy = {});

/// The smallest epsilon >= 0 with delta(epsilon) <= delta, as a bracket. \param delta in (0, 1).
[[nodiscard]] EpsilonBound epsilon_at(const Composition& composition, double delta, const Accuracy& accuracy = {});

/// A text (JSON, schema dpcurves/certificate/1) from which the program dpcurves-verify proves an epsilon again: the
/// composition, the claim and the contours of both ends, in exact numbers.
/// \param bound  what epsilon_at(composition, delta, accuracy) said, which may rest on other methods: a contour is then
/// looked for that proves it too. Errors as epsilon_at, and \throws ConvergenceError if there is none.
/// Cost: up to some seconds.
[[nodiscard]] std::string epsilon_certificate(const Composition& composition, double delta, const EpsilonBound& bound,
                                              const Accuracy& accuracy = {});

/// The trade-off function at many type I errors (each in [0, 1]): both ends of the type II error.
/// Accuracy: 1e-9 for many steps with small losses and for a few steps, else 1e-5. Cost: about .5 s for 1,000 points.
[[nodiscard]] std::vector<Enclosure> tradeoff(const Composition& composition, std::span<const double> type_one_errors,
                                              const Accuracy& accuracy = {});

/// Renyi divergence of order `order` > 1 of the composed pair: K(order - 1) / (order - 1).
[[nodiscard]] Enclosure renyi(const Composition& composition, double order);

}  // namespace dpcurves::accounting
