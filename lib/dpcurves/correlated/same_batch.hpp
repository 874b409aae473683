// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The same-batch bound: the privacy of a matrix mechanism whose batches may be published.
///
/// If batches are drawn independently of the data and with the same law on both data sets, and a record takes part in
/// each step independently with probability r, then for every strategy matrix C and in both directions
///
///     H_{e^epsilon}(A(S) || A(S')) <= E_y delta_G(f || |C| y || / kappa; epsilon)
///                                  <= sum_k Bin(k; T, r) delta_G(f s(k) / kappa; epsilon),
///
/// delta_G the profile of Gaussian differential privacy, f = 1 where one record is zeroed out (or, with Poisson
/// batches, added or removed) and 2 where it is replaced. Gradients may depend on all earlier releases.
///
/// Source: derived here, docs/theory/kan-correlated-noise/privacy.md; the finest partition of Lemma F.9 of Wang et al.,
/// "Population risk bounds for Kolmogorov-Arnold networks trained by DP-SGD with correlated noise".
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/correlated/sensitivity.hpp>
#include <dpcurves/models/strategy_matrix.hpp>

namespace dpcurves::correlated {

/// The second line of the bound, for one strategy matrix and any noise.
class SameBatch {
 public:
  static constexpr const char* id = "kan-correlated-noise/derived-1";  ///< of the catalogue

  /// \param sampling_rate  r in (0, 1]. \param sensitivity  f > 0. \throws DomainError outside.
  /// Cost: that of encoded_sensitivities, and O(steps).
  SameBatch(const models::StrategyMatrix& strategy, double sampling_rate, double sensitivity);

  /// In ball arithmetic, so that both ends are proved; lower is 0 where sensitivities() are upper bounds.
  /// \param epsilon  >= 0. \param noise_multiplier  > 0. \throws DomainError outside.
  /// Relative width 1e-15 for lambda-CGD and monotone Toeplitz matrices where the sum is a normal double.
  /// Cost: about 40 us per number of participations that matters, and of a Toeplitz matrix 0.2 us times its bandwidth.
  [[nodiscard]] Enclosure delta(double epsilon, double noise_multiplier) const;
  /// The same in doubles, for searches: relative 1e-11 by experience, not proved.
  /// Cost: about 0.3 us per number of participations.
  [[nodiscard]] double estimate(double epsilon, double noise_multiplier) const;
  /// The least noise multiplier whose delta(...).upper is at most `delta`, between ends at which that was proved.
  /// \param delta  in (0, 1). \throws DomainError outside. Relative width 1e-9. Cost: 30 estimates, and delta twice.
  [[nodiscard]] Enclosure noise_multiplier(double epsilon, double delta) const;

  /// s(k), the largest || |C| y || of k participations, for every k.
  [[nodiscard]] const EncodedSensitivities& sensitivities() const { return sensitivities_; }
  /// log of the probability of each number of participations.
  [[nodiscard]] const std::vector<double>& log_probabilities() const { return log_mass_; }

 private:
  models::StrategyMatrix strategy_;
  double sampling_rate_, sensitivity_;
  EncodedSensitivities sensitivities_;
  std::vector<double> log_mass_;  ///< of each number of participations
};

/// SameBatch::delta of lambda-CGD at any number of steps, without a table of them.
struct LongSameBatch {
  Enclosure delta;      ///< in [0, 1]
  bool proved = false;  ///< both ends; otherwise they are the value with an estimate of its error
};
/// Proved, as SameBatch::delta, up to a standard deviation of 500 participations. Above, the profile is summed directly
/// where it moves from 0 to 1 within 1e5 participations, otherwise by the trapezoid rule with steps that resolve it,
/// and the error is estimated: from halving the steps, and relative 1e-9 for the probabilities.
/// \param lambda  in [0, 1). \param steps  a whole number in [1, 1e15]. Otherwise as SameBatch and its delta.
/// Relative width 2e-9. Cost: at most 1 s.
[[nodiscard]] LongSameBatch long_same_batch_delta(double lambda, double sampling_rate, double steps, double sensitivity,
                                                  double noise_multiplier, double epsilon);

/// Lemma F.9 with one threshold k on the number of participations, its probability and the Gaussian profile exact: the
/// noise multiplier at which P(Bin <= k) delta_G(s(k)/kappa) + P(Bin > k) = delta, at the best k.
struct ParticipationSplit {
  double noise_multiplier = 0.0;  ///< at that k; >= 0
  double participations = 0.0;    ///< the best k
};
/// For lambda-CGD, one record zeroed out. Accuracy: 1e-10. Cost: O(steps).
[[nodiscard]] ParticipationSplit participation_split(double lambda, double sampling_rate, double steps, double epsilon,
                                                     double delta);

/// E_y delta_G(|| |C| y || / kappa; epsilon), the first line of the bound, by enumeration.
/// \param strategy  of at most 24 steps. \throws DomainError otherwise. Accuracy: 1e-12. Cost: 2^steps times 0.5 us.
[[nodiscard]] double enumerated_same_batch_delta(const models::StrategyMatrix& strategy, double sampling_rate,
                                                 double noise_multiplier, double epsilon);

/// The first line of the bound by Monte Carlo: an estimate, with an interval that misses it on either side with
/// probability at most (1 - confidence)/2.
struct SameBatchEstimate {
  double value = 0.0;     ///< the mean, clamped to the interval
  Enclosure interval;     ///< with the confidence asked for
  std::size_t draws = 0;  ///< how many were averaged
};
/// Numbers of participations are drawn from the terms of the second line, so that what is averaged is the share of a
/// term that a draw of that many participations attains: in [0, 1], to which empirical Bernstein bounds (Maurer and
/// Pontil, COLT 2009) apply. Deterministic in the seed.
/// \param confidence  in (0, 1). \throws DomainError  as SameBatch and its delta, or outside.
/// With strong correlation few sets of steps matter and are seldom drawn: then the lower end is 0, the value far too
/// small, and only the upper end says something, down to about 10/draws of the second line.
/// Cost: draws times steps times about 10 ns; draws are 2e8 over the number of stored entries, between 100 and 20000.
[[nodiscard]] SameBatchEstimate estimate_same_batch_delta(const models::StrategyMatrix& strategy, double sampling_rate,
                                                          double sensitivity, double noise_multiplier, double epsilon,
                                                          double confidence, std::uint64_t seed = 1);

}  // namespace dpcurves::correlated
