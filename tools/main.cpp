// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The program dpcurves.
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "program.hpp"
#include "support/failure.hpp"
#include "support/interruption.hpp"

namespace {

/// "dpcurves simulate noisy-sgd": the words before the first option.
std::string command_of(const std::vector<std::string>& arguments) {
  std::string command = "dpcurves";
  for (const auto& argument : arguments) {
    if (argument.starts_with('-')) {
      break;
    }
    command += " " + argument;
  }
  return command;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe and a file that may not grow are errors on write, not a sudden death
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    dpcurves::tools::end_in_order(command_of(arguments));
    return dpcurves::tools::run_command(arguments);
  } catch (...) {
    const auto failure = dpcurves::tools::current_failure();
    std::cerr << failure.message << "\n";
    return failure.exit_code;
  }
}
