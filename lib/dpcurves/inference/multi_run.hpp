// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Lower bounds on privacy loss from many independent runs, half of them with a canary.
///
/// A run is said to hold the canary where its score is at least a threshold. The threshold is fixed before the scores
/// are seen, or all thresholds are protected together (simultaneous.hpp). Each bound holds with probability at least
/// 1 - significance, whatever the score: a bad score makes it weak, not wrong.
///
/// Source: Clopper and Pearson (1934); Nasr et al., "Tight auditing of differentially private machine learning" (2023).
/// Proofs: docs/theory/audit/multi-run.md.
#pragma once

#include <cstdint>
#include <span>

namespace dpcurves::inference {

/// What was counted at one threshold.
struct MultiRun {
  std::uint64_t true_positives = 0;   ///< of the runs with the canary, score at least the threshold
  std::uint64_t canaries_in = 1;      ///< runs with the canary, at least 1
  std::uint64_t false_positives = 0;  ///< of the runs without it
  std::uint64_t canaries_out = 1;     ///< runs without, at least 1
};

/// What the counts prove; all hold together.
struct MultiRunBounds {
  double true_positive_rate_lower = 0.0;   ///< missed with probability at most significance / 2
  double false_positive_rate_upper = 1.0;  ///< missed with probability at most significance / 2
  double epsilon_lower = 0.0;              ///< at the given delta
  double mu_lower = 0.0;                   ///< of GDP
  double ceiling = 0.0;                    ///< the epsilon_lower at delta 0 of a perfect attack with these sizes
};

/// \param significance  in (0, 1/2). \param delta  in [0, 1].
/// \throws DomainError  outside, or for counts above their sizes.
/// Accuracy: rates and epsilon rounded the safe way; mu by 1e-13. Cost: about 1 ms.
[[nodiscard]] MultiRunBounds multi_run(const MultiRun& counts, double significance, double delta);

/// The same from two rates that hold with the wanted probability. \throws DomainError  outside [0, 1].
[[nodiscard]] MultiRunBounds bounds_of_rates(double true_positive_rate_lower, double false_positive_rate_upper,
                                             double delta);

/// How many scores are at least the threshold: ties count as in. \throws DomainError  for NaN.
[[nodiscard]] std::uint64_t count_above(std::span<const double> scores, double threshold);
/// Both counts. \throws DomainError  also if a sample is empty.
[[nodiscard]] MultiRun counts_at(std::span<const double> in, std::span<const double> out, double threshold);

/// The threshold among the scores whose bound at `delta` would be the best: for a pilot that is not counted again.
/// \throws DomainError  as counts_at. Cost: 1 ms for each different score of the pilot, at most 200 of them.
[[nodiscard]] double pilot_threshold(std::span<const double> in, std::span<const double> out, double significance,
                                     double delta);

/// The threshold from the first `pilot_share` of both samples, the bound from the rest.
/// \param pilot_share  in (0, 1). \throws DomainError  also where a part would be empty.
[[nodiscard]] MultiRunBounds split_audit(std::span<const double> in, std::span<const double> out, double significance,
                                         double delta, double pilot_share = 0.2);

}  // namespace dpcurves::inference
