// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The part of the report about one item of the catalogue.
#pragma once

#include <string>
#include <vector>

#include "validation/report/row.hpp"

namespace dpcurves::validation::report {

/// HTML: claim in words and formula, pictures, verdict, control, seed, and the command that repeats it.
/// \param pictures  SVG files of the record's figures.
[[nodiscard]] std::string entry_html(const Row& row, const Setting& setting, const std::vector<Figure>& figures,
                                     const std::vector<std::string>& pictures);

/// "dpcurves validate ID --profile ci --seed 1".
[[nodiscard]] std::string command_of(const std::string& id, const Setting& setting);

}  // namespace dpcurves::validation::report
