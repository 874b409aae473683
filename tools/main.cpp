// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The program dpcurves.
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "program.hpp"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error on write, not a sudden death
  try {
    return dpcurves::tools::run_command(std::vector<std::string>(argv + 1, argv + argc));
  } catch (...) {
    const auto failure = dpcurves::tools::current_failure();
    std::cerr << failure.message << "\n";
    return failure.exit_code;
  }
}
