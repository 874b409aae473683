// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What a check of a transcript is given, and the checks that stand in files of their own. Internal.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <dpcurves/transcripts/transcript.hpp>

namespace dpcurves::transcripts {

/// What is asked, and where findings go.
struct Checking {
  const Transcript& transcript;    ///< what was read
  const mechanism::Run& run;       ///< what it says
  std::optional<double> delta;     ///< at which epsilons are told
  std::vector<Finding>& findings;  ///< grows

  /// Adds a finding.
  void add(const char* id, Level level, std::string where, std::string message) const {
    findings.push_back({id, level, std::move(where), std::move(message)});
  }
  /// Where the transcript has a phase.
  [[nodiscard]] std::string where(std::size_t phase) const { return transcript.where(phase); }
  /// "epsilon <= 5.3471" of a run like this one with other phases; empty where it is not known.
  [[nodiscard]] std::optional<double> epsilon(const std::function<void(mechanism::Run&)>& change) const;
};

/// One micro-batch over the records; nothing where sizes are not known.
[[nodiscard]] std::optional<double> batch_rate(const mechanism::Run& run, const mechanism::Phase& phase);

/// How batches are drawn, and the rates that were written against the sizes.
void check_rates(const Checking& checking);

}  // namespace dpcurves::transcripts
