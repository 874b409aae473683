// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Noisy gradient descent, cyclic and stochastic: many independent runs, of which the final iterate is kept.
///
/// X_{k+1} = projection of X_k - step_size (mean gradient of batch k at X_k + noise N(0, I)). The noise of step k,
/// coordinate j is normal number k d + j of the path; batches come from the path's sampling stream. A result depends
/// on (setting, losses, seed, path) alone, not on threads or on how many paths are run together; it has the same bits
/// on every machine where the losses call neither tanh nor exp, whose last bit belongs to the C library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <dpcurves/core/parallel.hpp>
#include <dpcurves/models/losses.hpp>
#include <dpcurves/models/projection.hpp>
#include <dpcurves/random/streams.hpp>

namespace dpcurves::simulate {

/// Which records a step sees.
enum class BatchRule {
  full,    ///< NoisyGD: all records
  cyclic,  ///< NoisyCGD: a fixed partition in a fixed order, records r b to (r + 1) b - 1 in step r mod n/b
  subset   ///< NoisySGD: a uniformly random set of b records, independent from step to step
};

/// A noisy descent; the number of records and the dimension are those of the losses.
struct NoisyDescent {
  BatchRule rule = BatchRule::full;  ///< which records a step sees
  std::size_t batch_size = 0;        ///< b; unused by full
  double step_size = 0.0;            ///< > 0
  double noise = 0.0;                ///< standard deviation per coordinate of the gradient noise, >= 0
  std::size_t steps = 0;             ///< >= 1
  std::vector<double> start{};       ///< shape (dimension); empty: the origin
  models::Projection projection = models::Projection::none();  ///< after every step
};

/// What is kept of a final iterate.
using Statistic = std::function<double(std::span<const double>)>;

/// One value per run under either data set; runs of the two are independent.
struct PairSample {
  std::vector<double> first;   ///< shape (paths)
  std::vector<double> second;  ///< shape (paths)
};

/// Runs from `first_path` on: the final iterates, shape (paths x dimension).
/// \param threads  0: as many as the machine has.
/// \throws DomainError  if the setting is outside its domain, does not fit the losses (cyclic: b must divide n), or
///                      a path number exceeds 2^32 - 1.
/// Cost: for d = 1 and two records about 20 ns per step on one core, 4e5 pairs of 30 steps 0.3 s on two.
[[nodiscard]] std::vector<double> final_iterates(const NoisyDescent& setting, const models::Losses& losses,
                                                 std::size_t paths, std::uint64_t seed, std::uint32_t first_path = 0,
                                                 unsigned threads = 0, const Progress& progress = {});

/// A statistic of the final iterates on two neighbouring data sets: path 2i on the first, 2i + 1 on the second.
[[nodiscard]] PairSample final_statistics(const NoisyDescent& setting, const models::Losses& first,
                                          const models::Losses& second, std::size_t paths, std::uint64_t seed,
                                          const Statistic& statistic, unsigned threads = 0,
                                          const Progress& progress = {});

/// How many of the runs under either data set have a statistic above each threshold.
struct PairCounts {
  std::size_t paths = 0;                    ///< of either data set
  std::vector<std::uint64_t> first_above;   ///< shape (thresholds)
  std::vector<std::uint64_t> second_above;  ///< shape (thresholds)
};

/// The same runs as final_statistics, counted instead of kept: 8 bytes per threshold and thousand runs.
/// \throws DomainError  as above, and for a statistic that is NaN.
[[nodiscard]] PairCounts count_statistics(const NoisyDescent& setting, const models::Losses& first,
                                          const models::Losses& second, std::size_t paths, std::uint64_t seed,
                                          const Statistic& statistic, std::span<const double> thresholds,
                                          unsigned threads = 0, const Progress& progress = {});

/// Steps of one run, for processes that are built from more than one chain.
class BatchSequence {
 public:
  /// \throws DomainError  if the rule does not fit the number of records.
  BatchSequence(BatchRule rule, std::size_t batch_size, std::size_t records);

  /// The records of step k of a path. The span is valid until the next call.
  [[nodiscard]] std::span<const std::uint32_t> batch(std::size_t step, std::uint64_t seed, std::uint32_t path);

 private:
  BatchRule rule_;
  std::size_t batch_size_;
  std::vector<std::uint32_t> records_;  ///< all records in order (full, cyclic)
  std::vector<std::uint32_t> drawn_;
};

/// A batch of size b of n records in the form that separates one record (representation of the proof of the NoisySGD
/// theorems): common records, and with probability b/n the special one instead of the replacement.
struct SeparatedBatch {
  std::vector<std::uint32_t> common;  ///< R, b - 1 records without the special one
  std::uint32_t replacement = 0;      ///< C, not in R and not special
  bool has_special = false;           ///< V: the batch is R with the special record, else R with C
};

/// Draws R, C and V. The resulting batch is a uniformly random set of b records.
/// \throws DomainError  unless 1 <= b <= n - 1 and special < n.
[[nodiscard]] SeparatedBatch separated_batch(std::uint32_t records, std::uint32_t batch_size, std::uint32_t special,
                                             random::Words& words);

}  // namespace dpcurves::simulate
