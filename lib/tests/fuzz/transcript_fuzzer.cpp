// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Any bytes as what another tool wrote: a run that is written and read again as the same, or an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/json.hpp>
#include <dpcurves/queries/referee.hpp>
#include <dpcurves/transcripts/transcript.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dpcurves;
  const std::string text(reinterpret_cast<const char*>(data), size);
  transcripts::Given given;
  given.steps_count = "updates";
  for (const char* name : {"x.json", "x.csv", "x.toml"}) {
    try {
      const auto read = transcripts::read(text, name, given);
      if (read.parts.empty() || read.run.noise.strategy != mechanism::Strategy::identity) {
        continue;
      }
      const std::string once = io::write_json({transcripts::record_of(read.run)});
      const auto again = transcripts::read(once, "y.json", {});
      if (io::write_json({transcripts::record_of(again.run)}) != once) {
        std::abort();
      }
    } catch (const Error&) {
    }
  }
  try {
    (void)queries::read_claims(text, "x.csv");
  } catch (const Error&) {
  }
  return 0;
}
