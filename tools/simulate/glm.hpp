// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The part of dpcurves simulate about private generalised linear models, ReLU regression and two-layer networks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <dpcurves/bounds/glm_phased.hpp>
#include <dpcurves/inference/detail/moments.hpp>

#include "support/simulation.hpp"

namespace dpcurves::tools {

/// One algorithm at one number of records: what was measured over the runs, and what is claimed of its mean.
struct MeasuredRisk {
  std::string algorithm;
  double records = 0.0;
  inference::Moments risk;
  double bound = 0.0;   ///< NaN: none is claimed
  std::string theorem;  ///< id; empty: none
  Json details;         ///< further keys of the JSON row
};

/// The rows as text, JSON or CSV, and as a picture if --plot was given.
/// \param notes  said under the table and in "notes": violated assumptions, what is not private.
/// \return refuted if a mean lies more than 6.5 standard errors above its bound.
[[nodiscard]] Simulation report_risks(const std::string& process, const std::string& quantity,
                                      const std::vector<MeasuredRisk>& rows, const std::vector<std::string>& notes,
                                      const Asked& asked);

/// The options that the three share; `records` is the default of --records.
[[nodiscard]] std::vector<Option> risk_simulation_options(const std::string& records);

/// Whether an algorithm of --algorithm projects, and which of the phased algorithms it is ("sgd": the plain one).
[[nodiscard]] bool projects(const std::string& algorithm);
[[nodiscard]] models::PhasedAlgorithm kind_of(const std::string& algorithm);

/// The dimension of a projection: --projected-dimension, or the best that the privacy event allows.
[[nodiscard]] double projected_dimension(const Values& values, const bounds::PhasedSetting& s);

/// Adds a note unless it is there.
void note_once(std::vector<std::string>& notes, const std::string& note);
/// Notes what the privacy of an algorithm asks for and the setting does not give.
void note_privacy(std::vector<std::string>& notes, const std::string& algorithm, const bounds::PhasedSetting& s,
                  bool renormalised);

/// Runs `one(path)` for every path, in parallel, with a progress bar.
[[nodiscard]] inference::Moments measure(std::size_t paths, const Common& common, const std::string& label,
                                         const std::function<double(std::uint32_t path)>& one);

}  // namespace dpcurves::tools
