// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// DP-SGD: which pair of laws its steps are dominated by, for each way of drawing batches and each notion of
/// neighbouring data sets, and the guarantees that follow.
///
/// Every step draws a batch, clips the gradient of each of its records to L2 norm C, and releases the sum of the
/// clipped gradients plus normal noise of standard deviation Z C per coordinate, Z the noise multiplier. The gradients
/// may depend on all earlier releases, and all releases are published. Dividing by C makes C irrelevant, so mu = 1/Z
/// is how far one clipped gradient can move a release, in units of the noise.
///
/// | sampling   | adjacency                             | pair of one step, mu                                     |
/// |------------|---------------------------------------|----------------------------------------------------------|
/// | poisson    | add_or_remove, add, remove, zero_out  | poisson_remove, poisson_add, 1/Z                         |
/// | poisson    | replace_one                           | poisson_replace_one, 1/Z                                 |
/// | fixed_size | zero_out                              | fixed_size_remove, fixed_size_add, 1/Z                   |
/// | fixed_size | replace_one                           | symmetrised, 2/Z                                         |
/// | none       | all; replace_one                      | Gaussian, 1/Z; 2/Z                                       |
/// | shuffled, cyclic | zero_out; replace_one           | Gaussian, 1/Z; 2/Z, once per epoch: no amplification     |
/// | random_allocation | all                            | random_allocation_curves, removed and added to replace   |
/// | balls_in_bins | all                                | one_position_curve                                       |
/// | b_min_sep  | all                                   | position_samplers: Poisson sampling is an upper end      |
/// | with_replacement, cyclic_poisson, truncated_poisson | all | mixtures of normal laws                     |
/// | fixed_size with a number of records; groups         | all | mixtures of normal laws                     |
///
/// Every other pair of sampling and adjacency has no theorem here; its violation names the nearest that has. Phases of
/// several samplings compose; the last three stand alone.
///
/// Proofs: docs/theory/accountant/samplers.md. Sources: Abadi et al. (2016) and Mironov, Talwar and Zhang (2019) for
/// Poisson sampling; the comparison of Gaussian mixtures by Slepian's interpolation for replaced records and for
/// batches of a fixed size; Dong, Roth and Su (2022) for Gaussian composition.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <dpcurves/accounting/claims.hpp>
#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/mechanism/run.hpp>

