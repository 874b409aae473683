// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A problem that `dpcurves risk` knows: its options, and the report on its risk.
///
/// A further model is one more file with one more function: what it returns is printed as text, JSON, CSV and picture
/// by the command.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <dpcurves/io/csv.hpp>
#include <dpcurves/io/plot.hpp>

#include "support/explanation.hpp"
#include "support/options.hpp"

namespace dpcurves::tools {

/// One answer beside the curve: a plateau, a largest step, a bound.
struct RiskFact {
  std::string key;    ///< in JSON: "largest_stable_step"
  std::string label;  ///< in text: "largest stable step"
  Json value;         ///< number, text or null
};

struct RiskReport {
  std::string heading;  ///< one line
  io::Columns curve;    ///< the risk along the run or the parameter, empty if there is none
  std::vector<RiskFact> facts;
  std::vector<std::string> notes;      ///< caveats and warnings
  std::vector<Considered> considered;  ///< the theorems, for --explain
  io::Plot plot;                       ///< drawn where --plot asks for it; no series: there is no picture
};

struct RiskProblem {
  std::string name;
  std::string summary;                ///< one line
  std::vector<std::string> examples;  ///< options of typical questions, after the name
  std::vector<Option> options;
  std::function<RiskReport(const Values&, unsigned threads)> report;
};

/// All problems, in the order in which help shows them.
[[nodiscard]] const std::vector<RiskProblem>& risk_problems();

/// The parts of the list, a file each.
[[nodiscard]] RiskProblem noisy_least_squares_risk();
[[nodiscard]] RiskProblem kan_risk();
[[nodiscard]] RiskProblem ntk_risk();
[[nodiscard]] RiskProblem long_tail_risk();
[[nodiscard]] RiskProblem glm_risk();

}  // namespace dpcurves::tools
