// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Cases whose control is the same comparison with a broken claim.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "validation/case.hpp"

namespace dpcurves::validation {

/// The case of `paper`/`id`: the claim and its control by the same comparison.
inline Case comparison(const std::string& paper, const char* id, const char* claim, const char* experiment,
                       const char* control, std::function<void(const Setting&, Trial&, bool broken)> check,
                       Verdict expected) {
  return {paper + "/" + id,
          claim,
          experiment,
          control,
          [check = std::move(check)](const Setting& setting) {
            Outcome outcome;
            check(setting, outcome.claim, false);
            check(setting, outcome.control, true);
            return outcome;
          },
          expected};
}

}  // namespace dpcurves::validation
