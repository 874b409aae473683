// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The top of the report: what came out, at a glance, and the fields that narrow the list.
#pragma once

#include <string>
#include <vector>

#include "validation/report/row.hpp"

namespace dpcurves::validation::report {

/// HTML: the counts of every status, a bar per paper, and the reasons of what has no case.
[[nodiscard]] std::string summary_html(const std::vector<Row>& rows, const Run& run, const Setting& setting,
                                       const std::string& version);

/// HTML: search box and filters.
[[nodiscard]] std::string toolbar_html(const std::vector<Row>& rows);

}  // namespace dpcurves::validation::report
