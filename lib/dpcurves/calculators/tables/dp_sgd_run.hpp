// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A run of DP-SGD as calculators read it. For the tables only.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/mixtures.hpp>
#include <dpcurves/core/field.hpp>

namespace dpcurves::calculators {

/// Steps of one kind.
struct Phase {
  double noise_multiplier = 1.0;
  double sampling_rate = 1.0;
  double steps = 0.0;
  static constexpr std::tuple fields{
      required("noise_multiplier", &Phase::noise_multiplier, "[0, inf)", "noise over the clipping norm"),
      optional("sampling_rate", &Phase::sampling_rate, "[0, 1]", "q; not used without sampling"),
      required("steps", &Phase::steps, whole("[0, 1e15]"), "how many")};
};
/// A sum over all records that is released too.
struct WholeRelease {
  double noise_multiplier = 1.0;
  double count = 0.0;
  static constexpr std::tuple fields{
      required("noise_multiplier", &WholeRelease::noise_multiplier, "(0, inf)", "noise over the clipping norm"),
      required("count", &WholeRelease::count, whole("[0, 1e15]"), "how often")};
};
/// A run of DP-SGD.
struct DpSgdRun {
  mechanism::Sampler sampling = mechanism::Sampler::poisson;
  std::string adjacency = "usual";
  double uses_per_round = 1.0;
  std::vector<Phase> phases;
  std::vector<WholeRelease> unsampled;
  double group_size = 1.0;
  double records = 0.0;
  double cycle = 1.0;
  double largest_batch = 0.0;
  double separation = 1.0;
  std::optional<accounting::AdaptiveClipping> adaptive_clipping;
  static constexpr std::tuple fields{
      optional("sampling", &DpSgdRun::sampling, "how batches are drawn"),
      optional("adjacency", &DpSgdRun::adjacency,
               "add-or-remove, add, remove, replace-one, zero-out, or usual for the sampling"),
      optional("uses_per_round", &DpSgdRun::uses_per_round, whole("[1, inf)"),
               "random allocation: of floor(uses/q) steps"),
      required("phases", &DpSgdRun::phases, "steps of one kind each"),
      optional("unsampled", &DpSgdRun::unsampled, "sums over all records that are released too"),
      optional("group_size", &DpSgdRun::group_size, whole("[1, 2000]"), "records of one owner"),
      optional("records", &DpSgdRun::records, whole("[0, 1e15]"),
               "number of records, for fixed-size (add, remove, groups), with-replacement and truncated-poisson"),
      optional("cycle", &DpSgdRun::cycle, whole("[1, 1e15]"), "cyclic-poisson: groups of records that take turns"),
      optional("largest_batch", &DpSgdRun::largest_batch, whole("[0, 1e15]"),
               "truncated-poisson: what a batch is cut to"),
      optional("separation", &DpSgdRun::separation, whole("[1, 1e15]"),
               "b-min-sep: steps from one use of a record to its next, at least"),
      optional("adaptive_clipping", &DpSgdRun::adaptive_clipping, "noisy counts that the clipping norm follows")};
};

/// The adjacency of a word; "usual" is that of the sampling. \throws DomainError  for another word.
[[nodiscard]] mechanism::Adjacency adjacency_of(const std::string& word, mechanism::Sampler sampling);

/// As the accountant reads it. \throws DomainError  for an adjacency that is none.
[[nodiscard]] accounting::DpSgd run_of(const DpSgdRun& run);

/// Its guarantee. \throws DomainError  where no theorem applies, or for a number outside its range.
[[nodiscard]] accounting::Guarantee guarantee_of(const DpSgdRun& run);

}  // namespace dpcurves::calculators
