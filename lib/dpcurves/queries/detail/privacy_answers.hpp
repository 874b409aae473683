// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What the theorems say of one setting at the targets that are asked for, before it is put in words. Internal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <dpcurves/queries/detail/algorithm.hpp>
#include <dpcurves/queries/detail/sweep.hpp>
#include <dpcurves/queries/subject.hpp>

namespace dpcurves::queries::answered {

/// One theorem at one target.
struct Row {
  accounting::Guarantee guarantee;  ///< what it says
  std::optional<Enclosure> answer;  ///< epsilon or delta; empty if only mu is asked or the theorem does not apply
  std::optional<Enclosure> mu;      ///< its GDP parameter, where it has one
  std::string method;               ///< that found the answer
  bool proved = true;               ///< no part of the answer has an estimated error
  std::string direction;            ///< that decided, where there are several
  std::vector<accounting::Answer> directions;  ///< an answer for each of guarantee.directions
  std::string failure;                         ///< why there is no answer although the theorem applies
};

/// All theorems at one target.
struct Result {
  Target target;                    ///< what is asked for
  std::vector<Row> rows;            ///< a theorem each
  std::optional<std::size_t> best;  ///< its place in rows
  std::optional<double> swept{};    ///< the value of the option that --sweep names
  Value run{};                      ///< the run file of the setting

  /// The row of the best theorem; there is one.
  [[nodiscard]] const Row& best_row() const { return rows[*best]; }
};

/// Epsilon at a delta in [0, 1], the largest privacy loss at 0, or delta at an epsilon. Errors as the curve's.
/// \param bar  an answer below it may be wide, as in accounting::Accuracy.
[[nodiscard]] accounting::Answer ask(const accounting::PrivacyCurve& curve, const Target& target, Enclosure bar = {});

/// The number that decides which theorem is best: the upper end of the answer, or of mu.
[[nodiscard]] double ranking(const Row& row);

/// The answers to all targets, each with a best one. \throws UsageError  for a target that makes no sense; DomainError
/// that names what every theorem needs, where none applies; ConvergenceError  where none has an answer.
[[nodiscard]] std::vector<Result> answers(const Algorithm& algorithm, const Values& values);

/// The same for every value of a sweep, in its order; the errors of one that has some, the same for any number of
/// threads. More than 64 values share what neighbours build (accounting/detail/shared_contours.hpp): both ends hold,
/// and their last digits depend on the sweep. Else the answers are those of each value alone. \param settings  of the
/// values, each with all its options. Cost: 0.1 to 2 ms for each value of a composition that is swept along thresholds
/// or numbers of steps; else that of each value, on all threads.
[[nodiscard]] std::vector<Result> answers(const Algorithm& algorithm, const std::vector<Values>& settings,
                                          const Sweep& sweep, const Effort& effort);

}  // namespace dpcurves::queries::answered
