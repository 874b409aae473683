// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The program dpcurves; with DPCURVES_VALIDATE, the program dpcurves-validate, which is its command validate.
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "program.hpp"
#include "support/exit.hpp"
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

/// Takes --time-limit out of the arguments, which every command has. \return its seconds, or infinity.
double take_time_limit(std::vector<std::string>& arguments) {
  double limit = std::numeric_limits<double>::infinity();
  for (auto at = arguments.begin(); at != arguments.end();) {
    const std::string name = "--time-limit";
    if (*at != name && !at->starts_with(name + "=")) {
      ++at;
      continue;
    }
    std::string text = *at == name ? "" : at->substr(name.size() + 1);
    at = arguments.erase(at);
    if (text.empty() && at != arguments.end()) {
      text = *at;
      at = arguments.erase(at);
    }
    char* end = nullptr;
    limit = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(limit > 0.0)) {
      throw dpcurves::UsageError(name + ": " + (text.empty() ? "nothing" : text) +
                                 " is outside (0, inf]: seconds after which to give up");
    }
  }
  return limit;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe and a file that may not grow are errors on write, not a sudden death
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    std::vector<std::string> arguments(argv + 1, argv + argc);
    const double limit = take_time_limit(arguments);
#ifdef DPCURVES_VALIDATE
    if (arguments.empty() || (arguments.front() != "validate" && arguments.front() != "merge")) {
      arguments.insert(arguments.begin(), "validate");
    }
#endif
    dpcurves::tools::end_in_order(command_of(arguments));
    if (std::isfinite(limit)) {
      dpcurves::tools::end_after(command_of(arguments), limit);
    }
    return dpcurves::tools::run_command(arguments);
  } catch (...) {
    const auto failure = dpcurves::tools::current_failure();
    std::cerr << failure.message << "\n";
    return failure.exit_code;
  }
}
