// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Runs the program dpcurves as a user would and keeps what it says.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace dpcurves::test {

struct Spoken {
  int exit_code = -1;  ///< -1: killed by a signal
  std::string out;
  std::string err;
};

/// The words of a command line, split at spaces.
[[nodiscard]] std::vector<std::string> words(const std::string& line);

/// Runs `dpcurves ARGUMENTS` with `input` on its standard input.
[[nodiscard]] Spoken run_program(const std::vector<std::string>& arguments, const std::string& input = "");

/// The JSON that `dpcurves ARGUMENTS --format json --quiet` answers; the test fails unless it exits with 0.
[[nodiscard]] nlohmann::json answer(std::vector<std::string> arguments);

}  // namespace dpcurves::test