namespace dpcurves::accounting {

/// Steps of one kind.
struct DpSgdPhase {
  double noise_multiplier = 1.0;                 ///< Z in [0, inf); 0 reveals the records of a batch
  double sampling_rate = 1.0;                    ///< q in [0, 1]; not used by Sampler::none
  double steps = 1.0;                            ///< a whole number in [0, 1e15]
  std::optional<mechanism::Sampler> sampling{};  ///< empty: that of the run
  double records = 0.0;  ///< n, of the larger data set; used by fixed_size (add, remove, groups), with_replacement,
                         ///< truncated_poisson
  double cycle = 1.0;    ///< cyclic_poisson: how many groups of records take turns; q is the rate within a turn
  double largest_batch = 0.0;  ///< truncated_poisson: of a larger batch a uniform choice of so many is kept
  /// The number of its first step, where steps are numbered from the start of an epoch: shuffled and cyclic epochs then
  /// go on from phase to phase.
  std::optional<double> first_step{};
};

/// A sum over all records that is released with normal noise, for example a count or a norm used for tuning.
struct UnsampledRelease {
  double noise_multiplier = 1.0;  ///< in [0, inf), relative to how far one record moves the sum; 0 hides nothing
  double count = 1.0;             ///< how often; a whole number in [0, 1e15]
  bool upper_only = false;        ///< what is released is at most this
};

/// A run of DP-SGD: how batches are drawn, which data sets count as neighbours, and what is released.
struct DpSgd {
  mechanism::Sampler sampling = mechanism::Sampler::poisson;             ///< of phases that do not say theirs
  mechanism::Adjacency adjacency = mechanism::Adjacency::add_or_remove;  ///< the same for all releases
  std::vector<DpSgdPhase> phases{};                 ///< one after the other, each adaptive to all before
  std::vector<UnsampledRelease> unsampled{};        ///< released beside the steps, in any order
  double uses_per_round = 1.0;                      ///< random_allocation: of the floor(uses / q) steps of a round
  double separation = 1.0;                          ///< b_min_sep: steps from one use of a record to its next, at least
  std::vector<ClaimedRelease> claims{};             ///< of other mechanisms, released beside the steps
  std::vector<ConcentratedRelease> concentrated{};  ///< the same, known by their Renyi divergences
  std::vector<mechanism::Mechanism> mechanisms{};   ///< the same, known by their noise or their losses
  double group_size = 1.0;                          ///< how many records differ between neighbours: those of one owner
  mechanism::Release release = mechanism::Release::all_steps;  ///< of less than all steps only upper ends are known
  bool upper_only = false;                                     ///< the noise is at least that of the phases
};

/// What is read of a run: rates and noise multipliers of noisy steps as derived of sizes, clipping and noise.
/// Adaptive clipping counts as one more sum on the same batch, micro-batches as clipped records of twice the norm:
/// where records are replaced and drawn, that is an upper end only.
/// \throws DomainError  that names what a run of DP-SGD lacks or has too much: noise that is correlated, an adaptive
/// clipping norm whose quantile has no noise. What is no mistake of the run is left to violations().
[[nodiscard]] DpSgd dp_sgd_of(const mechanism::Run& run);

using mechanism::sampling_rate_of;
using mechanism::uses_of_a_record;

/// The composition of one direction; random allocation is none.
struct DpSgdDirection {
  std::string name;         ///< "remove", "add", or "both" where the two are equal
  Composition composition;  ///< of the phases and of the unsampled releases, in this direction
};

/// What is proved for a sampling and an adjacency.
struct DpSgdTheorem {
  std::string id;         ///< of the catalogue
  std::string title;      ///< a few words
  std::string sampling;   ///< in words: the sampler,
  std::string adjacency;  ///< the neighbours,
  std::string clipping;   ///< and what is clipped, summed and divided
  std::string note;       ///< what is not guaranteed; may be empty
};

/// The theorem for the samplings and the adjacency of `run`, that of the first phase that is amplified before others;
/// where there is none its texts are those of the sampler.
[[nodiscard]] DpSgdTheorem theorem(const DpSgd& run);

/// What is missing for theorem(run): a supported adjacency (the nearest is named), or a finite number of steps.
[[nodiscard]] std::vector<Violation> violations(const DpSgd& run);

/// One or two directions; the mechanism is as private as the worst of them.
/// \throws DomainError  if violations(run) is not empty, a number is outside its range, for random allocation, and for
/// pairs that are mixtures of more than two normal laws.
[[nodiscard]] std::vector<DpSgdDirection> directions(const DpSgd& run);

/// The guarantee of the composed profile, worst over the directions, with its GDP parameter.
/// \throws DomainError  if a number is outside its range; unsupported pairs are violations.
[[nodiscard]] Guarantee dp_sgd_guarantee(const DpSgd& run, const Accuracy& accuracy = {});

/// That of truncated Poisson batches which are told apart by how many of the other records are kept: another upper
/// end, the smaller one where full batches are not rare, the same lower one. Empty for other samplers, where no theorem
/// applies, and where a loss would be infinite. Source: docs/theory/accountant/samplers.md, the section after that of
/// truncated batches.
/// \throws DomainError  if a number is outside its range. Both ends are proved; cost as that of dp_sgd_guarantee.
[[nodiscard]] std::optional<Guarantee> truncated_by_others(const DpSgd& run);

/// The same, and beside it the Renyi accountant (certified, never better) and the central limit (an approximation)
/// where there are such. With accuracy.verify, answers of the first that exceed those of Renyi are a contradiction.
[[nodiscard]] std::vector<Guarantee> dp_sgd_guarantees(const DpSgd& run, const Accuracy& accuracy = {});

/// The parameter of the central limit of the run; an approximation. Empty where none is known.
[[nodiscard]] std::optional<double> central_limit_mu(const DpSgd& run);

/// The same where it is known, else a number of that size: where a search may start. No guarantee of any kind.
[[nodiscard]] double approximate_mu(const DpSgd& run);

}  // namespace dpcurves::accounting
