// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Clopper-Pearson ends at every threshold at once: for thresholds that are chosen after the scores were seen.
///
/// With k of n scores at least t, the rate at t is at most U_(k+1), the chance of exceeding the next order statistic;
/// its law is Beta(k+1, n-k), and its 1 - eta quantile is the Clopper-Pearson end for k of n. The ends hold at all
/// thresholds if U_(k) <= its quantile for all k. The largest eta for which that has the wanted probability is found
/// by a recursion over the order statistics of uniforms; ties and discrete scores only make it conservative.
///
/// Source: Noe (1972) and Moscovich and Nadler (2017) for the recursion. Proof: docs/theory/audit/multi-run.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <dpcurves/inference/multi_run.hpp>

namespace dpcurves::inference {

/// P(U_(k) <= the 1 - eta quantile of Beta(k, n - k + 1) for k = 1, ..., n), n uniforms. \param size  n in [1, 20000].
/// \param eta  in (0, 1). \throws DomainError  outside. Accuracy: 1e-10, from below. Cost: n^1.5, 0.1 s for n = 4000.
[[nodiscard]] double band_coverage(std::uint64_t size, double eta);

/// The largest eta with band_coverage(size, eta) >= 1 - miss, at least miss / size. \param miss  in (0, 1).
/// \throws DomainError  outside. Relative accuracy 1e-6, from below. Cost: 25 coverages.
[[nodiscard]] double simultaneous_eta(std::uint64_t size, double miss);

/// Rates at one threshold; those of all thresholds hold together.
struct SimultaneousRates {
  double threshold = 0.0;                  ///< one of the scores
  double true_positive_rate_lower = 0.0;   ///< of scores from it on
  double false_positive_rate_upper = 1.0;  ///< the same
};
/// The rates at every score, thresholds rising. Parameters and errors as simultaneous_audit.
[[nodiscard]] std::vector<SimultaneousRates> simultaneous_rates(std::span<const double> in, std::span<const double> out,
                                                                double significance);

/// The best bounds over all thresholds. \param in, out  scores, at most 20000 each.
struct SimultaneousAudit {
  MultiRunBounds by_epsilon;       ///< at the threshold of the best epsilon
  MultiRunBounds by_mu;            ///< at that of the best mu; both hold together
  double epsilon_threshold = 0.0;  ///< where the best epsilon is
  double mu_threshold = 0.0;       ///< where the best mu is
};
/// \param significance  in (0, 1/2). \param delta  in [0, 1]. \throws DomainError  outside, for empty samples or NaN.
[[nodiscard]] SimultaneousAudit simultaneous_audit(std::span<const double> in, std::span<const double> out,
                                                   double significance, double delta);

}  // namespace dpcurves::inference
