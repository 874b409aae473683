// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The pairs that dominate sampled Gaussian steps, as mixture steps. Internal.
///
/// Distances are in units of the noise: mu is how far one clipped gradient can move a release. w is the law of the
/// number of uses of the differing records in a batch. Proofs: docs/theory/accountant/samplers.md.
#pragma once

#include <functional>
#include <vector>

#include <dpcurves/accounting/mixture/law.hpp>

namespace dpcurves::accounting::mixture {

/// Which of the two laws the alternative is, and what neighbours are.
enum class Direction {
  remove,       ///< with the records against without them
  add,          ///< without them against with them
  zero_remove,  ///< with them against their gradients zeroed out
  zero_add,     ///< the other way round
  replace       ///< replaced; both ways are alike
};

/// The probabilities of 0, 1, 2, ... uses; what is beyond is dropped.
struct Uses {
  std::vector<rigorous::Real> weight;
  rigorous::Real dropped;  ///< mass
};
/// Logarithm of a chance that is kept, unless it lies between larger ones: for deltas that can be seen, and for all.
inline constexpr double log_rare = -110.0, log_rarest = -760.0;
/// Of `trials` draws, each with that chance. \param least_count  of numbers that are kept, however rare, if there are
/// as many. \param log_least  of a chance that is kept, log_rare or less. \throws DomainError  where more than 2000
/// numbers of uses matter.
[[nodiscard]] Uses binomial_uses(double trials, const rigorous::Real& chance, std::size_t least_count = 0,
                                 double log_least = log_rare);
/// Of `drawn` of `records`, of which `marked` count. Parameters and errors as binomial_uses.
[[nodiscard]] Uses hypergeometric_uses(double records, double marked, double drawn, std::size_t least_count = 0,
                                       double log_least = log_rare);
/// Either, by the number that is kept at least.
using UsesOf = std::function<Uses(std::size_t least_count)>;

/// sum w_j N(j distance) against N(0) (remove, zero_remove), the reverse, or against sum w_j N(-j distance).
[[nodiscard]] Step shifts(const Uses& uses, double distance, Direction direction);
/// Given weights, normalised, and means; against N(0) or the reverse.
[[nodiscard]] Step given(const std::vector<double>& weights, const std::vector<double>& means, bool reverse);
/// Lemma C at rate r and distance mu, with `weight` as the chance that this is the pair.
void add_lemma_c(Step& step, const rigorous::Real& weight, const rigorous::Real& rate, double mu, Direction direction);
/// The number of uses revealed where it is not 0: Lemma C at the rate of being used at all.
[[nodiscard]] Step revealed(const Uses& uses, double mu, Direction direction);
/// The number of uses hidden: Lemma M. \throws ConvergenceError  where its likelihood ratio crosses 1 more than once.
[[nodiscard]] Step hidden(const Uses& uses, double mu, Direction direction);
/// All other gradients equal to `others` in [-1, 1] times mu: what some mechanism attains. Where the records are zeroed
/// out the null has twice as many numbers, so that it reaches as far as the alternative where the others are -1.
[[nodiscard]] Step instance(const UsesOf& uses_of, double mu, double others, Direction direction);

}  // namespace dpcurves::accounting::mixture
