// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The profile of a pair of Gaussian mixtures by Monte Carlo with importance sampling. An estimate, never a guarantee.
///
/// delta(epsilon) = E_P (1 - e^epsilon Q/P)_+ with z drawn from w P + (1 - w) P', so that weights are at most 1/w.
/// P' has one part or three: the mixture P with another rate of participation, means scaled, and all shifted along
/// |C| 1. With much noise the shift is all that matters; with little, few participations that are luckier than most.
/// The parts are found by cross-entropy: levels of the log likelihood ratio climb to epsilon, then every part is
/// refitted three times to the draws of its own that contribute.
///
/// lambda-CGD on a grid has two levels: the draws are from a coarse chain, and of some blocks, at most every fourth, it
/// is measured what the chain of the wanted resolution adds, which varies far less.
///
/// The draws come in blocks of 128 that are stratified along |C| 1; standard errors are those of the blocks' means.
/// Draws depend on (seed, index) only, so that chains and noise multipliers share them: differences are far more
/// accurate than the standard error of either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <dpcurves/core/estimate.hpp>
#include <dpcurves/correlated/likelihood.hpp>
#include <dpcurves/correlated/mixture_pair.hpp>

namespace dpcurves::correlated {

/// How far an estimate goes, and where it stops. Effort is counted in draws and in work, never in seconds: the same
/// budget gives the same bits at any load and for any number of threads.
struct EstimateBudget {
  double relative_error = 0.03;  ///< wanted standard error over the estimate
  std::size_t least = 2048;      ///< draws before that is looked at
  std::size_t most = 40000;      ///< draws
  double most_work = 5e9;        ///< of all likelihood ratios (likelihood.hpp): no new block of 128 draws past it
  std::uint64_t seed = 1;        ///< of all draws: the same seed gives the same numbers
  unsigned threads = 1;          ///< results do not depend on it
};

/// One part of what is drawn instead of P: participations of another rate, means multiple |C| y + shift |C| 1.
struct ProposalPart {
  double weight = 1.0;    ///< share of the draws, > 0
  double rate = 0.0;      ///< chance to take part in a step, in [0, 1]
  double multiple = 0.0;  ///< of |C| y, the means of a draw
  double shift = 0.0;     ///< of |C| 1, added to them
};

/// A mixture of parts; weights add up to 1.
struct Proposal {
  std::vector<ProposalPart> parts;  ///< one, or three
  bool reached = true;              ///< whether a tenth of what it draws has a log likelihood ratio of at least epsilon
};

/// An estimated delta and how much work it took.
struct DeltaEstimate {
  Estimate delta;          ///< with its standard error; error is infinite if nothing contributed
  double effective = 0.0;  ///< (sum of contributions)^2 / sum of their squares
  std::size_t draws = 0;   ///< made in all, those of both levels together
  Proposal proposal;       ///< what was drawn from; good for nearby noise multipliers too
};

/// A pair whose profile is estimated.
struct EstimatedPair {
  models::StrategyMatrix strategy;  ///< C; only the absolute values of its entries count
  double sampling_rate = 0.1;       ///< in (0, 1]
  double noise_multiplier = 1.0;    ///< > 0
  MeanMultiples multiples;          ///< not both 0, signs opposite or one 0
};

/// Takes at most about a third of the work, and one round of draws in any case.
/// \param epsilon  >= 0. \throws DomainError as participation_chain.
/// \throws ConvergenceError  for more than 1e6 states of the coarse chain times steps, and for a
/// noise multiplier below 0.02 on a grid: certified bounds must do.
[[nodiscard]] Proposal find_proposal(const EstimatedPair& pair, double epsilon, const EstimateBudget& budget = {});

/// \param chain  of pair.strategy.
[[nodiscard]] DeltaEstimate estimate_delta(const EstimatedPair& pair, const ParticipationChain& chain,
                                           const Proposal& proposal, double epsilon, const EstimateBudget& budget = {});
/// With a proposal of its own and the chain of `resolution`, rounded to the nearest state; exact at rate 1.
[[nodiscard]] DeltaEstimate estimate_delta(const EstimatedPair& pair, double epsilon, const EstimateBudget& budget = {},
                                           double resolution = 0.01);

/// That an estimate has a standard error, which takes two blocks of draws, or five where every fourth corrects for a
/// grid, and a draw that contributes. \throws ConvergenceError  otherwise, saying how many draws would do.
void require_spread(const DeltaEstimate& estimate, const models::StrategyMatrix& strategy, double epsilon);

/// The same pair with means rounded down and up, on common draws and with a common proposal.
struct DeltaBracket {
  DeltaEstimate down;  ///< estimates of the pair that is dominated by the true one
  DeltaEstimate up;    ///< of the pair that dominates it
};
/// A difference above the standard errors is that of the grid, and bounds the error that rounding makes. As
/// estimate_delta.
[[nodiscard]] DeltaBracket bracket_delta(const EstimatedPair& pair, double epsilon, const EstimateBudget& budget = {},
                                         double resolution = 0.004, bool enumerate = true);

}  // namespace dpcurves::correlated
