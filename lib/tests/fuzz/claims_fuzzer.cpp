// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Any bytes as a file of claims: rows, or an Error that names the place. Rows without sampling, of moderate noise,
// steps and delta, are judged, and their verdicts told in words; far down in delta an answer takes longer than a run
// may.
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
        const auto within = [&](const char* key, double least, double most) {
          const Value* value = claim.setting.find(key);
          double number = 0.0;
          return value != nullptr && value->number(number) && number >= least && number <= most;
        };
        const bool moderate = within("noise_multiplier", 0.1, 1e3) && within("steps", 0.0, 100.0) &&
                              (!claim.delta || (*claim.delta >= 1e-30 && *claim.delta <= 1.0));
        if (word == nullptr || *word != "none" || reads || !moderate) {
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
