// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What the report says of one item of the catalogue.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <dpcurves/catalogue/catalogue.hpp>

#include "validation/runner.hpp"

namespace dpcurves::validation::report {

/// The answer to "does it hold?", in the order in which the report counts them.
enum class Status {
  holds,
  refuted,        ///< as printed; the corrected form holds where there is one
  vacuous,        ///< not refuted, but the bound says nothing at any setting that can be run
  failed,         ///< not what was expected, or the control was not refuted
  not_run,        ///< has a case that was not part of this run
  nothing,        ///< a definition: nothing is claimed
  not_simulated,  ///< no case, for a stated reason
};

constexpr std::array<Status, 7> statuses{Status::failed,  Status::holds,   Status::refuted,      Status::vacuous,
                                         Status::nothing, Status::not_run, Status::not_simulated};

/// How hard a claim was tried, from its resolution: classes for the filter.
enum class Effort {
  none,      ///< no experiment with numbers, or a vacuous bound
  weak,      ///< below 0.1
  fair,      ///< below 0.5
  strong,    ///< below 0.9
  attained,  ///< 0.9 and more
};

constexpr std::array<Effort, 5> efforts{Effort::attained, Effort::strong, Effort::fair, Effort::weak, Effort::none};

/// "holds", "refuted as printed", ...
[[nodiscard]] std::string name_of(Status status);
/// The same as a word of HTML: "holds", "refuted", ...
[[nodiscard]] std::string key_of(Status status);

/// Of a record; none without one.
[[nodiscard]] Effort effort_of(const Record* record);
/// "resolution 0.9 and more", ..., and "attained", ... as a word of HTML.
[[nodiscard]] std::string name_of(Effort effort);
[[nodiscard]] std::string key_of(Effort effort);

/// An item with its record, if its case was part of the run.
struct Row {
  catalogue::Entry entry;
  const Record* record = nullptr;
  Status status = Status::not_simulated;
};

/// Every item of the catalogue in its order, then records of cases that it does not know.
[[nodiscard]] std::vector<Row> rows(const Run& run);

/// The papers in the order of the rows, each once.
[[nodiscard]] std::vector<std::string> papers(const std::vector<Row>& rows);
/// Title and authors; the short name itself for an unknown paper.
[[nodiscard]] std::string title_of(std::string_view paper);
[[nodiscard]] std::string authors_of(std::string_view paper);

}  // namespace dpcurves::validation::report
