// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Audits: scores of canaries as lower bounds of the privacy loss, held to the certified curve of the same run.
///
/// Bounds hold with probability 1 - significance each; the verdict errs with probability at most the significance.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <dpcurves/core/field.hpp>
#include <dpcurves/queries/attack.hpp>
#include <dpcurves/queries/report.hpp>

namespace dpcurves::queries {

/// Scores of canaries: high means "was in".
struct Scores {
  std::vector<double> in;         ///< of canaries that were in
  std::vector<double> out;        ///< of those that were not
  std::size_t runs = 0;           ///< different ids of runs; 0 where there are none
  std::string repeated_run{};     ///< an id that stands in two rows
  std::string repeated_canary{};  ///< a canary that stands twice in one run
  bool canaries_only = false;     ///< canaries have ids and runs have none: what is known of them is one run
};

/// The scores of a CSV text with the columns score, member (0, 1, true, false, in, out) and perhaps canary and run, or
/// of a JSON object {"score": [...], "member": [...]} or {"in": [...], "out": [...]}. Scores may be infinite.
/// \param name  of the file, whose ending tells them apart. \throws UsageError  that names row and column. O(size).
[[nodiscard]] Scores read_scores(const std::string& text, const std::string& name);

/// What every audit asks.
struct AuditQuestion {
  std::vector<double> delta;   ///< of epsilon; none: that of the run, else 1e-5
  double significance = 0.05;  ///< of each bound and of the verdict
  static constexpr std::tuple fields{
      optional("delta", &AuditQuestion::delta, "[0, 1]",
               "deltas of the lower bounds of epsilon, default that of --run or 1e-5"),
      optional("significance", &AuditQuestion::significance, "(0, 0.5)", "chance that a bound exceeds the truth")};
};

/// Many runs, one canary in half of them.
struct MultiRunQuestion {
  AuditQuestion audit;       ///< delta, significance
  std::string thresholds;    ///< a number, split, grid:K or all; "": by the number of scores
  double pilot_share = 0.2;  ///< of split and grid
  bool both_sides = false;   ///< also by the runs said to be out
  std::uint64_t seed = 1;    ///< chooses the pilot
  static constexpr std::tuple fields{
      part(&MultiRunQuestion::audit),
      optional(
          "thresholds", &MultiRunQuestion::thresholds,
          "how a score becomes \"in\": a number fixed before the scores were seen, split (by a pilot), grid:K (K by a "
          "pilot, corrected) or all (every one, corrected); default split from 200 scores of each kind on, else all"),
      optional("pilot_share", &MultiRunQuestion::pilot_share, "(0, 1)", "share of the scores that choose thresholds"),
      optional("both_sides", &MultiRunQuestion::both_sides, "bound epsilon by the runs said to be out too")};
};

/// Which test decides in one run.
enum class OneRunMethod { fdp, epsilon_delta };
/// Their names.
constexpr std::array<std::pair<OneRunMethod, std::string_view>, 2> enumerators(OneRunMethod /*type*/) {
  return {{{OneRunMethod::fdp, "fdp"}, {OneRunMethod::epsilon_delta, "epsilon-delta"}}};
}

/// One run with many canaries, each in by a fair coin of its own.
struct OneRunQuestion {
  AuditQuestion audit;                      ///< delta, significance
  std::optional<std::uint64_t> guesses{};   ///< none: by guess_share
  std::optional<double> guess_share{};      ///< of the canaries; none: a tenth
  bool two_sided_guesses = false;           ///< else only "in", the largest scores
  std::string thresholds;                   ///< "" or grid:K: K numbers of guesses
  OneRunMethod method = OneRunMethod::fdp;  ///< of the verdict
  bool independent_canaries = false;        ///< a fact, not a hope: releases of their own
  static constexpr std::tuple fields{
      part(&OneRunQuestion::audit),
      optional("guesses", &OneRunQuestion::guesses, whole("[1, 1e9]"),
               "number of guesses, fixed before the scores were seen; default by --guess-share"),
      optional("guess_share", &OneRunQuestion::guess_share, "(0, 1]",
               "the same as a share of the canaries, default 0.1"),
      optional(
          "two_sided_guesses", &OneRunQuestion::two_sided_guesses,
          "guess the largest scores in and the smallest out, half each; else all guesses are \"in\", which is sharper"),
      optional("thresholds", &OneRunQuestion::thresholds,
               "grid:K tries K numbers of guesses, from a hundredth of the canaries to all, corrected"),
      optional("method", &OneRunQuestion::method, "the test of the verdict"),
      optional("independent_canaries", &OneRunQuestion::independent_canaries,
               "the mechanism answers every canary by a release of its own, independent of the others: a fact that the "
               "bounds rest on; all canaries must be guessed, on both sides")};
};

/// Counts in place of scores: of many runs, or of one.
struct CountsQuestion {
  AuditQuestion audit;                             ///< delta, significance
  std::optional<std::uint64_t> true_positives{};   ///< many runs
  std::optional<std::uint64_t> canaries_in{};      ///< many runs
  std::optional<std::uint64_t> false_positives{};  ///< many runs
  std::optional<std::uint64_t> canaries_out{};     ///< many runs
  std::optional<std::uint64_t> canaries{};         ///< one run
  std::optional<std::uint64_t> guesses{};          ///< one run
  std::optional<std::uint64_t> correct{};          ///< one run
  bool both_sides = false;                         ///< many runs
  bool two_sided_guesses = false;                  ///< one run
  OneRunMethod method = OneRunMethod::fdp;         ///< one run
  bool independent_canaries = false;               ///< one run
  static constexpr std::tuple fields{
      part(&CountsQuestion::audit),
      optional("true_positives", &CountsQuestion::true_positives, whole("[0, 1e15]"),
               "runs with the canary, said to be in"),
      optional("canaries_in", &CountsQuestion::canaries_in, whole("[1, 1e15]"), "runs with the canary"),
      optional("false_positives", &CountsQuestion::false_positives, whole("[0, 1e15]"),
               "runs without it, said to be in"),
      optional("canaries_out", &CountsQuestion::canaries_out, whole("[1, 1e15]"), "runs without it"),
      optional("canaries", &CountsQuestion::canaries, whole("[1, 1e9]"), "of one run, guessed or not"),
      optional("guesses", &CountsQuestion::guesses, whole("[0, 1e9]"), "how many of them were guessed"),
      optional("correct", &CountsQuestion::correct, whole("[0, 1e9]"), "right guesses"),
      optional("both_sides", &CountsQuestion::both_sides, "many runs: bound epsilon by those said to be out too"),
      optional("two_sided_guesses", &CountsQuestion::two_sided_guesses, "one run: \"out\" was guessed too"),
      optional("method", &CountsQuestion::method, "one run: the test of the verdict"),
      optional("independent_canaries", &CountsQuestion::independent_canaries,
               "one run: the mechanism answers every canary by a release of its own, independent of the others")};
};

/// Bounds and, with a run, the verdict and the picture. \param run  nullptr for none: then no verdict.
/// \param drawn  with a picture.
/// \throws UsageError  for scores or counts that the audit cannot use; DomainError  for a run without a certified curve
/// of the order `remove`, or of fewer records than canaries. Cost: about a second; thresholds `all` some seconds for
/// 10000 scores.
[[nodiscard]] Report audit_multi_run(const Scores& scores, const MultiRunQuestion& question, const Promises* run,
                                     bool drawn);
[[nodiscard]] Report audit_one_run(const Scores& scores, const OneRunQuestion& question, const Promises* run,
                                   bool drawn);                                                      ///< the same
[[nodiscard]] Report audit_counts(const CountsQuestion& question, const Promises* run, bool drawn);  ///< the same

}  // namespace dpcurves::queries
