// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Any bytes as the JSON inputs of every calculator, and as a least-squares problem: an answer or an Error, never
// anything else.
#include <cstddef>
#include <cstdint>
#include <string>

#include <dpcurves/core/error.hpp>

#include "eval/calculator.hpp"
#include "support/least_squares_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dpcurves;
  tools::Json given;
  try {
    given = tools::parse_json({reinterpret_cast<const char*>(data), size}, "input");
  } catch (const Error&) {
    return 0;
  }
  for (const auto& calculator : tools::eval::calculators()) {
    try {
      (void)tools::eval::check(calculator, given);
    } catch (const Error&) {
    }
  }
  try {
    (void)tools::read_least_squares(given, {"records", "eigenbasis"}, {});
  } catch (const Error&) {
  }
  return 0;
}
