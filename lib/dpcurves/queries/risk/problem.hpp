// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A problem of which the risk is asked: its options, and the answer. A further model is one more file with one more
/// function; queries/risk.cpp makes a Report of what it returns.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/io/plot.hpp>
#include <dpcurves/queries/detail/explanation.hpp>
#include <dpcurves/queries/options.hpp>

namespace dpcurves::queries {

/// One answer beside the curve: a plateau, a largest step, a bound.
struct RiskFact {
  std::string key;    ///< in JSON: "largest_stable_step"
  std::string label;  ///< in text: "largest stable step"
  Value value;        ///< a number, a text, named values or nothing
};

struct RiskReport {
  std::string heading;             ///< one line
  io::Columns curve;               ///< the risk along the run or the parameter, empty if there is none
  std::vector<RiskFact> points{};  ///< numbers of the curve that a sweep shows, which has no curve of its own
  std::vector<RiskFact> facts;
  std::vector<std::string> notes;      ///< caveats and warnings
  std::vector<Considered> considered;  ///< the theorems, for --explain
  Value run{};                         ///< the run that is bounded, where a run file can say it
  io::Plot plot;                       ///< drawn where --plot asks for it; no series: there is no picture
};

struct RiskProblem {
  std::string name;
  std::string summary;                ///< one line
  std::vector<std::string> examples;  ///< options of typical questions, after the name
  std::vector<Option> options{};
  std::function<RiskReport(const Values&, unsigned threads)> report{};
};

/// All problems, in the order in which help shows them.
[[nodiscard]] const std::vector<RiskProblem>& risk_problems();

/// The parts of the list, a file each.
[[nodiscard]] RiskProblem noisy_least_squares_risk();
[[nodiscard]] RiskProblem kan_risk();
[[nodiscard]] RiskProblem ntk_risk();
[[nodiscard]] RiskProblem long_tail_risk();
[[nodiscard]] RiskProblem glm_risk();

}  // namespace dpcurves::queries
