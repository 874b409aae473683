// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// One record in a run with correlated noise: what the run publishes with it and without it, and how well a test tells.
///
/// The run publishes G + C^{-1} Z, which says as much as Y = C G + Z. Its worst instance is one-dimensional: the
/// record's gradient has the full clipping norm in each step that uses it, so that Y_t = (g/kappa) (C x)_t + z_t, x_t
/// one where step t uses the record. The test is a likelihood ratio of steps that follow each other, each given what
/// the steps before it say on average of the uses: exact where the uses are known or the noise is independent, a valid
/// test that is nearly as good where they are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <dpcurves/mechanism/run.hpp>
#include <dpcurves/models/strategy_matrix.hpp>

namespace dpcurves::simulate {

/// A record among correlated sums.
struct CorrelatedSum {
  models::StrategyMatrix strategy = models::StrategyMatrix::exponential(0.0, 1);  ///< C
  std::vector<double> rates{1.0};  ///< chance that a step uses the record, shape (steps); 0 or 1 where a rule says it
  double noise_multiplier = 1.0;   ///< kappa > 0, of Z
  double gradient = 1.0;           ///< g under the alternative, less what another record would put in its place
  double null_gradient = 0.0;      ///< under the null
};

/// The record of a run of one phase. Where a rule says who takes part, it is in the steps that move C x farthest: the
/// best one, or the best start of a cycle, of at most 64 starts that are tried.
/// \param strategy  C of the run, which names it only.
/// \throws DomainError  above 1e5 steps, for another number of rows, a sampler other than Poisson, fixed-size, cyclic
/// with a rule and cyclic Poisson, and for what mechanism::sampling_rate and noise_over_record miss.
[[nodiscard]] CorrelatedSum correlated_sum(const mechanism::Run& run, models::StrategyMatrix strategy);

/// The statistic of the test, larger under the alternative, of `paths` runs. \param null, first_path, threads  as for
/// log_likelihood_ratios of record_uses.hpp. \throws DomainError  for members outside their ranges.
/// Cost: two normals and two exponentials per step and path; of other strategies than lambda-CGD the band besides.
[[nodiscard]] std::vector<double> statistics(const CorrelatedSum& sum, bool null, std::size_t paths, std::uint64_t seed,
                                             std::uint32_t first_path, unsigned threads);

}  // namespace dpcurves::simulate
