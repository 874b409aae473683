// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// --run FILE: the options that say how a file is read, and a run under the options of the command line.
#pragma once

#include <string>
#include <vector>

#include <dpcurves/mechanism/run.hpp>
#include <dpcurves/queries/options.hpp>
#include <dpcurves/transcripts/transcript.hpp>

namespace dpcurves::queries {

/// The value under which complete_with_run keeps what was read beside the run: reader, parts, assumed, findings.
inline constexpr const char* transcript_key = "transcript";

/// --reader, --steps-count, --strict: rows of every command that reads a run.
[[nodiscard]] std::vector<Option> reading_options();

/// What the command line knows beside a file. Options that the command does not have are not given.
[[nodiscard]] transcripts::Given given_from(const Values& values);

/// A file, read. \throws DataError  if it cannot be; else as transcripts::read.
[[nodiscard]] transcripts::Transcript read_transcript(const std::string& path, const Values& values);

/// The run with what the command line says in place of what the file says. \return the keys that it replaced.
/// \throws UsageError  for one number of steps or one rate against several phases.
std::vector<std::string> apply_options(mechanism::Run& run, const Values& values);

/// Replaces --run FILE by the run as JSON, and fills in delta (and, where one is asked for, epsilon by the budget).
/// \throws DomainError  with the red findings, with all where --strict is given, and where no theorem applies.
void complete_with_run(Values& values, const std::vector<Option>& table);

/// The run that complete_with_run kept, under the options of the command line.
[[nodiscard]] mechanism::Run run_from(const Values& values);

/// The steps of some epochs: the whole batches of each where they follow each other in a fixed order, all together
/// rounded up otherwise; every step an epoch without sampling.
/// \throws DomainError  unless 0 < batch_size <= records. O(1).
[[nodiscard]] double steps_of_epochs(mechanism::Sampler sampler, double epochs, double batch_size, double records);

/// The parts, what is assumed and the findings, in words; "" where no file was read.
[[nodiscard]] std::string transcript_text(const Values& values);

}  // namespace dpcurves::queries
