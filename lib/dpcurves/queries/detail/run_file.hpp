// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Questions about a run file or a transcript: what it says, and what does not fit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/queries/report.hpp>
#include <dpcurves/transcripts/transcript.hpp>

namespace dpcurves::queries {

/// What is read from the file, part by part with the theorem that answers it, what is assumed and what was found; a
/// budget with its verdict, unless a finding is red. \param delta  to hold the budget to; empty: that of the run.
[[nodiscard]] Record transcript_record(const transcripts::Transcript& transcript,
                                       const std::vector<transcripts::Finding>& findings, std::optional<double> delta);

/// A budget with its verdict, as answers have it.
[[nodiscard]] Record budget_record(const transcripts::Budget& held);

/// "budget 3 at delta 1e-05: kept, epsilon <= 1.5154", of what transcript_record says of it.
[[nodiscard]] std::string budget_text(const Record& budget);

/// The findings. \param strict  yellow ones refuse too. Errors as transcripts::read.
[[nodiscard]] Report run_check(const std::string& text, const std::string& name, const transcripts::Given& given,
                               bool strict);

/// The run as TOML, with what is assumed as comments, or as JSON.
[[nodiscard]] std::string run_text(const transcripts::Transcript& transcript, bool toml);

/// The JSON schema of run files.
[[nodiscard]] std::string run_schema();

/// The run file that says the same as the steps and releases of a question on the command line: what an answer echoes.
/// dp_sgd_of of it is the question again. O(size).
[[nodiscard]] mechanism::Run run_of(const accounting::DpSgd& question);

}  // namespace dpcurves::queries
