// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Any bytes as a file of claims: rows, or an Error that names the place. Rows without sampling, whose answers are closed
// forms, are judged, and their verdicts told in words.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/referee.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dpcurves;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"x.csv", "x.json"}) {
    try {
      for (const auto& claim : queries::read_claims(text, name)) {
        const Value* sampling = claim.setting.find("sampling");
        const auto* word = sampling == nullptr ? nullptr : sampling->get<std::string>();
        const bool reads = claim.setting.find("run") != nullptr || claim.setting.find("transcript") != nullptr;
        if (word == nullptr || *word != "none" || reads) {
          continue;
        }
        const auto judged = queries::judge(claim, 0.01, ".");
        if (queries::explanation(judged).empty()) {
          std::abort();
        }
      }
    } catch (const Error&) {
    }
  }
  return 0;
}
