// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Any bytes as a --config file of every algorithm, and as a file of checks: options, entries, or an Error.
#include <cstddef>
#include <cstdint>
#include <string>

#include <dpcurves/core/error.hpp>

#include "algorithms/algorithm.hpp"
#include "checks/check.hpp"
#include "support/toml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dpcurves;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const auto& algorithm : tools::algorithms()) {
    try {
      (void)tools::config_options(algorithm.options, text, "input");
    } catch (const Error&) {
    }
  }
  try {
    (void)tools::checks::entries(tools::parse_toml(text, "input"), "input");
  } catch (const Error&) {
  }
  return 0;
}
