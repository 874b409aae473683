// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The referee: somebody's numbers held to certified brackets.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/core/record.hpp>
#include <dpcurves/queries/report.hpp>
#include <dpcurves/transcripts/verdict.hpp>

namespace dpcurves::queries {

/// One claim of a file.
struct ClaimRow {
  std::string id;                  ///< of the row, or "row N"
  std::size_t line = 0;            ///< where it starts in a CSV file; its place in a JSON list
  Record setting;                  ///< the options of `privacy dp-sgd` with underscores, or run or transcript
  std::optional<double> delta{};   ///< of epsilon; for mu where the profile is compared
  std::string quantity;            ///< epsilon, delta, mu, advantage or tpr
  double claimed = 0.0;            ///< the number
  std::optional<double> digits{};  ///< how many were printed; nothing: exact
  std::string accountant;          ///< what made it
};

/// The claims of a CSV text or a JSON list, whose columns and keys are the same.
/// \param name  of the file, whose ending tells them apart.
/// \throws UsageError  that names the row and the column. O(size).
[[nodiscard]] std::vector<ClaimRow> read_claims(const std::string& text, const std::string& name);

/// What became of a claim.
struct Judged {
  ClaimRow claim;                                                           ///< as it was read
  transcripts::Judgement verdict = transcripts::Judgement::not_comparable;  ///< in one word
  std::optional<Enclosure> bracket{};                                       ///< the certified ends
  std::optional<double> ratio{};                                            ///< claimed over the upper end
  std::optional<double> short_by{};           ///< the lower end less the claim, where it is below
  std::optional<Enclosure> delta_at_claim{};  ///< of an epsilon that is below
  std::optional<double> delta_factor{};       ///< its lower end over the delta of the claim
  std::string theorem;                        ///< that answered
  bool exact = false;                         ///< its pair is attained
  std::string reason;                         ///< why it is not comparable
};

/// Judges one claim. \param folder  of files that rows name. A setting without a theorem is not comparable, never an
/// error. Cost: two or three answers of the accountant.
[[nodiscard]] Judged judge(const ClaimRow& claim, double loose, const std::filesystem::path& folder);

/// What fails: a verdict and all that are worse.
enum class FailOn { too_small, loose, undecided, not_comparable };

/// The report of judged claims. \param file  their name.
[[nodiscard]] Report referee_report(const std::vector<Judged>& rows, const std::string& file, double loose,
                                    FailOn fail_on);

/// One test case for each claim. Too small ones fail, undecided and not comparable ones are skipped.
[[nodiscard]] std::string referee_junit(const std::vector<Judged>& rows, const std::string& file);

/// Workflow commands of GitHub, a line each: errors, warnings and notices with file and line.
[[nodiscard]] std::string referee_annotations(const std::vector<Judged>& rows, const std::string& file);

/// "claimed 6.6, certified 6.7670441; at 6.6 delta is 1.60e-5, 1.6 times the target"
[[nodiscard]] std::string explanation(const Judged& row);

}  // namespace dpcurves::queries
