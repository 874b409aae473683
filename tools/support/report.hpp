// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A Report as text, Markdown, JSON or CSV: the one place where what queries return is shown.
#pragma once

#include <string>

#include <dpcurves/queries/report.hpp>

#include "support/common.hpp"

namespace dpcurves::tools {

/// The report in the format that was asked for. \param colour  whether cells with a tone are coloured.
/// \param seconds  that the answer took, where it says so.
[[nodiscard]] std::string rendered(const queries::Report& report, Format format, bool colour = false,
                                   double seconds = 0.0);

/// A line of names and a line for each row; cells with commas, quotes or line feeds are quoted.
[[nodiscard]] std::string csv_of(const queries::Table& table);

/// Shows a report and returns the exit code of its outcome. Colour on a terminal only, and not where NO_COLOR is set.
/// \param plot  the file of its picture; "" for none.
[[nodiscard]] int show(const Common& common, const queries::Report& report, const std::string& plot = "",
                       double seconds = 0.0);

}  // namespace dpcurves::tools
