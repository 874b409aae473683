// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A child process that turns a text on its standard input into a text on its standard output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dpcurves::io {

/// What a child process left behind.
struct ProcessResult {
  std::string output;      ///< its standard output
  std::string complaints;  ///< its standard error
  int exit_code = 0;       ///< 128 + the signal if one ended it
};

/// Runs a program, found along PATH, with an argument vector: no shell takes part, nothing is expanded.
/// \param arguments  the program's name first.
/// \throws DataError  if the program cannot be started; the reason "not found" is recognisable by the caller
///                    through program_exists.
[[nodiscard]] ProcessResult run_process(const std::vector<std::string>& arguments, std::string_view input);

/// Whether `name` is an executable file along PATH.
[[nodiscard]] bool program_exists(const std::string& name);

}  // namespace dpcurves::io
