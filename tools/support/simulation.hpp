// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The end of every `dpcurves simulate`: one result in the format that was asked for.
#pragma once

#include <string>
#include <vector>

#include <dpcurves/io/csv.hpp>

#include "support/common.hpp"
#include "support/json.hpp"

namespace dpcurves::tools {

/// What a simulation found.
struct Simulation {
  std::string process;              ///< as typed; the JSON has it among the inputs
  double seconds = 0.0;             ///< of wall time
  Json fields = Json::object();     ///< of the JSON, after inputs, seed and wall time
  std::vector<io::Column> columns;  ///< of the CSV
  std::string text;
  bool drawn = true;  ///< false: exact, the JSON's seed is null
};

/// Prints it, or writes it into --output. \param inputs  as echoed.
void print(const Common& common, const Record& inputs, const Simulation& result);

}  // namespace dpcurves::tools
