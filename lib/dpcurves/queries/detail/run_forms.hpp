// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Settings of the command line as run files, and run files as settings: what an answer echoes, and what --run reads,
/// of every algorithm but dp-sgd, which reads a run as it stands (run_options.hpp).
///
/// The options of a question, as `horizon` or `method`, are not of the run and are not echoed.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/correlated/matrix_mechanism.hpp>
#include <dpcurves/correlated/strategy_comparison.hpp>
#include <dpcurves/queries/options.hpp>

namespace dpcurves::queries {

/// The value under which a run file's coefficients of a Toeplitz strategy are kept.
inline constexpr const char* coefficients_key = "coefficients";

/// The decays and weights of the buffers of blt, which a run file has and no option.
inline constexpr const char* theta_key = "theta";
inline constexpr const char* omega_key = "omega";  ///< See theta_key.

/// The row of --run.
[[nodiscard]] Option run_option();

/// A run as it is echoed, with the deltas that are asked for; nothing where no file has so many steps or such a delta.
[[nodiscard]] Value echoed(mechanism::Run run, const Values& values);
/// The same of a composition.
[[nodiscard]] Value echoed(const accounting::DpSgd& question, const Values& values);

/// What noisy-gd, noisy-cgd and noisy-sgd are asked. A contraction c is said as m = (1 - c)/eta and M = (1 + c)/eta,
/// the widest losses that have it; eta is 1 where none is given. The options name what they lack. O(1).
[[nodiscard]] Value noisy_gd_run(const Values& values);
[[nodiscard]] Value noisy_cgd_run(const Values& values, double batches_per_epoch);  ///< The same.
[[nodiscard]] Value noisy_sgd_run(const Values& values);                            ///< The same.
/// The steps of a matrix mechanism, its strategy as lambda, as the file it was read from or by its coefficients.
[[nodiscard]] Value correlated_run(const Values& values, const correlated::MatrixMechanism& mechanism);

/// The steps of a strategy by name whose records take part by a rule, or of each group in turn where `turns` are given.
/// \param noise_multiplier  on the sum, over the clipping norm.
[[nodiscard]] Value strategy_run(const Values& values, const correlated::Strategy& strategy,
                                 const correlated::ParticipationPattern& pattern,
                                 const std::optional<correlated::CyclicPoisson>& turns, double noise_multiplier,
                                 mechanism::Adjacency adjacency);

/// Puts what the file of --run says in place of --run. Options given beside it win, and with one that says the noise,
/// the contraction or the batches all of these are the user's.
/// \param algorithm  noisy-gd, noisy-cgd, noisy-sgd or correlated.
/// \throws UsageError, DomainError  with the file and the key that the algorithm cannot have.
void complete_from_run(Values& values, const std::vector<Option>& table, const std::string& algorithm);

/// What no algorithm but dp-sgd has. \throws DomainError  for several phases, releases beside them, owners of several
/// records, a norm that adapts or that is not of a record, the best of several runs.
void require_one_phase(const mechanism::Run& run, const std::string& algorithm);

/// A command that trains, and what it can draw of a run.
struct Training {
  std::string process;  ///< "kan"
  /// Samplers with the word of --sampling; an empty word: the only one, which is not asked for.
  std::vector<std::pair<mechanism::Sampler, std::string>> samplers;
  bool lists_noises = false;     ///< --noise-multiplier is a list
  bool correlated = false;       ///< --lambda, --strategy, --iterates and --radius in place of --steps
  bool records_of_file = false;  ///< where --data is a file and no folder, its rows are the records
};

/// Puts the noise, the norm, the batches, the steps and the records that the file of --run says in place of --run;
/// options given beside it win. \return the run as it is drawn; nothing without --run.
/// \throws UsageError, DomainError  with the file and the key that the command cannot draw.
Value complete_training(Values& values, const std::vector<Option>& table, const Training& training);

/// The same for `simulate`, whose options say a setting in full: noise on the mean, sensitivity and records; what the
/// file leaves free is chosen. Without strong convexity the losses are linear.
/// \throws UsageError, DomainError  as above, and for a run that releases all steps: the last iterate is drawn.
void complete_simulation(Values& values, const std::string& process);

}  // namespace dpcurves::queries
