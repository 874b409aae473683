// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Any bytes as a --config file of every algorithm, and as a file of checks: checked options that can be printed,
// entries that are understood, or an Error.
#include <cstddef>
#include <cstdint>
#include <string>

#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/detail/algorithm.hpp>

#include "documents.hpp"
#include "support/json_record.hpp"
#include "support/options.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dpcurves;
  const std::string text(reinterpret_cast<const char*>(data), size);
  tools::Json given;
  try {
    given = tools::parse_toml(text, "input");
  } catch (const Error&) {
    return 0;
  }
  for (const auto& algorithm : queries::algorithms()) {
    try {
      const auto values =
          queries::checked_options(algorithm.options, tools::config_options(algorithm.options, given, "input"));
      (void)tools::json_of({values.echo(algorithm.options)}).dump();
    } catch (const Error&) {
    }
  }
  test::try_checks(given);
  return 0;
}
