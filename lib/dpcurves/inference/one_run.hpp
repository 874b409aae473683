// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Lower bounds on privacy loss from ONE run with many canaries, each included by a fair coin of its own.
///
/// c of m canaries are guessed, v guesses are right. No assumption is made on how the mechanism correlates the answers:
/// tests that take the canaries for independent copies of a mechanism are invalid, since an f-DP mechanism may make all
/// its mistakes together (docs/theory/audit/product-null.md), and none is offered here.
///
/// Source: Steinke, Nasr and Jagielski, "Privacy auditing with one (1) training run" (2023); Mahloujifar, Melis and
/// Chaudhuri, "Auditing f-differential privacy in one run" (2024); the one-sided form is derived in this project.
/// Proofs: docs/theory/audit/one-run.md.
#pragma once

#include <cstdint>
#include <functional>

namespace dpcurves::inference {

/// What was counted: correct <= guesses <= canaries, at least one canary, at most 1e9.
struct OneRun {
  std::uint64_t canaries = 1;  ///< m: all whose coins were tossed, guessed or not
  std::uint64_t guesses = 0;   ///< c: chosen without looking at the coins
  std::uint64_t correct = 0;   ///< v: right guesses
};

/// Which guesses were made.
enum class Guesses {
  two_sided,  ///< "in" and "out"
  one_sided   ///< "in" only: the usual top c scores; sharper, and only the direction `remove` counts
};

/// The largest chance, under (epsilon, delta)-DP, of v or more right guesses:
/// min(1, beta + 2 m delta A), beta = P(B >= v), A = max over i of P(v > B >= v - i) / i, B Binomial(c, 1/(1 +
/// e^-eps)).
///
/// \param epsilon  in [0, 700]. \param delta  in [0, 1]. \throws DomainError  outside, or for counts out of order.
/// Rounded up by a relative 2e-11 (incomplete beta). Cost: below 1 ms for v up to 1e4.
[[nodiscard]] double approximate_dp_p_value(const OneRun& counts, double epsilon, double delta);

/// The largest epsilon that is rejected, 0 if none is: the mechanism is not (epsilon', delta)-DP for a smaller one.
/// \param significance  in (0, 1/2). Rounded down, 1e-9 absolute. Cost: 40 p-values.
[[nodiscard]] double one_run_epsilon(const OneRun& counts, double significance, double delta);

/// A lower bound of inf{a : T(a) >= power}: the least false positive rate that a trade-off function allows for a power
/// in [0, 1]; not decreasing. T is the larger of both directions, or of `remove` alone for one-sided guesses.
using LeastRate = std::function<double(double power)>;

/// Of G(mu): Phi(Phi^{-1}(power) - mu), a relative 1e-12 lower. \param mu  in [0, inf). \throws DomainError  outside.
[[nodiscard]] LeastRate gaussian_least_rate(double mu);
/// Of (epsilon, delta)-DP. \param epsilon  in [0, 700]. \param delta  in [0, 1]. \throws DomainError  outside.
[[nodiscard]] LeastRate approximate_dp_least_rate(double epsilon, double delta);

/// A bound of the chance of v or more right guesses under the trade-off function: the largest tau for which the
/// recursion over the numbers of right guesses ends below c / m.
/// \throws DomainError  for counts out of order. Relative accuracy 1e-9, from above. Cost: 60 v evaluations of `least`.
[[nodiscard]] double fdp_p_value(const OneRun& counts, const LeastRate& least, Guesses guesses);

/// Whether fdp_p_value is at most `significance` in (0, 1): one recursion instead of 60.
[[nodiscard]] bool fdp_rejected(const OneRun& counts, const LeastRate& least, Guesses guesses, double significance);

/// The largest mu whose G(mu) is rejected, 0 if none is. \param significance  in (0, 1/2).
/// Rounded down, relative 1e-10. Cost: 50 v evaluations.
[[nodiscard]] double one_run_mu(const OneRun& counts, double significance, Guesses guesses);

/// Whether the number of included canaries is within 6 standard deviations of a fair coin's.
[[nodiscard]] bool coins_look_fair(std::uint64_t included, std::uint64_t canaries);

}  // namespace dpcurves::inference
