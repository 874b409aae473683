// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Findings as continuous-integration servers read them: JUnit XML, and workflow commands that mark lines of files.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace dpcurves::io {

/// What became of one check.
struct Finding {
  /// How it ended; skipped: nothing could be said.
  enum class Outcome { passed, failed, skipped };
  std::string id;                     ///< unique in its suite
  std::string subject;                ///< what it is about, for example a command
  Outcome outcome = Outcome::passed;  ///< how it ended
  std::string message{};              ///< why it failed or was skipped
  std::string output{};               ///< more for a reader; may be empty
  std::optional<double> seconds{};    ///< that it took
};

/// One suite as a JUnit document. Control characters, which XML cannot hold, become blanks; line feeds stay.
[[nodiscard]] std::string junit(const std::string& suite, const std::vector<Finding>& findings);

/// A mark on a line of a file.
struct Annotation {
  std::string level;     ///< error, warning or notice
  std::string file;      ///< as the repository knows it
  std::size_t line = 0;  ///< from 1; 0 for the whole file
  std::string title;     ///< a few words
  std::string message;   ///< the rest
};

/// "::error file=budgets.toml,line=3,title=training::epsilon ...", a line each, with %, commas, colons and line feeds
/// escaped.
[[nodiscard]] std::string workflow_commands(const std::vector<Annotation>& annotations);

}  // namespace dpcurves::io
