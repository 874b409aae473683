// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Errors as exit codes and messages.
#pragma once

#include <string>

namespace dpcurves::tools {

/// How the program ends after an exception.
struct Failure {
  int exit_code = 0;
  std::string message;
};

/// For use in a catch block: exit code and message of the exception that is being handled.
[[nodiscard]] Failure current_failure();

/// A message without the function of the library that it names: for those who call a command or a method, not it.
[[nodiscard]] std::string without_function(const std::string& message);

}  // namespace dpcurves::tools
