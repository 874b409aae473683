// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The whole command line as a function: what `main` runs, and what a file of checks runs again and again.
#pragma once

#include <string>
#include <vector>

namespace dpcurves::tools {

/// Runs one command line without the program's name; returns its exit code.
/// \throws UsageError for what cannot be parsed, and every Error of the command itself: see current_failure.
[[nodiscard]] int run_command(const std::vector<std::string>& arguments);

/// How the program ends after an exception.
struct Failure {
  int exit_code = 0;
  std::string message;
};

/// For use in a catch block: exit code and message of the exception that is being handled.
[[nodiscard]] Failure current_failure();

}  // namespace dpcurves::tools
