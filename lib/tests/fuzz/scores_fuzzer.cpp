// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Any bytes as scores of canaries: what an audit by many runs and by one makes of few of them, or an Error.
#include <cstddef>
#include <cstdint>
#include <string>

#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/audit.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dpcurves;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"x.csv", "x.json"}) {
    queries::Scores scores;
    try {
      scores = queries::read_scores(text, name);
    } catch (const Error&) {
      continue;
    }
    try {
      (void)queries::audit_one_run(scores, {}, nullptr, true);
    } catch (const Error&) {
    }
    try {
      (void)queries::audit_multi_run(scores, {}, nullptr, true);
    } catch (const Error&) {
    }
  }
  return 0;
}
