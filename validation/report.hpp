// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The HTML report of a validation run: one page that needs nothing but itself, with every item of the catalogue.
#pragma once

#include <filesystem>
#include <string>

#include "validation/runner.hpp"

namespace dpcurves::validation {

/// Makes the folder of a report and sees that it can be written and that pictures can be drawn, before a long run.
/// \throws DataError if not, with the reason.
void prepare_report(const std::filesystem::path& folder);

/// Writes index.html and, for use elsewhere, one SVG file per figure into `folder`, which is made if needed. The page
/// comes last and whole or not at all.
/// \param version  of the program, for the page.
/// \param threads  that draw pictures; 0: all.
/// \throws DataError if the folder or a file cannot be written, or gnuplot fails.
void write_report(const Run& run, const Setting& setting, const std::string& version,
                  const std::filesystem::path& folder, unsigned threads = 0);

/// The file name of the k-th figure of a case within the report's folder.
[[nodiscard]] std::string figure_file(const Case& what, std::size_t k);

}  // namespace dpcurves::validation
