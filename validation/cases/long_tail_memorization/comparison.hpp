// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Cases whose control is the same comparison with a broken claim.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "validation/case.hpp"

namespace dpcurves::validation::long_tail_memorization {

/// The claim and its control by the same comparison.
inline Case compared(const char* id, const char* claim, const char* experiment, const char* control,
                     std::function<void(const Setting&, Trial&, bool broken)> check,
                     std::function<Figure()> figure = nullptr) {
  return {std::string("long-tail-memorization/") + id, claim, experiment, control,
          [check, figure](const Setting& setting) {
            Outcome outcome;
            check(setting, outcome.claim, false);
            check(setting, outcome.control, true);
            if (figure) {
              outcome.figures.push_back(figure());
            }
            return outcome;
          }};
}

}  // namespace dpcurves::validation::long_tail_memorization
