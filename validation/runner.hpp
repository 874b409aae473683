// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Runs validation cases and judges them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <dpcurves/core/parallel.hpp>
#include <dpcurves/core/share.hpp>

#include "validation/judgement.hpp"

namespace dpcurves::validation {

/// One case with its outcome and the judgement.
struct Record {
  const Case* what = nullptr;
  Outcome outcome;
  Judgement judgement;
  Verdict verdict = Verdict::undecided;  ///< on the printed statement; on the repaired one where only that was tried
  double seconds = 0.0;                  ///< of one processor
  std::string error;                     ///< the message of an exception, which makes the verdict undecided

  /// The verdict on the case's claim.
  [[nodiscard]] Verdict on_claim() const;
  /// What is missing, or "": the verdicts are the expected ones and the controls are broken.
  [[nodiscard]] std::string failure() const;
  [[nodiscard]] bool good() const { return failure().empty(); }
};

/// A run fails where true claims would be refuted with a larger chance than this.
constexpr double false_alarm_budget = 1e-6;

struct Run {
  std::vector<Record> records;  ///< in the order of the cases
  Levels levels;                ///< of all claims
  /// Every record is good and the levels stay within the budget.
  [[nodiscard]] bool good() const;
};

/// What the levels of a run mean, in a sentence or two.
[[nodiscard]] std::string sentence(const Levels& levels);

/// Into how many pieces processes cut a case: at night as many as were kept (tasks.hpp), else one.
[[nodiscard]] std::size_t parts_of(const Case& what, const Setting& setting);
/// A rule like parts_of.
using Parts = std::function<std::size_t(const Case&, const Setting&)>;

/// What is handed out at once: a case, or a part of one.
struct Task {
  std::size_t number = 0;  ///< of the case
  Share share;
  double expected = 0.0;  ///< seconds, as kept (tasks.hpp)
};

/// The tasks of a run in the order in which they are handed out: the longest first, by the seconds to expect, whatever
/// case they are of; those of equal seconds in the order of the cases. Who works them off in order ends with short
/// ones. Cases are whole unless processes share the run.
[[nodiscard]] std::vector<Task> tasks_of(const std::vector<const Case*>& cases, const Setting& setting,
                                         const Parts& parts_of_case = parts_of);

/// Those of `cases` whose id equals one of `ids` or starts with it and a slash; all for none. \throws Error for an id
/// without a case.
[[nodiscard]] std::vector<const Case*> select(const std::vector<Case>& cases, const std::vector<std::string>& ids);

/// Runs cases side by side on `threads` threads (0: all), each on one. Processes may share them (core/share.hpp): a
/// piece is a case, or one of the parts of a long one, whose shared loops it computes in part.
[[nodiscard]] Run run(const std::vector<const Case*>& cases, const Setting& setting, unsigned threads,
                      const Progress& progress = {}, const Parts& parts_of_case = parts_of);

}  // namespace dpcurves::validation
