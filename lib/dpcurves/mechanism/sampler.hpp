// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// How the batch of a step is drawn. Which of them a theorem speaks of is said by the theorem.
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace dpcurves::mechanism {

/// A law of batches.
enum class Sampler {
  poisson,            ///< each record independently with probability q
  fixed_size,         ///< B of n records without replacement, afresh in every step; q = B/n
  with_replacement,   ///< B draws from n records, each from all of them
  balls_in_bins,      ///< each record in one of t batches, drawn once for all epochs
  random_allocation,  ///< each record in a fixed number of steps of every round, drawn at random
  shuffled,           ///< a new random order of all records in every epoch, consecutive batches of B
  cyclic,             ///< the same batches in the same order in every epoch
  cyclic_poisson,     ///< fixed groups of records in turn, of each a Poisson sample
  truncated_poisson,  ///< Poisson batches, cut at a greatest size
  b_min_sep,          ///< as Poisson, but no record again within b steps
  weighted,           ///< records have rates of their own
  none                ///< all records in every step
};

/// Their names.
constexpr std::array<std::pair<Sampler, std::string_view>, 12> enumerators(Sampler /*type*/) {
  return {{{Sampler::poisson, "poisson"},
           {Sampler::fixed_size, "fixed-size"},
           {Sampler::with_replacement, "with-replacement"},
           {Sampler::balls_in_bins, "balls-in-bins"},
           {Sampler::random_allocation, "random-allocation"},
           {Sampler::shuffled, "shuffled"},
           {Sampler::cyclic, "cyclic"},
           {Sampler::cyclic_poisson, "cyclic-poisson"},
           {Sampler::truncated_poisson, "truncated-poisson"},
           {Sampler::b_min_sep, "b-min-sep"},
           {Sampler::weighted, "weighted"},
           {Sampler::none, "none"}}};
}

[[nodiscard]] std::string_view name(Sampler sampler);  ///< "fixed-size"
/// Underscores and dashes are the same. \throws DomainError  for a name that is not one of the above.
[[nodiscard]] Sampler sampler_of(std::string_view name);
/// Whether batches follow each other through an epoch: shuffled and cyclic.
[[nodiscard]] constexpr bool in_epochs(Sampler sampler) {
  return sampler == Sampler::shuffled || sampler == Sampler::cyclic;
}

/// q = batch_size / records, rounded up if it is not a double. \throws DomainError unless 0 < batch_size <= records.
[[nodiscard]] double sampling_rate_of(double batch_size, double records);

/// floor(1/sampling_rate), the batches of an epoch: a last one that is not full is dropped. A rate may be a rounded
/// 1/3, whose epoch has 3 steps. \param sampling_rate  > 0.
[[nodiscard]] double steps_of_epoch(double sampling_rate);

/// The most often that a record is used in `steps` consecutive steps from the start of an epoch.
/// \throws DomainError  unless sampling_rate is in (0, 1] and steps >= 0.
[[nodiscard]] double uses_of_a_record(double sampling_rate, double steps);

}  // namespace dpcurves::mechanism
