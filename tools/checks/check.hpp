// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Checks that a user keeps in a file: a setting, what is expected of its answer, and a tolerance.
///
/// A file is a JSON list of entries, or TOML with a `[[check]]` each. An entry is one of
///   a test vector   {id, calculator, inputs, outputs, tolerance {rel, abs, by_key}}: a calculator of `dpcurves eval`;
///   a command       {id, command, options, expect}: any command that prints JSON, and one or more expectations
///                   {value, equals | at-most | at-least, rel, abs} of its answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <dpcurves/core/parallel.hpp>

#include "support/common.hpp"

namespace dpcurves::tools::checks {

/// What became of one check.
struct Finding {
  std::string id;         ///< of the entry, or "check N"
  std::string subject;    ///< the calculator or the command
  std::string failure{};  ///< empty: passed
  double seconds = 0.0;
  std::string repeat{};              ///< the command line that asks the same, of a command
  std::string details{};             ///< for the test case's output in JUnit; may be empty
  std::string file{};                ///< that the entry stands in
  std::size_t line = 0;              ///< of the file, from 1; 0: not known
  std::optional<double> headroom{};  ///< of a passing limit: the least distance to one, as a share of it
};

/// The entries of a file; its name ends in .toml or it is JSON.
/// \throws DataError if it cannot be read, UsageError if it is no list of checks.
[[nodiscard]] std::vector<Json> read(const std::string& path);
/// The same of a file that is parsed already.
[[nodiscard]] std::vector<Json> entries(Json list, const std::string& path);

/// The lines from 1 on in which the entries of a file begin; empty where they cannot be told.
[[nodiscard]] std::vector<std::size_t> entry_lines(const std::string& path);

/// Runs all of them, test vectors on `threads` threads; an entry that is malformed is a failure of that entry.
/// \throws Error if `progress` asks to stop.
[[nodiscard]] std::vector<Finding> run(const std::vector<Json>& entries, unsigned threads, const Progress& progress);

/// The first difference between what was wanted and what was got, each part of `wanted` within
/// max(absolute, relative |wanted|), or "" if they agree. Keys that are not wanted are welcome.
struct Tolerance {
  double relative = 0.0;
  double absolute = 0.0;
};
[[nodiscard]] std::string difference(const std::string& where, const Json& wanted, const Json& got,
                                     const Tolerance& tolerance);

/// The command line of an entry with a command, without the program's name. \throws UsageError naming the key.
[[nodiscard]] std::vector<std::string> command_line(const Json& entry);
/// What an answer misses of one expectation of an entry, or "". \throws UsageError naming the key.
[[nodiscard]] std::string expectation_failure(const Json& answer, const Json& expectation);

/// How far an answer is within the limits of an expectation, as a share of the limit; none without one that is not 0.
[[nodiscard]] std::optional<double> headroom(const Json& answer, const Json& expectation);

/// The failures a line each, the passing limits with their headroom, and a last line "N passed, N failed".
[[nodiscard]] std::string text(const std::vector<Finding>& findings);

/// The same as "dpcurves/check/1".
[[nodiscard]] Json json(const std::vector<Finding>& findings);

/// The findings as a JUnit document, which continuous-integration servers show; `suite` names it.
[[nodiscard]] std::string junit(const std::string& suite, const std::vector<Finding>& findings);

/// The failures as workflow commands, which mark the file.
[[nodiscard]] std::string annotations(const std::vector<Finding>& findings);

/// What a command does with files of checks: runs them with a progress bar, prints text, JSON or (where `annotated`
/// is not empty) annotations and text, writes `junit_path` unless it is empty, and returns the exit code.
[[nodiscard]] int run_files(const Common& common, const std::vector<std::string>& paths, const std::string& junit_path,
                            const std::string& annotated);

}  // namespace dpcurves::tools::checks
