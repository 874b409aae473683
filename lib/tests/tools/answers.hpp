// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Answers of the program as JSON, and settings that many questions have.
#pragma once

#include <string>

#include "support/support.hpp"
#include "tools/process.hpp"

namespace dpcurves::test {

inline const std::string training = "--batch-size 256 --records 60000 ";
inline const std::string cyclic =
    "noisy-cgd --sensitivity 2 --noise 0.0043 --batch-size 250 --records 60000 --epochs 60 ";

/// The JSON of a command that succeeds.
inline nlohmann::json results(const std::string& line) {
  const auto answer = run_program(words(line + " --format json"));
  CAPTURE(line, answer.err);
  REQUIRE(answer.exit_code == 0);
  return nlohmann::json::parse(answer.out);
}

/// The first of its results.
inline nlohmann::json result(const std::string& line) { return results(line).at("results").at(0); }

}  // namespace dpcurves::test
