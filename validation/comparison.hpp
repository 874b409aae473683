// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Cases whose control is the same comparison with a broken claim.
#pragma once

#include <functional>
#include <utility>

#include "validation/case.hpp"

namespace dpcurves::validation {

/// The claim and its control by the same comparison.
inline Case compared(const char* id, const char* claim, const char* experiment, const char* control,
                     std::function<void(const Setting&, Trial&, bool broken)> check, Verdict expected = Verdict::holds,
                     std::function<Figure()> figure = nullptr) {
  return {id,
          claim,
          experiment,
          control,
          [check = std::move(check), figure = std::move(figure)](const Setting& setting, Outcome& outcome) {
            check(setting, outcome.claim, false);
            check(setting, outcome.control, true);
            if (figure) {
              outcome.figures.push_back(figure());
            }
          },
          expected};
}

}  // namespace dpcurves::validation
